// Which impacts show at a time: those that have just happened, fading.
import { countUpTo } from "../data/search";

const MOST = 12;

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
