// One shape with a brush: circles, boxes, lines, points, springs; what does not move is hatched.
import type { Shape } from "../data/trace";
import { DASH, HATCH, SPOKE, type Brush, type Rgba } from "./brush";
import { fade } from "./colors";
import type { Point } from "./outline";

export interface Look1 {
    readonly color: Rgba;
    readonly pixel: number; // its size in the units of the picture
    readonly still: boolean;
    readonly spoke: boolean; // a circle that turns
    readonly coil: number; // half the width of a spring
    readonly free: Point; // where the bodies are: hatching goes to the other side
}

const LINE = 2; // pixels
const POINT = 5;
const COILS = 9;
const STRIPE = 11; // pixels from stripe to stripe
const MOST_STRIPES = 240; // of one line

const FILL = 0.28;
const NOTHING: Rgba = [0, 0, 0, 0];

function drawSpring(brush: Brush, n: ArrayLike<number>, s: number, wide: number, width: number,
                    color: Rgba): void {
    const [x1, y1, x2, y2] = [n[s], n[s + 1], n[s + 2], n[s + 3]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const nx = (-(y2 - y1) / length) * wide;
    const ny = ((x2 - x1) / length) * wide;
    let x = x1;
    let y = y1;
    for (let k = 1; k <= 2 * COILS + 2; k++) {
        const last = k === 2 * COILS + 2;
        const share = last ? 1 : (k - 0.5) / (2 * COILS + 1);
        const side = last ? 0 : k % 2 ? 1 : -1;
        const toX = x1 + (x2 - x1) * share + side * nx;
        const toY = y1 + (y2 - y1) * share + side * ny;
        brush.stroke(x, y, toX, toY, width, color);
        x = toX;
        y = toY;
    }
}

/** Short strokes on the side of a still line that no body is on. */
function drawStripes(brush: Brush, a: Point, b: Point, { color, pixel, free }: Look1): void {
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    const step = Math.max(STRIPE * pixel, length / MOST_STRIPES);
    if (!(length > 2 * step)) return;
    const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const side = ux * (free.y - a.y) - uy * (free.x - a.x) > 0 ? -1 : 1; // away from the bodies
    const reach = 7 * pixel;
    const [dx, dy] = [(-ux - side * uy) * reach, (-uy + side * ux) * reach];
    for (let at = step / 2; at < length; at += step)
        brush.stroke(a.x + at * ux, a.y + at * uy, a.x + at * ux + dx, a.y + at * uy + dy, 1,
                     fade(color, 0.7));
}

/** A point inside an outline that ends where it begins. */
function middleOf(n: ArrayLike<number>, start: number, count: number): Point {
    let [x, y] = [0, 0];
    for (let j = start; j + 3 < start + count; j += 2) {
        x += n[j];
        y += n[j + 1];
    }
    const corners = count / 2 - 1;
    return { x: x / corners, y: y / corners };
}

function drawLine(brush: Brush, shape: Shape, n: ArrayLike<number>, width: number, look: Look1): void {
    const { start, count } = shape;
    if (shape.closed && shape.filled && !look.still) brush.area(n, start, count, fade(look.color, FILL));
    const hatched = look.still && shape.filled && !shape.dashed;
    const middle = shape.closed && hatched ? middleOf(n, start, count) : null;
    for (let j = start; j + 3 < start + count; j += 2) {
        brush.stroke(n[j], n[j + 1], n[j + 2], n[j + 3], width, look.color, shape.dashed ? DASH : 0);
        if (!hatched) continue;
        const free = middle ? { x: 2 * n[j] - middle.x, y: 2 * n[j + 1] - middle.y } : look.free;
        drawStripes(brush, { x: n[j], y: n[j + 1] }, { x: n[j + 2], y: n[j + 3] }, { ...look, free });
    }
}

export function drawShape(brush: Brush, shape: Shape, n: ArrayLike<number>, look: Look1): void {
    const { start: s } = shape;
    const { color, pixel } = look;
    const width = shape.width || LINE;
    const hatched = look.still && shape.filled;
    const fill = !shape.filled ? NOTHING : hatched ? fade(color, 0.55) : fade(color, FILL);
    const flags = (hatched ? HATCH : 0) | (shape.dashed ? DASH : 0);
    switch (shape.kind) {
        case "circle":
            brush.circle(n[s], n[s + 1], Math.max(n[s + 2], 2 * pixel), n[s + 3], width, fill, color,
                         flags | (look.spoke ? SPOKE : 0));
            break;
        case "box":
            brush.box(n[s], n[s + 1], n[s + 2], n[s + 3], n[s + 4], width, fill, color, flags);
            break;
        case "point":
            brush.circle(n[s], n[s + 1], POINT * pixel, 0, width, shape.filled ? color : NOTHING, color);
            break;
        case "line":
            drawLine(brush, shape, n, shape.width || LINE + 0.5, look);
            break;
        case "spring":
            drawSpring(brush, n, s, look.coil, width, color);
            break;
        case "text": // a label
            break;
    }
}
