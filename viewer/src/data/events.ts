// What happens along a motion besides impacts: changes of mode, accumulations, an early end.
import type { Trace } from "./trace";

export interface ModeChange {
    readonly t: number;
    readonly contact: number;
    readonly from: number;
    readonly to: number;
}

export const MODES = ["open", "closed", "sticks", "slips +", "slips −", "slips"];

const MOST = 5000; // marks on a slider that an eye can use

/** Where a contact that stays closed begins to stick or to slip, or turns round: at the first row
 * that shows it. Opening and closing belong to impacts. */
export function modeChanges({ t, rows, mode }: Trace): ModeChange[] {
    const changes: ModeChange[] = [];
    const { values, columns } = mode;
    for (let k = 1; k < rows && changes.length < MOST; k++)
        for (let j = 0; j < columns; j++) {
            const from = values[(k - 1) * columns + j];
            const to = values[k * columns + j];
            if (from !== to && from > 0 && to > 0) changes.push({ t: t[k], contact: j, from, to });
        }
    return changes;
}

/** What is to be said about the end of a run, "" when it came where it should. */
export function earlyEnd({ end, message, t, rows }: Trace): string {
    if (!end || end === "reached") return "";
    const at = Number(t[rows - 1].toPrecision(6));
    return `ended early at t = ${at}: ${message || end}`;
}
