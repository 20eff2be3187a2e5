// A trace of bodies in space: their shapes where the poses put them, and how contacts strike them.
import {
    BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Matrix4, Quaternion, Vector3, type Color, type Raycaster,
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
import { reachOf } from "./solids";
import { SUN, toColor, type Actor, type Extent, type Hit } from "./space_actor";
import { SpaceArrows } from "./space_arrows";
import { SpaceCones } from "./space_cones";
import { bodyOf, Crowd, Figure, makeShade, type Place } from "./space_crowd";

const PATH = 400; // points of a way
const MOST_PATHS = 12; // bodies; more would hide them
const MOST_ARROWS = 8;
const MOST_FORCES = 64;
const MANY = 150; // moving bodies, from which on they are drawn together
const ABOVE = 1e-3; // of the size: shadows over the floor
const SMALL = 1e-3; // of the largest force: none

const NONE = (rows: number): Table => ({ rows, columns: 0, names: [], units: [], values: new Float32Array(0) });

/** A body on the stage: drawn by itself, or one of a crowd. */
interface Role {
    readonly body: Body;
    readonly figure: Figure | null;
    readonly path: Line | null;
}

export class BodiesActor implements Actor {
    readonly group = new Group();
    readonly size: number;
    private readonly ground: number; // the body that is a plane lying flat: drawn as lines; -1: none
    private readonly roles: Role[];
    private readonly places: Place[];
    private readonly crowd: Crowd | null;
    private readonly shadows = new Group();
    private picked: number | null = null;
    private readonly track: Track;
    private readonly numbers: Float32Array;
    private readonly ropes: { readonly body: number; readonly rope: Rope; readonly line: Line }[] = [];
    private readonly twine = new LineBasicMaterial();
    private readonly impulses = new SpaceArrows(MOST_ARROWS);
    private readonly forces = new SpaceArrows(MOST_FORCES, 0.6);
    private readonly cones = new SpaceCones(MOST_FORCES);
    private readonly contactPlaces: Track;
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
        const moving = bodies.flatMap(({ fixed }, k) => (fixed ? [] : [k]));
        const shade = makeShade();
        this.ground = bodies.findIndex((body, k) => this.liesFlat(body, k));
        this.places = bodies.map(() => ({ position: new Vector3(), quaternion: new Quaternion() }));
        this.crowd = moving.length > MANY ? new Crowd(bodies, moving, shade) : null;
        this.roles = bodies.map((body, k) => ({
            body,
            figure: this.crowd && !body.fixed ? null : new Figure(body, k, far, shade, k !== this.ground),
            path: body.fixed || moving.length > MOST_PATHS ? null : this.makePath(k),
        }));
        this.gather();
        bodies.forEach((body, k) => body.ropes.forEach((rope) => this.addRope(k, rope)));
        const largest = ({ values }: Table): number => values.reduce((most, x) => (x > most ? x : most), 0);
        this.largestImpulse = largest(impacts.impulse);
        this.largestForce = largest(trace.force);
        this.contactPlaces = new Track([{ t: impacts.t, table: impacts.at }, { t: trace.t, table: trace.at }]);
        this.at = new Float32Array(trace.at.columns);
        this.group.add(this.impulses.group, this.forces.group, this.cones.group);
    }

    /** Everything that is drawn of the bodies; shadows where there is a floor. */
    private gather(): void {
        for (const { figure, path } of this.roles) {
            if (figure) this.group.add(figure.group);
            if (figure) this.shadows.add(figure.shadow);
            if (path) this.group.add(path);
        }
        if (this.crowd) {
            this.group.add(this.crowd.group);
            this.shadows.add(this.crowd.shadow);
        }
        this.shadows.matrixAutoUpdate = false;
        if (this.ground >= 0) this.group.add(this.shadows);
    }

    /** Is the body a fixed plane that lies flat all the time? It may move. */
    private liesFlat({ fixed, solids }: Body, k: number): boolean {
        const [solid] = solids;
        if (!fixed || solids.length !== 1 || solid.kind !== "plane") return false;
        const { values, columns, rows } = this.trace.pose;
        const normal = new Vector3(solid.normal[0], solid.normal[1], solid.normal[2]).normalize();
        for (let row = 0; row < rows; row++) {
            const [w, x, y, z] = values.subarray(row * columns + POSE * k + 3, row * columns + POSE * (k + 1));
            if (!(normal.clone().applyQuaternion(new Quaternion(x, y, z, w)).z > 0.9999)) return false;
        }
        return true;
    }

    /** A point of the floor that is drawn as lines, as it is now. */
    floorAt(): Vector3 | null {
        if (this.ground < 0) return null;
        const { position, quaternion } = this.places[this.ground];
        const [x, y, z] = this.trace.bodies[this.ground].solids[0].at;
        return new Vector3(x, y, z).applyQuaternion(quaternion).add(position);
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
            const [own, other] = [this.places[body], rope.to === null ? null : this.places[rope.to]];
            const place = ([x, y, z]: readonly number[], of: Place | null): Vector3 => {
                const point = new Vector3(x, y, z);
                return of ? point.applyQuaternion(of.quaternion).add(of.position) : point;
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
        return this.roles.map(({ body }) => body.name);
    }

    placeOf(k: number): Vector3 | null {
        return this.places[k]?.position ?? null;
    }

    /** The body under a ray, and how far away: the nearest that moves rather than the walls before it. */
    pick(ray: Raycaster): Hit | null {
        const targets = [...this.roles.flatMap(({ figure }) => figure?.targets ?? []), ...this.crowd?.targets ?? []];
        const hits = ray.intersectObjects(targets, false)
            .map(({ object, instanceId, distance }) => ({ body: bodyOf(object, instanceId), distance }));
        return hits.find(({ body }) => !this.roles[body].body.fixed) ?? hits[0] ?? null;
    }

    /** The body that is marked; paint shows it. */
    mark(body: number | null): void {
        this.picked = body;
    }

    setShadows(shown: boolean): void {
        this.shadows.visible = shown;
    }

    paint(theme: Theme, own: Rgba, alone: boolean): void {
        let rank = 0;
        const colors = this.roles.map(({ body }, k): Color => {
            const given = body.color ? parseColor(body.color) : null;
            const color = given ?? (body.fixed ? theme.ground : alone ? theme.traces[rank % theme.traces.length] : own);
            if (!body.fixed) rank++;
            return toColor(k === this.picked ? theme.impact : color);
        });
        this.roles.forEach(({ body, figure, path }, k) => {
            figure?.paint(colors[k], toColor(body.fixed ? theme.ground : theme.background));
            (path?.material as LineBasicMaterial | undefined)?.color.copy(colors[k]);
        });
        this.crowd?.paint((k) => colors[k]);
        this.twine.color.copy(toColor(theme.ground));
        this.impulses.paint(theme.impact);
        this.forces.paint(theme.force);
        this.cones.paint(theme.force);
    }

    move({ t, arrows, trails, cones, fading }: Frame): void {
        this.track.sample(t, this.numbers);
        this.roles.forEach(({ figure, path }, k) => {
            const n = this.numbers.subarray(POSE * k, POSE * (k + 1));
            this.places[k].position.set(n[0], n[1], n[2]);
            this.places[k].quaternion.set(n[4], n[5], n[6], n[3]).normalize();
            figure?.move(this.places[k]);
            if (path) path.visible = trails;
        });
        this.crowd?.move(this.places);
        this.flatten();
        this.moveRopes();
        const recent = arrows ? recentImpacts(this.trace.impacts.t, t, fading).pop() : undefined;
        this.showImpulses(recent ? recent.impact : -1);
        this.showForces(arrows || cones ? t : null, arrows, cones);
    }

    /** Shadows: everything along the light onto the floor. */
    private flatten(): void {
        const z = this.floorAt()?.z;
        if (z === undefined) return;
        const [a, b] = [SUN.x / SUN.z, SUN.y / SUN.z];
        this.shadows.matrix.copy(new Matrix4().set(1, 0, -a, a * z, 0, 1, -b, b * z, 0, 0, 0, z + ABOVE * this.size, 0, 0, 0, 1));
        this.shadows.matrixWorldNeedsUpdate = true;
    }

    /** Where a contact is and where it pushes, if it says so. */
    private sightOf(contact: number, numbers: Float32Array): { at: Vector3; toward: Vector3 } | null {
        const info = this.trace.contacts[contact];
        if (info?.at?.count !== 3 || !info.toward) return null;
        const read = (start: number): Vector3 => new Vector3(...numbers.subarray(start, start + 3));
        return { at: read(info.at.start), toward: read(info.toward.start) };
    }

    /** Normal forces in contacts that last, as they were at the row before, and their cones. */
    private showForces(t: number | null, arrows: boolean, cones: boolean): void {
        this.forces.clear();
        this.cones.clear();
        const { force, contacts } = this.trace;
        if (t === null || !(this.largestForce > 0) || !this.at.length) return;
        this.contactPlaces.sample(t, this.at);
        const row = Math.max(countUpTo(this.trace.t, t) - 1, 0);
        for (let j = 0; j < force.columns; j++) {
            const share = force.values[row * force.columns + j] / this.largestForce;
            const sight = share > SMALL ? this.sightOf(j, this.at) : null;
            if (sight && cones) this.cones.show(sight.at, sight.toward, contacts[j].friction, 0.8 * this.size);
            if (sight && arrows) this.forces.show(sight.at, sight.toward, this.size * (0.3 + Math.sqrt(share)));
        }
    }

    /** An arrow for each contact that an impact struck. */
    private showImpulses(impact: number): void {
        const { at, detailed } = this.trace.impacts;
        this.impulses.clear();
        if (impact < 0 || impact >= detailed) return;
        const numbers = at.values.subarray(impact * at.columns, (impact + 1) * at.columns);
        for (const { contact, value } of impulsesOf(this.trace, impact)) {
            const sight = this.sightOf(contact, numbers);
            if (sight)
                this.impulses.show(sight.at, sight.toward, this.size * (0.6 + 1.4 * Math.sqrt(value / this.largestImpulse)));
        }
    }
}

/** Where moving bodies go; fixed ones are taken in where they are no larger than that. */
export function bodiesExtent({ bodies, pose }: Trace, extent: Extent): void {
    const reaches = bodies.map(({ solids }) => Math.max(0, ...solids.map(reachOf)));
    const take = (k: number): void => {
        for (let row = 0; row < pose.rows; row++)
            extent.add(pose.values[row * pose.columns + POSE * k], pose.values[row * pose.columns + POSE * k + 1],
                       pose.values[row * pose.columns + POSE * k + 2], reaches[k]);
    };
    bodies.forEach(({ fixed, ropes }, k) => {
        if (fixed) return;
        for (const { to, there: [x, y, z] } of ropes) if (to === null) extent.add(x, y, z);
        take(k);
    });
    const { size } = extent;
    bodies.forEach(({ fixed }, k) => {
        if (fixed && reaches[k] > 0 && reaches[k] <= size) take(k);
    });
}
