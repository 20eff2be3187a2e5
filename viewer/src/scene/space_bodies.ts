// A trace of bodies in space: their shapes where the poses put them, and how contacts strike them.
import {
    BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, DoubleSide, Group, Line,
    LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshLambertMaterial, Quaternion, Vector3,
} from "three";
import { POSE, type Body } from "../data/bodies";
import { impulsesOf } from "../data/impulses";
import { Track } from "../data/track";
import type { Table, Trace } from "../data/trace";
import type { Rgba } from "./brush";
import { parseColor, type Theme } from "./colors";
import type { Frame } from "./plane";
import { recentImpacts } from "./recent";
import { modelOf, reachOf } from "./solids";
import { toColor, type Actor, type Extent } from "./space_actor";

const PATH = 400; // points of a way
const MOST_PATHS = 12; // bodies; more would hide them
const MOST_ARROWS = 8;

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
    private readonly flash = new MeshBasicMaterial({ depthTest: false, transparent: true });
    private readonly arrows: Group[] = [];
    private readonly largestImpulse: number;

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
        this.largestImpulse = impacts.impulse.values.reduce((most, x) => (x > most ? x : most), 0);
        for (let k = 0; k < MOST_ARROWS; k++) this.arrows.push(this.makeArrow());
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

    private makeArrow(): Group {
        const arrow = new Group();
        const shaft = new Mesh(new CylinderGeometry(0.03, 0.03, 0.75, 12).translate(0, 0.375, 0), this.flash);
        const tip = new Mesh(new ConeGeometry(0.09, 0.25, 20).translate(0, 0.875, 0), this.flash);
        shaft.renderOrder = tip.renderOrder = 2; // over everything
        arrow.add(shaft, tip);
        this.group.add(arrow);
        return arrow;
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
        this.flash.color.copy(toColor(theme.impact));
    }

    move({ t, arrows, trails, fading }: Frame): void {
        this.track.sample(t, this.numbers);
        this.figures.forEach(({ group, path }, k) => {
            const n = this.numbers.subarray(POSE * k, POSE * (k + 1));
            group.position.set(n[0], n[1], n[2]);
            group.quaternion.set(n[4], n[5], n[6], n[3]).normalize();
            if (path) path.visible = trails;
        });
        const recent = arrows ? recentImpacts(this.trace.impacts.t, t, fading).pop() : undefined;
        this.showArrows(recent ? recent.impact : -1);
    }

    /** An arrow for each contact of an impact that says where it is and where it pushes. */
    private showArrows(impact: number): void {
        const { at, detailed } = this.trace.impacts;
        for (const arrow of this.arrows) arrow.visible = false;
        if (impact < 0 || impact >= detailed) return;
        let used = 0;
        for (const { contact, value } of impulsesOf(this.trace, impact)) {
            const info = this.trace.contacts[contact];
            if (used === MOST_ARROWS || info?.at?.count !== 3 || !info.toward) continue;
            const read = (start: number): Vector3 =>
                new Vector3(...at.values.subarray(impact * at.columns + start, impact * at.columns + start + 3));
            const toward = read(info.toward.start);
            if (!(toward.length() > 0)) continue;
            const arrow = this.arrows[used++];
            arrow.visible = true;
            arrow.position.copy(read(info.at.start));
            arrow.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), toward.normalize()));
            arrow.scale.setScalar(this.size * (0.6 + 1.4 * Math.sqrt(value / this.largestImpulse)));
        }
    }
}

/** Where moving bodies go. */
export function bodiesExtent({ bodies, pose }: Trace, extent: Extent): void {
    bodies.forEach(({ fixed, solids }, k) => {
        if (fixed) return;
        const reach = Math.max(0, ...solids.map(reachOf));
        for (let row = 0; row < pose.rows; row++)
            extent.add(pose.values[row * pose.columns + POSE * k], pose.values[row * pose.columns + POSE * k + 1],
                       pose.values[row * pose.columns + POSE * k + 2], reach);
    });
}
