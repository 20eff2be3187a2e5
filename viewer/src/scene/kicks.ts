// The arrows of an impact: where shapes touch and how their velocities jump there.
import { impulsesOf } from "../data/impulses";
import type { Trace } from "../data/trace";
import { outlineOf, touchesOf, type Outline, type Point, type Touch } from "./outline";

export interface Arrow {
    readonly at: Point;
    readonly direction: Point | null; // of unit length; null: not known
    readonly size: number; // 0 ... 1, of the largest
}

const NEAR = 2e-2; // of a body's size: as good as touching
const NEAREST = 1e-5; // of the picture's: rounding
const SMALL = 1e-3; // of the largest jump: not worth an arrow
const MOST = 64; // arrows of one impact

interface Body {
    readonly outline: Outline;
    readonly points: readonly Point[]; // the jumps of its centre, or of a line's points
    readonly turn: number; // the jump of its rate of rotation
    readonly kick: Point; // of the centre
    readonly size: number;
}

function mean(points: readonly Point[]): Point {
    const sum = points.reduce((s, p) => ({ x: s.x + p.x, y: s.y + p.y }), { x: 0, y: 0 });
    return { x: sum.x / points.length, y: sum.y / points.length };
}

function readBodies(trace: Trace, impact: number): Body[] {
    const { draw, kick } = trace.impacts;
    const place = draw.values.subarray(impact * draw.columns, (impact + 1) * draw.columns);
    const jump = kick.values.subarray(impact * kick.columns, (impact + 1) * kick.columns);
    return trace.shapes.map((shape) => {
        const flat = shape.kind === "circle" || shape.kind === "box" || shape.kind === "point";
        const { start, count } = shape;
        const points = Array.from({ length: flat ? 1 : count >> 1 }, (_, k) => ({
            x: jump[start + 2 * k],
            y: jump[start + 2 * k + 1],
        }));
        const centre = mean(points);
        const angle = { circle: 3, box: 4 }[shape.kind as string];
        return {
            outline: outlineOf(shape, place),
            points,
            turn: angle === undefined ? 0 : jump[start + angle],
            kick: centre,
            size: Math.hypot(centre.x, centre.y) || 0,
        };
    });
}

/** The jump of the velocity of the body's matter at a place. */
function jumpAt({ outline, points, turn }: Body, at: Point): Point {
    if (points.length === 1) {
        const c = mean(outline.corners);
        return { x: points[0].x - turn * (at.y - c.y), y: points[0].y + turn * (at.x - c.x) };
    }
    const share = outline.edges.map(([a, b]) => {
        const to = Math.hypot(at.x - a.x, at.y - a.y);
        const length = Math.hypot(b.x - a.x, b.y - a.y);
        return { s: length > 0 ? Math.min(to / length, 1) : 0,
                 detour: to + Math.hypot(b.x - at.x, b.y - at.y) - length };
    });
    const k = share.reduce((best, { detour }, j) => (detour < share[best].detour ? j : best), 0);
    const { s } = share[k];
    const [a, b] = [points[k], points[k + 1]];
    return { x: a.x + s * (b.x - a.x), y: a.y + s * (b.y - a.y) };
}

/** Whether something has happened where two bodies touch: a joint moves with both. */
function isStruck(a: Body, b: Body, { at, normal }: Touch): boolean {
    const [u, v] = [jumpAt(a, at), jumpAt(b, at)];
    const across = (u.x - v.x) * normal.x + (u.y - v.y) * normal.y;
    return Math.abs(across) > 0.02 * Math.max(a.size, b.size);
}

/** How far its outline may be from another one that it touches. */
function nearness({ outline: { corners, radius } }: Body, pictureSize: number): number {
    const centre = mean(corners);
    const reach = Math.max(radius, ...corners.map((p) => Math.hypot(p.x - centre.x, p.y - centre.y)));
    return Math.max(NEAREST * pictureSize, NEAR * (reach || 0.1 * pictureSize));
}

/** Arrows on one body: along its jump when it touches once, along the normals otherwise. */
function arrowsOn(body: Body, touches: readonly Touch[], largest: number): Arrow[] {
    const along = { x: body.kick.x / body.size, y: body.kick.y / body.size };
    const size = largest > 0 ? body.size / largest : 0;
    if (touches.length === 1) return [{ at: touches[0].at, direction: along, size }];
    return touches.flatMap(({ at, normal }) => {
        const part = normal.x * along.x + normal.y * along.y;
        if (Math.abs(part) < 0.05) return [];
        const sign = Math.sign(part);
        const direction = { x: sign * normal.x, y: sign * normal.y };
        return [{ at, direction, size: (size * Math.abs(part)) / touches.length }];
    });
}

/** The arrows of an impact in a picture of the given size, where contacts do not say where they are:
 * found from the shapes that touch. largestKick: of all impacts. */
export function arrowsOf(trace: Trace, impact: number, pictureSize: number,
                         largestKick: number): Arrow[] {
    const { draw, kick } = trace.impacts;
    if (!draw.columns || !kick.columns || impact >= trace.impacts.detailed) return [];
    if (impulsesOf(trace, impact).length === 0) return [];
    const solid = (k: number): boolean => !["spring", "text"].includes(trace.shapes[k].kind);
    const all = readBodies(trace, impact);
    const bodies = all.filter((_, k) => solid(k));
    const round = new Set(all.filter((_, k) => trace.shapes[k].kind !== "line"));
    const largest = Math.max(0, ...bodies.map((body) => body.size));
    const moved = bodies.filter((body) => body.size > SMALL * largest);
    const arrows: Arrow[] = [];
    for (const body of moved.slice(0, MOST)) {
        const near = nearness(body, pictureSize);
        const touches = bodies.flatMap((other) =>
            other === body ? [] : touchesOf(body.outline, other.outline, near)
                .filter((touch) => isStruck(body, other, touch)));
        const closest = Math.min(...touches.map(({ miss }) => miss));
        const least = 3 * closest + NEAREST * pictureSize;
        arrows.push(...arrowsOn(body, touches.filter(({ miss }) => miss <= least), largestKick));
    }
    if (arrows.length) return arrows.slice(0, MOST);
    return moved // nothing drawn touches them: at the bodies themselves
        .filter((body) => body.size > 0.3 * largest && round.has(body))
        .slice(0, MOST)
        .map((body) => ({
            at: mean(body.outline.corners),
            direction: { x: body.kick.x / body.size, y: body.kick.y / body.size },
            size: largestKick > 0 ? body.size / largestKick : 0,
        }));
}
