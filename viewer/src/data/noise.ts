// Rounding: columns that are nothing beside the others of their kind.
import type { Table, Trace } from "./trace";
import { isTurn, kindOf, sizeOf } from "./units";

const NOTHING = 1e-10; // of the largest of its kind: the tolerance of runs

/** Columns of rounding alone become zero in all these tables, which share their columns; `turn` is an angle, or a
 * rate of turning, that counts even if there is no larger one. */
function clear(tables: readonly Table[], turn: number): void {
    const [{ names, columns }] = tables;
    const alike = tables.filter((table) => table.columns === columns);
    const sizes = names.map((_, j) => alike.reduce((most, table) => Math.max(most, sizeOf(table, j)), 0));
    const kinds = names.map((_, j) => kindOf(tables[0], j));
    const most = new Map<string, number>();
    kinds.forEach((kind, j) =>
        most.set(kind, Math.max(most.get(kind) ?? (isTurn(tables[0], j) ? turn : 0), sizes[j])));
    sizes.forEach((size, j) => {
        if (size === 0 || size > NOTHING * most.get(kinds[j])!) return;
        for (const { values, rows } of alike)
            for (let k = 0; k < rows; k++) values[k * columns + j] = 0;
    });
}

/** The trace without what is rounding alone in its positions and velocities. */
export function withoutNoise(trace: Trace): Trace {
    const { position, velocity, impacts, instants, t, rows } = trace;
    const span = t[rows - 1] - t[0];
    clear([position, impacts.position, instants.positionBefore, instants.position], 1);
    clear([velocity, impacts.before, impacts.after, instants.before, instants.after], span > 0 ? 1 / span : 0);
    return trace;
}
