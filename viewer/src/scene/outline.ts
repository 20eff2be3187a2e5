// Shapes as corners (with a radius) and edges: where they are, how large, where two of them touch.
import type { Shape } from "../data/trace";

export interface Point {
    readonly x: number;
    readonly y: number;
}

/** Corners with a common radius (0 but for circles), and edges as pairs of corners. */
export interface Outline {
    readonly corners: readonly Point[];
    readonly radius: number;
    readonly edges: readonly (readonly [Point, Point])[];
}

export interface Touch {
    readonly at: Point;
    readonly normal: Point; // of unit length
    readonly miss: number; // how far from touching
}

const pairs = (points: readonly Point[]): (readonly [Point, Point])[] =>
    points.slice(1).map((point, k) => [points[k], point] as const);

/** The four corners of a box of which x, y, width, height, angle are given. */
export function boxCorners(n: ArrayLike<number>, at: number): Point[] {
    const c = Math.cos(n[at + 4]);
    const s = Math.sin(n[at + 4]);
    return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([i, j]) => {
        const dx = (i * n[at + 2]) / 2;
        const dy = (j * n[at + 3]) / 2;
        return { x: n[at] + c * dx - s * dy, y: n[at + 1] + s * dx + c * dy };
    });
}

export function outlineOf(shape: Shape, n: ArrayLike<number>): Outline {
    const { kind, start } = shape;
    if (kind === "circle")
        return { corners: [{ x: n[start], y: n[start + 1] }], radius: n[start + 2], edges: [] };
    if (kind === "box") {
        const corners = boxCorners(n, start);
        return { corners, radius: 0, edges: pairs([...corners, corners[0]]) };
    }
    const corners = Array.from({ length: shape.count >> 1 }, (_, k) => ({
        x: n[start + 2 * k],
        y: n[start + 2 * k + 1],
    }));
    return { corners, radius: 0, edges: kind === "line" ? pairs(corners) : [] };
}

function nearest(p: Point, [a, b]: readonly [Point, Point]): Point {
    const dx = b.x - a.x;
    const dy = b.y - a.y;
    const length = dx * dx + dy * dy;
    const s = length > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length : 0;
    const inside = Math.min(Math.max(s, 0), 1);
    return { x: a.x + inside * dx, y: a.y + inside * dy };
}

function towards(from: Point, to: Point, edge?: readonly [Point, Point]): Point {
    let x = to.x - from.x;
    let y = to.y - from.y;
    if (edge && Math.hypot(x, y) < 1e-6 * Math.hypot(edge[1].x - edge[0].x, edge[1].y - edge[0].y)) {
        x = edge[0].y - edge[1].y; // on the edge: across it
        y = edge[1].x - edge[0].x;
    }
    const length = Math.hypot(x, y) || 1;
    return { x: x / length, y: y / length };
}

/** Corners of a on edges and round corners of b; normals point to a's corner or along it. */
function cornersOn(a: Outline, b: Outline, near: number, touches: Touch[]): void {
    for (const corner of a.corners) {
        for (const edge of b.edges) {
            const at = nearest(corner, edge);
            const miss = Math.abs(Math.hypot(corner.x - at.x, corner.y - at.y) - a.radius);
            if (miss <= near) touches.push({ at, normal: towards(at, corner, edge), miss });
        }
    }
}

/** Where the outlines touch, within `near`; at most a few points. */
export function touchesOf(a: Outline, b: Outline, near: number): Touch[] {
    const touches: Touch[] = [];
    cornersOn(a, b, near, touches);
    cornersOn(b, a, near, touches);
    if (a.radius + b.radius > 0)
        for (const p of a.corners)
            for (const q of b.corners) {
                const apart = Math.hypot(p.x - q.x, p.y - q.y);
                const inner = a.radius > 0 && b.radius > 0 && apart < Math.max(a.radius, b.radius);
                // beside each other, or the smaller inside the larger
                const miss = Math.abs(apart - (inner ? Math.abs(a.radius - b.radius) : a.radius + b.radius));
                if (miss > near) continue;
                const out = towards(q, p);
                const reach = inner && b.radius < a.radius ? -b.radius : b.radius;
                touches.push({ at: { x: q.x + out.x * reach, y: q.y + out.y * reach },
                               normal: inner ? { x: -out.x, y: -out.y } : out, miss });
            }
    return touches.filter((touch, k) =>
        touches.findIndex((other) =>
            Math.hypot(other.at.x - touch.at.x, other.at.y - touch.at.y) <= 3 * near) === k);
}
