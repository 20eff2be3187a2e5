// One trace as a flat picture: what moves, how large it is, its marks at a time.
import { Track } from "../data/track";
import type { Shape, Trace } from "../data/trace";
import { fade, parseColor, type Theme } from "./colors";
import { arrowsOf, type Arrow } from "./kicks";
import type { Marks, Rgba } from "./marks";
import { outlineOf } from "./outline";

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
}

const LINE = 2; // pixels
const POINT = 5;
const COILS = 9;
const CACHED = 256;
const TRAIL = 120; // points of a trail
const MOST_TRAILS = 8; // bodies; more would hide them

export class Picture {
    readonly bounds: Bounds;
    private readonly track: Track;
    private readonly numbers: Float32Array;
    private readonly moves: boolean[];
    private readonly turns: boolean[];
    private readonly arrows = new Map<number, Arrow[]>();
    private readonly largestKick: number;
    private readonly trails: number[]; // columns of the x of what leaves a trail

    constructor(readonly trace: Trace) {
        const { impacts } = trace;
        this.track = new Track(trace.t, trace.draw, impacts.t, impacts.draw);
        this.numbers = new Float32Array(trace.draw.columns);
        const moves = trace.shapes.map(({ start, count }) => this.changes(start, count));
        // a ball among balls is a body even if nothing happens to it
        const bodies = new Set(trace.shapes.filter(({ kind }, k) => moves[k] && kind !== "line")
            .map(({ kind }) => kind));
        this.moves = trace.shapes.map(({ kind }, k) => moves[k] || bodies.has(kind));
        this.turns = trace.shapes.map(({ kind, start }) =>
            kind === "circle" && this.changes(start + 3, 1));
        const trails = trace.shapes.flatMap(({ kind, start }, k) =>
            moves[k] && kind !== "line" && kind !== "spring" ? [start] : []);
        this.trails = trails.length <= MOST_TRAILS ? trails : [];
        this.bounds = this.findBounds();
        this.largestKick = this.findLargestKick();
    }

    private changes(start: number, count: number): boolean {
        const { values, columns, rows } = this.trace.draw;
        for (let j = start; j < start + count; j++)
            for (let k = 1; k < rows; k++)
                if (values[k * columns + j] !== values[j]) return true;
        return false;
    }

