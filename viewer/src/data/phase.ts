// Curves of the phase plane: one quantity against another, wrapped, cut to the last part.
import { countUpTo } from "./search";
import { lineOf, type Line, type TableName } from "./series";
import type { Trace } from "./trace";

export type Choice = readonly [table: TableName, column: number];

export interface Curve {
    readonly x: Float32Array;
    readonly y: Float32Array;
    readonly t: Float64Array;
}

export interface PhaseOptions {
    readonly last: number; // of the motion, in time; 0: all of it
    readonly wrap: readonly [boolean, boolean]; // angles modulo 2 pi
}

/** Positions with both sides of an impact, to go with velocities. */
function doubled(trace: Trace, column: number): Line {
    const { impacts, instants } = trace;
    return lineOf({ ...trace, velocity: trace.position,
                    instants: { ...instants, before: instants.positionBefore, after: instants.position },
                    impacts: { ...impacts, before: impacts.position, after: impacts.position } },
                  "velocity", column);
}

/** Into [-pi, pi). */
export function wrapAngle(x: number): number {
    const turn = 2 * Math.PI;
    return x - turn * Math.floor(x / turn + 0.5);
}

/** Both quantities at all rows and on both sides of impacts. */
export function curveOf(trace: Trace, [tableX, x]: Choice, [tableY, y]: Choice,
                        { last, wrap }: PhaseOptions): Curve {
    const jumps = tableX === "velocity" || tableY === "velocity";
    const along = (table: TableName, column: number): Line =>
        jumps && table === "position" ? doubled(trace, column) : lineOf(trace, table, column);
    const [a, b] = [along(tableX, x), along(tableY, y)];
    const from = last > 0 ? countUpTo(a.t, trace.t[trace.rows - 1] - last - 1e-12 * last) : 0;
    const cut = (list: Float32Array, wrapped: boolean): Float32Array => {
        const part = list.subarray(from);
        return wrapped ? part.map(wrapAngle) : part;
    };
    return { x: cut(a.y, wrap[0]), y: cut(b.y, wrap[1]), t: a.t.subarray(from) };
}

/** The range of an axis over all curves, with a margin. */
export function rangeOf(curves: readonly Curve[], axis: "x" | "y"): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    for (const curve of curves)
        for (const value of curve[axis])
            if (Number.isFinite(value)) {
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
    if (low > high) return [-1, 1];
    const margin = (high - low || Math.abs(high) || 1) * 0.06;
    return [low - margin, high + margin];
}
