// Bodies of a trace with their shapes, checked; where they are stands in the table of poses.
import { DataError } from "./base64";

export type SolidKind =
    "sphere" | "box" | "capsule" | "cylinder" | "hull" | "plane" | "mesh" | "heights" | "round";

/** A shape in its body. Lengths along z for capsules and cylinders, as in scene files. */
export interface Solid {
    readonly kind: SolidKind;
    readonly size: readonly number[]; // as in the scene; heights: distances of columns and rows
    readonly radius: number; // rounding
    readonly normal: readonly number[]; // of a plane
    readonly points: readonly number[]; // three for each point
    readonly triangles: readonly number[]; // three for each triangle
    readonly rows: number; // of heights
    readonly columns: number;
    readonly heights: readonly number[];
    readonly at: readonly number[];
    readonly turn: readonly number[]; // w, x, y, z
}

/** A rope from a point of a body to one of another (null: of the world). */
export interface Rope {
    readonly at: readonly number[];
    readonly to: number | null;
    readonly there: readonly number[];
}

export interface Body {
    readonly name: string;
    readonly fixed: boolean;
    readonly color: string | null;
    readonly solids: readonly Solid[];
    readonly ropes: readonly Rope[];
}

/** Numbers of a pose: x, y, z, qw, qx, qy, qz. */
export const POSE = 7;

const KINDS = new Set(["sphere", "box", "capsule", "cylinder", "hull", "plane", "mesh", "heights"]);

function numbers(value: unknown): number[] {
    return Array.isArray(value) ? value.map((item) => (typeof item === "number" ? item : NaN)) : [];
}

function readSolid(value: unknown, whose: string): Solid {
    const json = (value ?? {}) as Record<string, unknown>;
    const known = KINDS.has(json.kind as string);
    // Kinds that the page does not know bring their surface along.
    if (!known && !(Array.isArray(json.triangles) && json.triangles.length > 0))
        throw new DataError(`${whose} has a shape of an unknown kind: ${String(json.kind)}`);
    const count = (item: unknown): number => (typeof item === "number" && item > 0 ? item : 0);
    const at = numbers(json.at);
    const turn = numbers(json.turn);
    return {
        kind: known ? (json.kind as SolidKind) : json.smooth === false ? "mesh" : "round",
        size: numbers(json.size),
        radius: count(json.radius),
        normal: numbers(json.normal),
        points: numbers(json.points),
        triangles: numbers(json.triangles),
        rows: count(json.rows),
        columns: count(json.columns),
        heights: numbers(json.heights),
        at: at.length === 3 ? at : [0, 0, 0],
        turn: turn.length === 4 ? turn : [1, 0, 0, 0],
    };
}

function readRope(value: unknown, bodies: number): Rope[] {
    const json = (value ?? {}) as Record<string, unknown>;
    const [at, there] = [numbers(json.at), numbers(json.there)];
    const to = typeof json.to === "number" ? json.to : null;
    return at.length === 3 && there.length === 3 && (to === null || (Number.isInteger(to) && to >= 0 && to < bodies))
        ? [{ at, to, there }] : [];
}

export function readBodies(value: unknown, columns: number): Body[] {
    if (!Array.isArray(value)) return [];
    if (value.length * POSE !== columns)
        throw new DataError(`${value.length} bodies need ${value.length * POSE} numbers, the rows have ${columns}`);
    return value.map((item, k) => {
        const json = (item ?? {}) as Record<string, unknown>;
        const name = typeof json.name === "string" ? json.name : `body ${k + 1}`;
        return {
            name,
            fixed: json.fixed === true,
            color: typeof json.colour === "string" ? json.colour : null,
            solids: (Array.isArray(json.shapes) ? json.shapes : []).map((solid) => readSolid(solid, name)),
            ropes: (Array.isArray(json.ropes) ? json.ropes : []).flatMap((rope) => readRope(rope, value.length)),
        };
    });
}