    /** A box around everything at a few hundred times. */
    private findBounds(): Bounds {
        const b = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
        const { values, columns, rows } = this.trace.draw;
        const stride = Math.max(1, Math.floor(rows / 400));
        for (let k = 0; k < rows; k += stride) {
            const n = values.subarray(k * columns, (k + 1) * columns);
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
        }
        return b.left <= b.right ? b : { left: -1, right: 1, bottom: -1, top: 1 };
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

    /** The shapes at time t. `tint` replaces the colours of what moves. */
    draw(marks: Marks, t: number, theme: Theme, tint: Rgba | null, own: Rgba, pixel: number): void {
        const n = this.numbers;
        this.track.sample(t, n);
        for (const still of [true, false])
            this.trace.shapes.forEach((shape, k) => {
                if (this.moves[k] === still) return;
                const given = shape.color ? parseColor(shape.color) : null;
                const color = still ? given ?? theme.ground : tint ?? given ?? own;
                this.drawShape(marks, shape, n, color, pixel, this.turns[k]);
            });
    }

    /** Where the bodies have been since t - long, fading. */
    drawTrails(marks: Marks, t: number, long: number, color: Rgba): void {
        const points: { values: ArrayLike<number>; start: number }[] = [];
        this.track.eachBetween(t - long, t, TRAIL, (values, start) => points.push({ values, start }));
        points.push({ values: this.numbers, start: 0 }); // as drawn last
        for (const x of this.trails)
            for (let k = 1; k < points.length; k++) {
                const a = points[k - 1];
                const b = points[k];
                marks.stroke(a.values[a.start + x], a.values[a.start + x + 1],
                             b.values[b.start + x], b.values[b.start + x + 1], 1.5,
                             fade(color, (0.7 * k) / points.length), true);
            }
    }

    private drawShape(marks: Marks, shape: Shape, n: Float32Array, color: Rgba, pixel: number,
                      spoke: boolean): void {
        const s = shape.start;
        switch (shape.kind) {
            case "circle":
                marks.circle(n[s], n[s + 1], Math.max(n[s + 2], 2 * pixel), n[s + 3], spoke, LINE,
                             fade(color, 0.28), color);
                break;
            case "box":
                marks.box(n[s], n[s + 1], n[s + 2], n[s + 3], n[s + 4], LINE, fade(color, 0.28),
                          color);
                break;
            case "point":
                marks.circle(n[s], n[s + 1], POINT * pixel, 0, false, LINE, color, color);
                break;
            case "line":
                for (let j = s; j + 3 < s + shape.count; j += 2)
                    marks.stroke(n[j], n[j + 1], n[j + 2], n[j + 3], LINE + 0.5, color);
                break;
            case "spring":
                this.drawSpring(marks, n[s], n[s + 1], n[s + 2], n[s + 3], color);
                break;
        }
    }

    private drawSpring(marks: Marks, x1: number, y1: number, x2: number, y2: number,
                       color: Rgba): void {
        const wide = 0.025 * this.size;
        const length = Math.hypot(x2 - x1, y2 - y1) || 1;
        const nx = (-(y2 - y1) / length) * wide;
        const ny = ((x2 - x1) / length) * wide;
        let x = x1;
        let y = y1;
        for (let k = 1; k <= 2 * COILS + 2; k++) {
            const s = k === 2 * COILS + 2 ? 1 : (k - 0.5) / (2 * COILS + 1);
            const side = k === 2 * COILS + 2 ? 0 : k % 2 ? 1 : -1;
            const toX = x1 + (x2 - x1) * s + side * nx;
            const toY = y1 + (y2 - y1) * s + side * ny;
            marks.stroke(x, y, toX, toY, LINE, color);
            x = toX;
            y = toY;
        }
    }

    /** The arrows of one impact; strength from 1 (now) to 0 (gone). */
    drawImpact(marks: Marks, impact: number, strength: number, color: Rgba, pixel: number): void {
        for (const { at, direction, size } of this.findArrows(impact)) {
            const share = this.largestKick > 0 ? Math.sqrt(Math.min(size / this.largestKick, 1)) : 0;
            const reach = (24 + 60 * share) * pixel;
            const paint = fade(color, strength * strength);
            const flash = (6 + 18 * (1 - strength)) * pixel;
            marks.circle(at.x, at.y, flash, 0, false, 2, fade(color, 0.15 * strength), paint);
            const tipX = at.x + direction.x * reach;
            const tipY = at.y + direction.y * reach;
            marks.stroke(at.x, at.y, tipX, tipY, 3, paint);
            const barb = (8 + 4 * share) * pixel;
            for (const side of [1, -1]) {
                const x = -direction.x * 0.84 - side * direction.y * 0.54;
                const y = -direction.y * 0.84 + side * direction.x * 0.54;
                marks.stroke(tipX, tipY, tipX + x * barb, tipY + y * barb, 3, paint);
            }
        }
    }

    private findArrows(impact: number): Arrow[] {
        let arrows = this.arrows.get(impact);
        if (!arrows) {
            if (this.arrows.size >= CACHED) this.arrows.clear();
            arrows = arrowsOf(this.trace, impact, this.size);
            this.arrows.set(impact, arrows);
        }
        return arrows;
    }

    /** Where the labels of shapes are, as drawn last. */
    labels(): Label[] {
        const n = this.numbers;
        return this.trace.shapes.flatMap((shape): Label[] =>
            shape.label ? [{ x: n[shape.start], y: n[shape.start + 1], text: shape.label }] : []);
    }
}
