// One trace as a flat picture: what moves, how large it is, its marks at a time.
import { changes } from "../data/series";
import { Track } from "../data/track";
import type { Trace } from "../data/trace";
import { STRAIGHT, type Brush, type Rgba } from "./brush";
import { drawArrow } from "./arrow";
import { fade, parseColor, type Theme } from "./colors";
import { ContactMarks } from "./contact_marks";
import { arrowsOf, type Arrow } from "./kicks";
import { outlineOf, type Point } from "./outline";
import { drawShape } from "./shape_draw";

export interface Bounds {
    left: number;
    right: number;
    bottom: number;
    top: number;
}

export interface Label {
    readonly x: number;
    readonly y: number;
    readonly text: string;
    readonly centred: boolean;
}

const CACHED = 256;
const TRAIL = 120; // points of a trail
const MOST_TRAILS = 8; // bodies; more would hide them

export class Picture {
    readonly bounds: Bounds;
    readonly bodies: readonly number[]; // shapes that move and can be followed
    private readonly track: Track;
    private readonly numbers: Float32Array;
    private readonly moves: boolean[];
    private readonly turns: boolean[];
    private readonly links: boolean[]; // strings and rods, even where they stand still
    private readonly rank: number[]; // of a moving shape among them: its colour
    private readonly arrows = new Map<number, Arrow[]>();
    private readonly largestKick: number;
    private readonly trails: number[]; // shapes that leave a trail
    private readonly contacts: ContactMarks;
    private readonly centre: Point; // of the bodies

    constructor(readonly trace: Trace) {
        const { impacts, shapes } = trace;
        const { instants } = trace;
        this.track = new Track([{ t: instants.t, table: instants.drawBefore },
                                { t: instants.t, table: instants.draw },
                                { t: impacts.t, table: impacts.draw }, { t: trace.t, table: trace.draw }]);
        this.numbers = new Float32Array(trace.draw.columns);
        const moves = shapes.map(({ start, count }) => changes(trace.draw, start, count));
        this.moves = shapes.map(({ free }, k) => moves[k] || free); // at rest it is a body all the same
        this.links = shapes.map((_, k) => this.isLink(k));
        this.turns = shapes.map(({ kind, start }) => kind === "circle" && changes(trace.draw, start + 3, 1));
        const solid = (k: number): boolean => !["spring", "text"].includes(shapes[k].kind);
        const ownLine = (k: number): boolean => shapes[k].kind === "line" && !shapes[k].body;
        const lines = shapes.filter((_, k) => this.moves[k] && ownLine(k)).length;
        const element = (k: number): boolean => ownLine(k) && lines > MOST_TRAILS;
        const same = (k: number): boolean => k > 0 && shapes[k].body > 0 && shapes[k].body === shapes[k - 1].body;
        let rank = -1;
        this.rank = shapes.map((_, k) => {
            if (!this.moves[k] || !solid(k) || element(k)) return 0;
            return same(k) ? rank : ++rank;
        });
        this.bodies = shapes.flatMap(({ kind }, k) =>
            moves[k] && solid(k) && kind !== "line" ? [k] : []);
        this.trails = this.bodies.length <= MOST_TRAILS ? [...this.bodies] : [];
        this.bounds = this.findBounds();
        this.centre = this.findCentre();
        this.largestKick = this.findLargestKick();
        this.contacts = new ContactMarks(trace);
    }

    /** Does a line end in the middle of a body? */
    private isLink(k: number): boolean {
        const { shapes, draw: { values } } = this.trace;
        const { kind, start, count } = shapes[k];
        if (kind !== "line") return false;
        return [start, start + count - 2].some((end) => shapes.some((other) =>
            ["circle", "box", "point"].includes(other.kind) &&
            Math.abs(values[end] - values[other.start]) < 1e-6 &&
            Math.abs(values[end + 1] - values[other.start + 1]) < 1e-6));
    }

    /** Visits the shapes' numbers at a few hundred rows. */
    private eachRow(visit: (n: Float32Array) => void): void {
        const { values, columns, rows } = this.trace.draw;
        const stride = Math.max(1, Math.floor(rows / 400));
        for (let k = 0; k < rows; k += stride)
            visit(values.subarray(k * columns, (k + 1) * columns));
    }

    private findBounds(): Bounds {
        const b = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
        this.eachRow((n) => {
            for (const shape of this.trace.shapes) {
                const { corners, radius } = outlineOf(shape, n);
                for (const { x, y } of corners) {
                    if (!Number.isFinite(x + y + radius)) continue;
                    b.left = Math.min(b.left, x - radius);
                    b.right = Math.max(b.right, x + radius);
                    b.bottom = Math.min(b.bottom, y - radius);
                    b.top = Math.max(b.top, y + radius);
                }
            }
        });
        return b.left <= b.right ? b : { left: -1, right: 1, bottom: -1, top: 1 };
    }

