// Lines for plots. Positions and velocities get the impacts' instants too: a velocity jumps there.
import type { Table, Trace } from "./trace";

export interface Line {
    readonly t: Float64Array;
    readonly y: Float32Array;
}

export type TableName = "position" | "velocity" | "gap" | "force" | "friction" | "energy";

function column(table: Table, j: number): Float32Array {
    const y = new Float32Array(table.rows);
    for (let k = 0; k < table.rows; k++) y[k] = table.values[k * table.columns + j];
    return y;
}

/** Rows with `sides` points at every impact, in the order of time; a row of the same instant shows
 * what is after it. */
function withImpacts(trace: Trace, rows: Table, sides: readonly Table[], j: number): Line {
    const { t: impactT, detailed: count } = trace.impacts;
    const size = trace.rows + sides.length * count;
    const t = new Float64Array(size);
    const y = new Float32Array(size);
    let to = 0;
    let i = 0;
    for (let k = 0; k <= trace.rows; k++) {
        const until = k < trace.rows ? trace.t[k] : Infinity;
        for (; i < count && impactT[i] <= until; i++)
            for (const side of sides) {
                t[to] = impactT[i];
                y[to++] = side.values[i * side.columns + j];
            }
        if (k < trace.rows) {
            t[to] = until;
            y[to++] = rows.values[k * rows.columns + j];
        }
    }
    return { t: t.subarray(0, to), y: y.subarray(0, to) };
}

export function lineOf(trace: Trace, name: TableName, j: number): Line {
    const { impacts } = trace;
    if (name === "position" && impacts.position.columns === trace.position.columns)
        return withImpacts(trace, trace.position, [impacts.position], j);
    if (name === "velocity" && impacts.before.columns === trace.velocity.columns)
        return withImpacts(trace, trace.velocity, [impacts.before, impacts.after], j);
    return { t: trace.t, y: column(trace[name], j) };
}

/** Lines over one common list of times, as uPlot wants them: undefined where a line has no point
 * of its own, null where it has no value. */
export function align(lines: readonly Line[]): [Float64Array, ...(number | null | undefined)[][]] {
    const bare = (y: Float32Array): (number | null)[] =>
        Array.from(y, (value) => (Number.isFinite(value) ? value : null));
    const first = lines[0]?.t ?? new Float64Array(0);
    if (lines.every((line) => line.t === first || same(line.t, first)))
        return [first, ...lines.map((line) => bare(line.y))];
    return merge(lines);
}

function same(a: Float64Array, b: Float64Array): boolean {
    if (a.length !== b.length) return false;
    for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
    return true;
}

function merge(lines: readonly Line[]): [Float64Array, ...(number | null | undefined)[][]] {
    const next = lines.map(() => 0);
    const t: number[] = [];
    const ys: (number | null | undefined)[][] = lines.map(() => []);
    for (;;) {
        let now = Infinity;
        lines.forEach((line, k) => {
            if (next[k] < line.t.length) now = Math.min(now, line.t[next[k]]);
        });
        if (now === Infinity) break;
        t.push(now);
        lines.forEach((line, k) => {
            if (next[k] < line.t.length && line.t[next[k]] === now) {
                const value = line.y[next[k]++];
                ys[k].push(Number.isFinite(value) ? value : null);
            } else ys[k].push(undefined);
        });
    }
    return [Float64Array.from(t), ...ys];
}
