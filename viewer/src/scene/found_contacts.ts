// Where a contact is that does not say so: at the two outlines that its coordinates move and whose distance is
// its gap all along the motion, or at the end of the line whose length and gap have one sum: a string.
import { changes } from "../data/series";
import type { Trace } from "../data/trace";
import { outlineOf, type Outline, type Point } from "./outline";

export interface Place {
    readonly at: Point;
    readonly toward: Point; // of unit length: where what moves is pushed
}

/** Two parts of outlines: a corner, which may be round, against an edge or another corner. */
interface Pair {
    readonly a: number; // shape
    readonly corner: number;
    readonly b: number;
    readonly edge: number | null;
    readonly other: number | null; // corner of b
}

const SAMPLES = 12; // rows at which distances and gaps are compared
const MOST_PAIRS = 30000;
const SAME = 1e-4; // of the lengths at hand: numbers of a page have seven digits

const subtract = (p: Point, q: Point): Point => ({ x: p.x - q.x, y: p.y - q.y });
const length = ({ x, y }: Point): number => Math.hypot(x, y);
const unit = (p: Point): Point => {
    const size = length(p) || 1;
    return { x: p.x / size, y: p.y / size };
};
const middle = ({ corners }: Outline): Point => ({
    x: corners.reduce((sum, p) => sum + p.x, 0) / corners.length,
    y: corners.reduce((sum, p) => sum + p.y, 0) / corners.length,
});

/** How far apart the two parts are; inside each other: how far from touching there. */
function distance(a: Outline, b: Outline, { corner, edge, other }: Pair): number {
    const p = a.corners[corner];
    if (edge !== null) {
        const [from, to] = b.edges[edge];
        const along = unit(subtract(to, from));
        const way = subtract(p, from);
        return Math.abs(way.x * along.y - way.y * along.x) - a.radius;
    }
    const apart = length(subtract(p, b.corners[other!]));
    return apart < Math.max(a.radius, b.radius) ? Math.abs(a.radius - b.radius) - apart
        : apart - a.radius - b.radius;
}

function pairsOf(outlines: readonly Outline[], moves: readonly boolean[]): Pair[] {
    const pairs: Pair[] = [];
    outlines.forEach((one, a) => outlines.forEach((two, b) => {
        const still = !moves[a] && !moves[b] && !(one.radius > 0 && two.radius > 0); // balls may only wait
        if (a === b || still || pairs.length > MOST_PAIRS) return;
        one.corners.forEach((_, corner) => {
            two.edges.forEach((_edge, edge) => pairs.push({ a, corner, b, edge, other: null }));
            if (a < b && one.radius + two.radius > 0)
                two.corners.forEach((_corner, other) => pairs.push({ a, corner, b, edge: null, other }));
        });
    }));
    return pairs.length > MOST_PAIRS ? [] : pairs;
}

export class FoundContacts {
    private readonly pairs = new Map<number, Pair>(); // by contact
    private readonly strings = new Map<number, number>(); // by contact: the shape
    private readonly moves: readonly boolean[];

    constructor(private readonly trace: Trace) {
        const { shapes, draw, rows } = trace;
        const missing = trace.contacts.flatMap(({ at }, i) => (at ? [] : [i]));
        const solid = shapes.map(({ kind }) => kind !== "spring" && kind !== "text");
        this.moves = shapes.map(({ start, count }) => changes(draw, start, count));
        if (!missing.length || !draw.columns || rows < 2) return;
        const sampled = Array.from({ length: SAMPLES }, (_, k) => Math.round((k * (rows - 1)) / (SAMPLES - 1)));
        const outlines = sampled.map((row) => shapes.map((shape, k) =>
            (solid[k] ? outlineOf(shape, draw.values.subarray(row * draw.columns)) : { corners: [], radius: 0, edges: [] })));
        const pairs = pairsOf(outlines[0], this.moves);
        const gap = (contact: number, k: number): number =>
            trace.gap.values[sampled[k] * trace.gap.columns + contact];
        const taken = new Set<Pair>();
        for (const contact of missing) {
            const fits = pairs.filter((pair) => this.belongs(contact, pair.a, pair.b) &&
                this.happens(pair, outlines) && outlines.every((all, k) => {
                    const own = distance(all[pair.a], all[pair.b], pair);
                    const g = pair.edge === null ? gap(contact, k) : Math.abs(gap(contact, k));
                    return Math.abs((pair.edge === null ? own : Math.abs(own)) - g) <=
                        SAME * (Math.abs(own) + all[pair.a].radius + all[pair.b].radius) + 1e-9;
                }));
            const found = fits.find((pair) => !taken.has(pair)) ?? fits[0];
            if (found) {
                taken.add(found);
                this.pairs.set(contact, found);
                continue;
            }
            const line = shapes.findIndex((shape, s) => shape.kind === "line" && shape.count === 4 &&
                this.belongs(contact, s, s) &&
                this.isString(outlines.map((all) => all[s]), (k) => gap(contact, k)));
            if (line >= 0) this.strings.set(contact, line);
        }
    }

