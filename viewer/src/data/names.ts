// What to call the traces of the page: by what tells them apart.
import type { Trace } from "./trace";

const MOST = 28; // letters of a title in a legend

const differ = (list: string[]): boolean => new Set(list).size === list.length;

/** A text of so many letters at most. */
export const shorten = (text: string, most: number): string =>
    (text.length > most ? `${text.slice(0, Math.max(most - 1, 1)).trimEnd()}…` : text);

export function nameTraces(traces: readonly Trace[]): string[] {
    const stem = (trace: Trace): string => trace.file.replace(/\.[^.]*$/, "");
    const ways: ((trace: Trace) => string)[] = [
        (trace) => shorten(trace.title, MOST),
        (trace) => trace.law,
        (trace) => trace.method,
        (trace) => [trace.law, trace.method].filter(Boolean).join(", "),
        stem,
        (trace) => [trace.law, stem(trace)].filter(Boolean).join(", "),
    ];
    for (const way of ways) {
        const names = traces.map(way);
        if (names.every(Boolean) && differ(names)) return names;
    }
    return traces.map((trace, k) => `${k + 1}: ${stem(trace)}`);
}
