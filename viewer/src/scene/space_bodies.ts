// A trace of bodies in space: their shapes where the poses put them, and how contacts strike them.
import {
    BufferAttribute, BufferGeometry, DoubleSide, Group, Line, LineBasicMaterial, LineSegments, Mesh,
    MeshLambertMaterial, Quaternion, Vector3,
} from "three";
import { POSE, type Body, type Rope } from "../data/bodies";
import { impulsesOf } from "../data/impulses";
import { countUpTo } from "../data/search";
import { Track } from "../data/track";
import type { Table, Trace } from "../data/trace";
import type { Rgba } from "./brush";
import { parseColor, type Theme } from "./colors";
import type { Frame } from "./plane";
import { recentImpacts } from "./recent";
import { modelOf, reachOf } from "./solids";
import { toColor, type Actor, type Extent } from "./space_actor";
import { SpaceArrows } from "./space_arrows";

const PATH = 400; // points of a way
const MOST_PATHS = 12; // bodies; more would hide them
const MOST_ARROWS = 8;
const MOST_FORCES = 24;
const SMALL = 1e-3; // of the largest force: none

const NONE = (rows: number): Table => ({ rows, columns: 0, names: [], values: new Float32Array(0) });

/** A body on the stage. */
interface Figure {
    readonly body: Body;
    readonly group: Group;
    readonly skin: MeshLambertMaterial;
    readonly edge: LineBasicMaterial;
    readonly path: Line | null;
}

export class BodiesActor implements Actor {
    readonly group = new Group();
    readonly size: number;
    readonly floor: number | null; // of a plane that lies flat: drawn as lines
    private readonly figures: Figure[];
    private readonly track: Track;
    private readonly numbers: Float32Array;
    private readonly ropes: { readonly body: number; readonly rope: Rope; readonly line: Line }[] = [];
    private readonly twine = new LineBasicMaterial();
    private readonly impulses = new SpaceArrows(MOST_ARROWS);
    private readonly forces = new SpaceArrows(MOST_FORCES, 0.6);
    private readonly places: Track;
    private readonly at: Float32Array;
    private readonly largestImpulse: number;
    private readonly largestForce: number;

    constructor(readonly trace: Trace, extent: number) {
        const { bodies, impacts, pose } = trace;
        this.track = new Track([{ t: impacts.t, table: impacts.pose ?? NONE(impacts.detailed) }, { t: trace.t, table: pose }]);
        this.numbers = new Float32Array(pose.columns);
        const sizes = bodies.filter(({ fixed }) => !fixed)
            .map(({ solids }) => Math.max(0, ...solids.map(reachOf)));
        this.size = Math.max(...sizes, 0.02 * extent) || 1;
        const far = 4 * Math.max(extent, this.size);
        const few = bodies.filter(({ fixed }) => !fixed).length <= MOST_PATHS;
        this.floor = bodies.reduce<number | null>((found, body, k) => found ?? this.flatPlane(body, k), null);
        this.figures = bodies.map((body, k) => this.makeFigure(body, k, far, few));
        bodies.forEach((body, k) => body.ropes.forEach((rope) => this.addRope(k, rope)));
        const largest = ({ values }: Table): number => values.reduce((most, x) => (x > most ? x : most), 0);
        this.largestImpulse = largest(impacts.impulse);
        this.largestForce = largest(trace.force);
        this.places = new Track([{ t: impacts.t, table: impacts.at }, { t: trace.t, table: trace.at }]);
        this.at = new Float32Array(trace.at.columns);
        this.group.add(this.impulses.group, this.forces.group);
    }

    /** The height of a fixed plane that lies flat from the start, null where the body is none. */
    private flatPlane({ fixed, solids }: Body, k: number): number | null {
        const [solid] = solids;
        if (!fixed || solids.length !== 1 || solid.kind !== "plane") return null;
        const [, , z, w, qx, qy, qz] = this.trace.pose.values.subarray(POSE * k, POSE * (k + 1));
        const up = new Vector3(solid.normal[0], solid.normal[1], solid.normal[2]).normalize()
            .applyQuaternion(new Quaternion(qx, qy, qz, w));
        return up.z > 0.9999 ? z + solid.at[2] : null;
    }

    private makeFigure(body: Body, k: number, far: number, few: boolean): Figure {
        const group = new Group();
        const skin = new MeshLambertMaterial({ polygonOffset: true, polygonOffsetFactor: 1,
            polygonOffsetUnits: 1, side: DoubleSide, transparent: body.fixed, opacity: body.fixed ? 0.35 : 1 });
        const edge = new LineBasicMaterial();
        for (const solid of this.flatPlane(body, k) === this.floor && this.floor !== null ? [] : body.solids) {
            const { skin: surface, edges } = modelOf(solid, far);
            group.add(new Mesh(surface, skin));
            if (edges) group.add(new LineSegments(edges, edge));
        }
        const path = body.fixed || !few ? null : this.makePath(k);
        this.group.add(group);
        if (path) this.group.add(path);
        return { body, group, skin, edge, path };
    }

