// What happens along a motion besides impacts: changes of mode, accumulations, an early end.
import type { ModeChange, Trace } from "./trace";

export const MODES = ["open", "closed", "sticks", "slips +", "slips −", "slips"];

const MOST = 5000; // marks on a slider that an eye can use

/** Where a contact begins to stick or to slip, comes to rest or lifts off: as the trace tells, else
 * (between closed modes) at the first row that shows it. */
export function modeChanges({ t, rows, mode, changes }: Trace): readonly ModeChange[] {
    if (changes) return changes;
    const found: ModeChange[] = [];
    const { values, columns } = mode;
    for (let k = 1; k < rows && found.length < MOST; k++)
        for (let j = 0; j < columns; j++) {
            const from = values[(k - 1) * columns + j];
            const to = values[k * columns + j];
            if (from !== to && from > 0 && to > 0) found.push({ t: t[k], contact: j, from, to });
        }
    return found;
}

/** What is to be said about the end of a run, "" when it came where it should. */
export function earlyEnd({ end, message, t, rows }: Trace): string {
    if (!end || end === "reached") return "";
    const at = Number(t[rows - 1].toPrecision(6));
    return `ended early at t = ${at}: ${message || end}`;
}