    private findCentre(): Point {
        const sum = { x: 0, y: 0, count: 0 };
        this.eachRow((n) => this.trace.shapes.forEach((shape, k) => {
            if (!this.moves[k]) return;
            for (const { x, y } of outlineOf(shape, n).corners) {
                if (!Number.isFinite(x + y)) continue;
                sum.x += x;
                sum.y += y;
                sum.count++;
            }
        }));
        return sum.count ? { x: sum.x / sum.count, y: sum.y / sum.count } : { x: 0, y: 0 };
    }

    private get size(): number {
        const { left, right, bottom, top } = this.bounds;
        return Math.max(right - left, top - bottom) || 1;
    }

    private findLargestKick(): number {
        let largest = 0;
        const { kick, detailed } = this.trace.impacts;
        for (const { kind, start, count: numbers } of this.trace.shapes) {
            const points = kind === "line" || kind === "spring" ? numbers >> 1 : 1;
            for (let k = 0; k < detailed && kick.columns; k++)
                for (let j = 0; j < points; j++) {
                    const at = k * kick.columns + start + 2 * j;
                    const length = Math.hypot(kick.values[at], kick.values[at + 1]);
                    if (length > largest) largest = length;
                }
        }
        return largest;
    }

    /** The colour of a shape; `tint` replaces the colours of what moves. */
    private colorOf(k: number, theme: Theme, tint: Rgba | null): Rgba {
        const shape = this.trace.shapes[k];
        const given = shape.color ? parseColor(shape.color) : null;
        if (!this.moves[k]) return given ?? theme.ground;
        if (tint) return tint;
        const plain = shape.kind === "spring" ? theme.ground : theme.traces[this.rank[k] % theme.traces.length];
        return given ?? plain;
    }

    /** The shapes at time t, what stands still first. */
    draw(brush: Brush, t: number, theme: Theme, tint: Rgba | null, pixel: number): void {
        const n = this.numbers;
        this.track.sample(t, n);
        for (const still of [true, false])
            this.trace.shapes.forEach((shape, k) => {
                if (this.moves[k] === still) return;
                drawShape(brush, shape, n, { color: this.colorOf(k, theme, tint), pixel,
                    still: still && !this.links[k],
                    spoke: this.turns[k], coil: 0.025 * this.size, free: this.centre });
            });
    }

    /** Contact forces at time t, and how far they may lean. */
    drawForces(brush: Brush, t: number, color: Rgba, pixel: number, cones: boolean): void {
        this.contacts.drawForces(brush, t, color, pixel, cones);
    }

    /** Where the bodies have been since t - long, fading. */
    drawTrails(brush: Brush, t: number, long: number, theme: Theme, tint: Rgba | null): void {
        const points: { values: ArrayLike<number>; start: number }[] = [];
        this.track.eachBetween(t - long, t, TRAIL, (values, start) => points.push({ values, start }));
        points.push({ values: this.numbers, start: 0 }); // as drawn last
        for (const body of this.trails) {
            const x = this.trace.shapes[body].start;
            const color = this.colorOf(body, theme, tint);
            for (let k = 1; k < points.length; k++) {
                const a = points[k - 1];
                const b = points[k];
                brush.stroke(a.values[a.start + x], a.values[a.start + x + 1],
                             b.values[b.start + x], b.values[b.start + x + 1], 1.5,
                             fade(color, (0.7 * k) / points.length), STRAIGHT);
            }
        }
    }

    /** The arrows of one impact; strength from 1 (now) to 0 (gone). */
    drawImpact(brush: Brush, impact: number, strength: number, color: Rgba, pixel: number): void {
        for (const { at, direction, size } of this.findArrows(impact)) {
            const share = Math.sqrt(Math.min(size, 1));
            const paint = fade(color, strength * strength);
            const flash = (6 + 18 * (1 - strength)) * pixel;
            brush.circle(at.x, at.y, flash, 0, 2, fade(color, 0.15 * strength), paint);
            if (direction)
                drawArrow(brush, at, direction, (24 + 60 * share) * pixel, (8 + 4 * share) * pixel, 3, paint);
        }
    }

    private findArrows(impact: number): Arrow[] {
        let arrows = this.arrows.get(impact);
        if (!arrows) {
            if (this.arrows.size >= CACHED) this.arrows.clear();
            arrows = this.contacts.knows(impact) ? this.contacts.arrowsOf(impact)
                : arrowsOf(this.trace, impact, this.size, this.largestKick);
            this.arrows.set(impact, arrows);
        }
        return arrows;
    }

    /** The place of a shape at time t, to follow it. */
    placeOf(shape: number, t: number): Point {
        this.track.sample(t, this.numbers);
        const { start } = this.trace.shapes[shape];
        return { x: this.numbers[start], y: this.numbers[start + 1] };
    }

    /** What a body is called in lists. */
    nameOf(shape: number): string {
        const own = this.trace.shapes[shape];
        return own.label ?? `${own.kind} ${this.bodies.indexOf(shape) + 1}`;
    }

    /** Where the labels of shapes are, as drawn last. */
    labels(): Label[] {
        const n = this.numbers;
        return this.trace.shapes.flatMap(({ label, start, kind }): Label[] =>
            label ? [{ x: n[start], y: n[start + 1], text: label, centred: kind === "text" }] : []);
    }
}