    private addRope(body: number, rope: Rope): void {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(new Float32Array(6), 3));
        const line = new Line(geometry, this.twine);
        line.frustumCulled = false; // it moves, and its bounds are not kept
        this.ropes.push({ body, rope, line });
        this.group.add(line);
    }

    private moveRopes(): void {
        for (const { body, rope, line } of this.ropes) {
            const ends = line.geometry.getAttribute("position") as BufferAttribute;
            const [own, other] = [this.figures[body].group, rope.to === null ? null : this.figures[rope.to].group];
            const place = ([x, y, z]: readonly number[], group: Group | null): Vector3 => {
                const point = new Vector3(x, y, z);
                return group ? point.applyQuaternion(group.quaternion).add(group.position) : point;
            };
            ends.setXYZ(0, ...place(rope.at, own).toArray());
            ends.setXYZ(1, ...place(rope.there, other).toArray());
            ends.needsUpdate = true;
        }
    }

    private makePath(k: number): Line {
        const { values, columns, rows } = this.trace.pose;
        const stride = Math.max(1, Math.ceil(rows / PATH));
        const points: number[] = [];
        for (let row = 0; row < rows; row += stride)
            points.push(...values.subarray(row * columns + POSE * k, row * columns + POSE * k + 3));
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
        return new Line(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.5 }));
    }

    names(): string[] {
        return this.figures.map(({ body }) => body.name);
    }

    placeOf(k: number): Vector3 | null {
        return this.figures[k]?.group.position ?? null;
    }

    paint(theme: Theme, own: Rgba, alone: boolean): void {
        let rank = 0;
        for (const { body, skin, edge, path } of this.figures) {
            const given = body.color ? parseColor(body.color) : null;
            const color = given ?? (body.fixed ? theme.ground : alone ? theme.traces[rank % theme.traces.length] : own);
            if (!body.fixed) rank++;
            skin.color.copy(toColor(color));
            edge.color.copy(toColor(body.fixed ? theme.ground : theme.background));
            (path?.material as LineBasicMaterial | undefined)?.color.copy(toColor(color));
        }
        this.twine.color.copy(toColor(theme.ground));
        this.impulses.paint(theme.impact);
        this.forces.paint(theme.force);
    }

    move({ t, arrows, trails, fading }: Frame): void {
        this.track.sample(t, this.numbers);
        this.figures.forEach(({ group, path }, k) => {
            const n = this.numbers.subarray(POSE * k, POSE * (k + 1));
            group.position.set(n[0], n[1], n[2]);
            group.quaternion.set(n[4], n[5], n[6], n[3]).normalize();
            if (path) path.visible = trails;
        });
        this.moveRopes();
        const recent = arrows ? recentImpacts(this.trace.impacts.t, t, fading).pop() : undefined;
        this.showImpulses(recent ? recent.impact : -1);
        this.showForces(arrows ? t : null);
    }

    /** An arrow where a contact is, if it says where that is and where it pushes. */
    private show(arrows: SpaceArrows, contact: number, numbers: Float32Array, length: number): void {
        const info = this.trace.contacts[contact];
        if (info?.at?.count !== 3 || !info.toward) return;
        const read = (start: number): Vector3 => new Vector3(...numbers.subarray(start, start + 3));
        arrows.show(read(info.at.start), read(info.toward.start), length);
    }

    /** Normal forces in contacts that last, as they were at the row before. */
    private showForces(t: number | null): void {
        this.forces.clear();
        const { force } = this.trace;
        if (t === null || !(this.largestForce > 0) || !this.at.length) return;
        this.places.sample(t, this.at);
        const row = Math.max(countUpTo(this.trace.t, t) - 1, 0);
        for (let j = 0; j < force.columns; j++) {
            const share = force.values[row * force.columns + j] / this.largestForce;
            if (share > SMALL) this.show(this.forces, j, this.at, this.size * (0.3 + Math.sqrt(share)));
        }
    }

    /** An arrow for each contact that an impact struck. */
    private showImpulses(impact: number): void {
        const { at, detailed } = this.trace.impacts;
        this.impulses.clear();
        if (impact < 0 || impact >= detailed) return;
        const numbers = at.values.subarray(impact * at.columns, (impact + 1) * at.columns);
        for (const { contact, value } of impulsesOf(this.trace, impact))
            this.show(this.impulses, contact, numbers, this.size * (0.6 + 1.4 * Math.sqrt(value / this.largestImpulse)));
    }
}

/** Where moving bodies go. */
export function bodiesExtent({ bodies, pose }: Trace, extent: Extent): void {
    bodies.forEach(({ fixed, solids }, k) => {
        if (fixed) return;
        for (const { to, there: [x, y, z] } of bodies[k].ropes) if (to === null) extent.add(x, y, z);
        const reach = Math.max(0, ...solids.map(reachOf));
        for (let row = 0; row < pose.rows; row++)
            extent.add(pose.values[row * pose.columns + POSE * k], pose.values[row * pose.columns + POSE * k + 1],
                       pose.values[row * pose.columns + POSE * k + 2], reach);
    });
}
