// The contacts of an impact that carried an impulse, the strongest first.
import type { Trace } from "./trace";

export interface Impulse {
    readonly contact: number;
    readonly name: string;
    readonly value: number;
}

const NOTHING = 1e-9; // of the largest impulse: none

export function impulsesOf({ impacts: { impulse } }: Trace, impact: number): Impulse[] {
    if (impact < 0 || impact >= impulse.rows) return [];
    const all: Impulse[] = [];
    for (let j = 0; j < impulse.columns; j++) {
        const value = impulse.values[impact * impulse.columns + j];
        if (Math.abs(value) > 0) all.push({ contact: j, name: impulse.names[j], value });
    }
    all.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    return all.filter(({ value }) => Math.abs(value) > NOTHING * Math.abs(all[0].value));
}
