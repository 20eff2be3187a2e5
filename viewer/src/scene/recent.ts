// Which impacts show at a time: those that have just happened, fading.
import { countUpTo } from "../data/search";
import type { Impacts } from "../data/trace";

const MOST = 12; // at a time

export interface Recent {
    readonly impact: number;
    readonly strength: number; // 1: now
}

/** The latest impacts in (t - fading, t], the newest last. */
export function recentImpacts(times: Float64Array, t: number, fading: number): Recent[] {
    const slack = 1e-9 * Math.max(Math.abs(t), fading);
    const end = countUpTo(times, t + slack);
    const list: Recent[] = [];
    for (let k = Math.max(0, end - MOST); k < end; k++) {
        const strength = 1 - (t - times[k]) / fading;
        if (strength > 0) list.push({ impact: k, strength: Math.min(strength, 1) });
    }
    return list;
}

/** Of these the last one for every set of contacts: a bouncing body has one arrow. */
export function recentByContact(impacts: Impacts, t: number, fading: number): Recent[] {
    const seen = new Set<string>();
    const { values, columns, rows } = impacts.impulse;
    const contactsOf = (impact: number): string => {
        const own: number[] = [];
        for (let j = 0; j < columns && impact < rows; j++)
            if (!Number.isNaN(values[impact * columns + j])) own.push(j);
        return own.join();
    };
    return recentImpacts(impacts.t, t, fading).reverse().filter(({ impact }) => {
        const contacts = contactsOf(impact);
        return !seen.has(contacts) && seen.add(contacts);
    }).reverse();
}
