// Which columns share an axis: those that are measured alike and of about one size. The program proves
// from the scene what is measured alike; of the rest, copies of one name (x1, x2) go together.
import type { Table } from "./trace";

const APART = 40; // ranges that differ more than this hide each other
const TURN = 0; // the number of what has no unit, as angles

/** What columns of one kind have in common. */
export function kindOf({ names, units }: Table, j: number): string {
    if (units[j] >= 0) return String(units[j]);
    return names[j].replace(/\d+('*)$/, "$1");
}

/** Is it an angle, as far as is known? */
export const isTurn = ({ units }: Table, j: number): boolean => units[j] === TURN;

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
        const having = tables.filter((table) => table.names.includes(name));
        const kind = having.length ? kindOf(having[0], having[0].names.indexOf(name)) : name;
        const size = Math.max(0, ...having.map((table) => sizeOf(table, table.names.indexOf(name))));
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
