// Rows of time-stepping at the end of a step in which a contact was struck: what stands there is its impulse
// over the step, which belongs to the impact and is no force.
import { countUpTo } from "./search";
import type { Table, Trace } from "./trace";

const SAME = 1e-9; // of the time: one instant

function forget({ values, columns }: Table, row: number, j: number): void {
    if (j >= 0) values[row * columns + j] = NaN;
}

export function withoutStruckForces(trace: Trace): Trace {
    const { impacts: { t, detailed, impulse }, force, friction } = trace;
    if (trace.method !== "time-stepping" || impulse.columns !== force.columns) return trace;
    for (let k = 0; k < detailed; k++) {
        const slack = SAME * Math.max(1, Math.abs(t[k]));
        const row = countUpTo(trace.t, t[k] + slack) - 1;
        if (row < 0 || trace.t[row] < t[k] - slack) continue;
        for (let j = 0; j < impulse.columns; j++) {
            if (!(impulse.values[k * impulse.columns + j] > 0)) continue;
            const name = force.names[j];
            forget(force, row, j);
            for (const slip of [name, `${name}_1`, `${name}_2`]) forget(friction, row, friction.names.indexOf(slip));
        }
    }
    return trace;
}
