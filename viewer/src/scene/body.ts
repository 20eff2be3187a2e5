// A rigid body in space from the coordinates x y z qw qx qy qz. Where on the body the contact is
// does not stand in a trace; it is found from the gap, g = z + (R p)_z - offset, by least squares.
import type { Trace } from "../data/trace";

export interface BodyColumns {
    readonly place: readonly [number, number, number];
    readonly turn: readonly [number, number, number, number] | null; // w, x, y, z
}

export interface Contact {
    readonly point: readonly [number, number, number]; // in body axes
    readonly floor: number; // height of the plane
}

/** The columns of bodies in space: x y z with a common ending, and the quaternion if there is one. */
export function findBodies(names: readonly string[]): BodyColumns[] {
    return names.flatMap((name): BodyColumns[] => {
        const ending = /^x(.*)$/.exec(name)?.[1];
        if (ending === undefined) return [];
        const find = (list: string[]): number[] => list.map((n) => names.indexOf(n + ending));
        const [x, y, z] = find(["x", "y", "z"]);
        const turn = find(["qw", "qx", "qy", "qz"]);
        if (y < 0 || z < 0) return [];
        const whole = turn.every((k) => k >= 0);
        return [{ place: [x, y, z], turn: whole ? (turn as [number, number, number, number]) : null }];
    });
}

/** The third row of the rotation. */
function rowZ(w: number, x: number, y: number, z: number): [number, number, number] {
    return [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
}

/** Solve the symmetric 4 x 4 system by elimination; null where it is singular. */
function solve(a: number[][], b: number[]): number[] | null {
    const n = b.length;
    const m = a.map((row, i) => [...row, b[i]]);
    for (let k = 0; k < n; k++) {
        let best = k;
        for (let i = k + 1; i < n; i++) if (Math.abs(m[i][k]) > Math.abs(m[best][k])) best = i;
        [m[k], m[best]] = [m[best], m[k]];
        if (Math.abs(m[k][k]) < 1e-12) return null;
        for (let i = 0; i < n; i++) {
            if (i === k) continue;
            const f = m[i][k] / m[k][k];
            for (let j = k; j <= n; j++) m[i][j] -= f * m[k][j];
        }
    }
    return m.map((row, i) => row[n] / row[i]);
}

/** The contact point of the first body and the height of its plane, if the gap fits one. */
export function findContact(trace: Trace, body: BodyColumns): Contact | null {
    const { position, gap, rows } = trace;
    if (!body.turn || gap.columns !== 1) return null;
    const a = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
    const b = [0, 0, 0, 0];
    const at = (k: number, j: number): number => position.values[k * position.columns + j];
    const row = (k: number): number[] => {
        const [w, x, y, z] = body.turn!.map((j) => at(k, j));
        return [...rowZ(w, x, y, z), -1];
    };
    const stride = Math.max(1, Math.floor(rows / 500));
    for (let k = 0; k < rows; k += stride) {
        const r = row(k);
        const rest = gap.values[k] - at(k, body.place[2]);
        for (let i = 0; i < 4; i++) {
            b[i] += r[i] * rest;
            for (let j = 0; j < 4; j++) a[i][j] += r[i] * r[j];
        }
    }
    const count = Math.ceil(rows / stride);
    for (let i = 0; i < 4; i++) a[i][i] += 1e-7 * count; // a motion that does not tell: the nearest
    const p = solve(a, b);
    if (!p) return null;
    let worst = 0;
    for (let k = 0; k < rows; k += stride) {
        const r = row(k);
        const fitted = r.reduce((sum, value, i) => sum + value * p[i], at(k, body.place[2]));
        worst = Math.max(worst, Math.abs(fitted - gap.values[k]));
    }
    const size = Math.hypot(p[0], p[1], p[2]);
    return size > 0 && worst < 0.01 * size ? { point: [p[0], p[1], p[2]], floor: p[3] } : null;
}
