// Going from row to row and from impact to impact, over all traces.
import { countUpTo } from "./search";

const SLACK = 1e-12; // of the time span: the same instant

/** The next (by = 1) or previous (-1) time of the lists, null at the end. */
export function neighbour(lists: readonly Float64Array[], t: number, by: number,
                          span: number): number | null {
    let best: number | null = null;
    const slack = SLACK * span;
    for (const list of lists) {
        let at: number;
        if (by > 0) at = countUpTo(list, t + slack);
        else for (at = countUpTo(list, t) - 1; at >= 0 && list[at] >= t - slack; ) at--;
        const found = at >= 0 && at < list.length ? list[at] : null;
        if (found === null) continue;
        if (best === null || (by > 0 ? found < best : found > best)) best = found;
    }
    return best;
}
