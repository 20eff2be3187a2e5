// Numbers for people.
import type { Table } from "../data/trace";

/** About so many significant digits, a real minus sign, no rounding noise. */
export function formatNumber(x: number, digits = 4): string {
    if (!Number.isFinite(x)) return "–";
    if (x === 0) return "0";
    const size = Math.abs(x);
    const text = size >= 1e5 || size < 1e-3
        ? x.toExponential(Math.min(digits - 1, 2)).replace("e+", "e")
        : String(Number(x.toPrecision(digits)));
    return text.replaceAll("-", "−");
}

/** A time with as many decimals as the span needs. */
export function formatTime(t: number, span: number): string {
    const decimals = Math.min(8, Math.max(0, 4 - Math.ceil(Math.log10(span || 1))));
    return t.toFixed(decimals).replace("-", "−");
}

/** What is nothing on the scale of a column: the resolution of its numbers. */
export function zeroBelow({ values, columns, rows }: Table, j: number): number {
    let most = 0;
    for (let k = 0; k < rows; k++) {
        const size = Math.abs(values[k * columns + j]);
        if (size > most && Number.isFinite(size)) most = size;
    }
    return 1e-9 * most;
}
