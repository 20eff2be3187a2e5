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

/** Do any of `count` columns from `start` on change? */
export function changes({ values, columns, rows }: Table, start: number, count: number): boolean {
    for (let j = start; j < start + count; j++)
        for (let k = 1; k < rows; k++)
            if (values[k * columns + j] !== values[j]) return true;
    return false;
}

/** Tables that have a point each at the same times. */
interface Jumps {
    readonly t: Float64Array;
    readonly count: number;
    readonly sides: readonly Table[];
}

/** Rows with the sides of every jump, in the order of time; a row of the same instant shows what is
 * after it. */
function withJumps(trace: Trace, rows: Table, jumps: readonly Jumps[], j: number): Line {
    const used = jumps.filter(({ sides }) => sides.every((side) => side.columns === rows.columns));
    const size = trace.rows + used.reduce((sum, { count, sides }) => sum + count * sides.length, 0);
    const t = new Float64Array(size);
    const y = new Float32Array(size);
    const next = used.map(() => 0);
    let to = 0;
    for (let k = 0; k <= trace.rows; k++) {
        const until = k < trace.rows ? trace.t[k] : Infinity;
        for (;;) {
            const times = used.map((jump, i) => (next[i] < jump.count ? jump.t[next[i]] : Infinity));
            const now = Math.min(...times);
            if (!used.length || now > until || now === Infinity) break;
            const i = times.indexOf(now);
            for (const side of used[i].sides) {
                t[to] = now;
                y[to++] = side.values[next[i] * side.columns + j];
            }
            next[i]++;
        }
        if (k < trace.rows) {
            t[to] = until;
            y[to++] = rows.values[k * rows.columns + j];
        }
    }
    return { t: t.subarray(0, to), y: y.subarray(0, to) };
}

export function lineOf(trace: Trace, name: TableName, j: number): Line {
    const { impacts, instants } = trace;
    if (name === "position" && impacts.detailed + instants.count > 0)
        return withJumps(trace, trace.position, [
            { ...instants, sides: [instants.positionBefore, instants.position] },
            { t: impacts.t, count: impacts.detailed, sides: [impacts.position] }], j);
    if (name === "velocity" && impacts.detailed + instants.count > 0)
        return withJumps(trace, trace.velocity, [
            { ...instants, sides: [instants.before, instants.after] },
            { t: impacts.t, count: impacts.detailed, sides: [impacts.before, impacts.after] }], j);
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
