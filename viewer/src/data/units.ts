// Which columns share an axis: those of one kind and of about one size.
import type { Table } from "./trace";

const ANGLE = /^(th|theta|ph|phi|psi|al|alpha|be|beta|ga|gamma|angle|turn)[\d_]*$/i;
const APART = 40; // ranges that differ more than this hide each other

/** The last part of a name without what marks a velocity: "disc.th" and "th1'" are both "th". */
function stem(name: string): string {
    return (name.split(".").pop() ?? name).replace(/'+$/, "");
}

/** "angle", "turning" (rates of bodies in space), "quaternion" or "other". */
export function kindOf(name: string): string {
    const own = stem(name);
    if (/^q[wxyz]\d*$/.test(own)) return "quaternion";
    if (/^w[xyz]?\d*$/.test(own)) return "turning";
    return ANGLE.test(own) ? "angle" : "other";
}

/** The largest absolute value of a column. */
export function sizeOf({ values, columns, rows }: Table, j: number): number {
    let most = 0;
    for (let k = 0; k < rows; k++) {
        const size = Math.abs(values[k * columns + j]);
        if (size > most && Number.isFinite(size)) most = size;
    }
    return most;
}

/** Names in groups, each for a plot of its own, in the order they were given. */
export function groupByUnit(tables: readonly Table[], names: readonly string[]): string[][] {
    const groups: { kind: string; least: number; most: number; names: string[] }[] = [];
    for (const name of names) {
        const kind = kindOf(name);
        const sizes = tables.map((table) => {
            const j = table.names.indexOf(name);
            return j < 0 ? 0 : sizeOf(table, j);
        });
        const size = Math.max(...sizes);
        const fits = groups.find((group) => group.kind === kind && (size === 0 || group.most === 0 ||
            Math.max(size, group.most) <= APART * Math.min(size, group.least)));
        if (fits) {
            fits.names.push(name);
            if (size > 0) {
                fits.least = fits.most > 0 ? Math.min(fits.least, size) : size;
                fits.most = Math.max(fits.most, size);
            }
        } else groups.push({ kind, least: size, most: size, names: [name] });
    }
    return groups.map((group) => group.names);
}