    /** Do the coordinates of the contact move these shapes, and no others? */
    private belongs(contact: number, a: number, b: number): boolean {
        const told = this.trace.coordinates;
        if (!told) return this.moves[a] || this.moves[b];
        const both = new Set([...told.shapes[a], ...told.shapes[b]]);
        const own = told.contacts[contact];
        return own.length > 0 && both.size === own.length && own.every((i) => both.has(i));
    }

    /** Does either part of the pair move, or may it: the fixed end of a string on the ceiling is no contact. */
    private happens({ a, corner, b, edge, other }: Pair, outlines: readonly (readonly Outline[])[]): boolean {
        const moved = (place: (all: readonly Outline[]) => Point): boolean => {
            const first = place(outlines[0]);
            return outlines.some((all) => length(subtract(place(all), first)) > 0);
        };
        if (other !== null || outlines[0][a].radius > 0) return true;
        return moved((all) => all[a].corners[corner]) || moved((all) => all[b].edges[edge!][0]) ||
            moved((all) => all[b].edges[edge!][1]);
    }

    /** Do the length of a line and the gap have one sum, and the gap is not always the same? */
    private isString(line: readonly Outline[], gap: (k: number) => number): boolean {
        const sums = line.map(({ corners: [p, q] }, k) => length(subtract(p, q)) + gap(k));
        const gaps = line.map((_, k) => gap(k));
        const whole = Math.max(...sums);
        return sums.every((sum) => Math.abs(sum - whole) <= SAME * whole) && gaps.every((g) => g < 0.5 * whole);
    }

    get any(): boolean {
        return this.pairs.size + this.strings.size > 0;
    }

    has(contact: number): boolean {
        return this.pairs.has(contact) || this.strings.has(contact);
    }

    /** Where it is, from the numbers of the shapes. */
    place(contact: number, numbers: Float32Array): Place | null {
        const { shapes } = this.trace;
        const line = this.strings.get(contact);
        if (line !== undefined) {
            const [p, q] = outlineOf(shapes[line], numbers).corners;
            return { at: q, toward: unit(subtract(p, q)) };
        }
        const pair = this.pairs.get(contact);
        if (!pair) return null;
        const [a, b] = [outlineOf(shapes[pair.a], numbers), outlineOf(shapes[pair.b], numbers)];
        const p = a.corners[pair.corner];
        const sign = this.moves[pair.a] ? 1 : -1;
        if (pair.edge !== null) {
            const [from, to] = b.edges[pair.edge];
            const along = unit(subtract(to, from));
            const way = subtract(p, from);
            const s = Math.min(Math.max(way.x * along.x + way.y * along.y, 0), length(subtract(to, from)));
            const at = { x: from.x + s * along.x, y: from.y + s * along.y };
            const out = subtract(middle(a), at);
            const side = sign * (along.x * out.y - along.y * out.x < 0 ? -1 : 1);
            return { at, toward: { x: -side * along.y, y: side * along.x } };
        }
        const q = b.corners[pair.other!];
        const out = unit(subtract(p, q));
        if (length(subtract(p, q)) >= Math.max(a.radius, b.radius))
            return { at: { x: q.x + out.x * b.radius, y: q.y + out.y * b.radius },
                     toward: { x: sign * out.x, y: sign * out.y } };
        const around = a.radius < b.radius ? b.radius : -a.radius; // the smaller touches the larger from inside
        const centre = a.radius < b.radius ? q : p;
        return { at: { x: centre.x + out.x * around, y: centre.y + out.y * around },
                 toward: { x: -sign * out.x, y: -sign * out.y } };
    }
}
