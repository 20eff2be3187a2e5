// The stage in space: rigid bodies over a floor, seen from an eye that can go round.
import {
    AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry,
    DirectionalLight, EdgesGeometry, Group, Line, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial,
    MeshLambertMaterial, PerspectiveCamera, Quaternion, Raycaster, Scene, SphereGeometry, Vector2, Vector3, type WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Track } from "../data/track";
import type { Trace } from "../data/trace";
import { findBodies, findContact, type BodyColumns, type Contact } from "./body";
import { Floor } from "./floor";
import { niceStep } from "./grid";
import type { Rgba } from "./brush";
import type { Theme } from "./colors";
import type { Panel } from "./panels";
import type { Followed, Frame, Look } from "./plane";
import { recentImpacts } from "./recent";
import { AMBIENT, Extent, SUN, SUNLIGHT, toColor, type Actor } from "./space_actor";
import { BodiesActor, bodiesExtent } from "./space_bodies";

const TRAIL = 400; // points
const CLICK = 4; // pixels that a pointer may move in a click
const LINES = 24; // of the floor, to each side
const DISC = 0.4; // radius of the disc that stands for a body with one point, of its distance from the centre

/** A body that was picked. */
export interface Picked {
    readonly trace: number;
    readonly body: number;
}

/** A trace that has coordinates x y z (and a quaternion) but does not tell shapes: its bodies, the path
 * of their centres, the arrow of the last impact. */
class PointsActor implements Actor {
    readonly group = new Group();
    readonly size: number;
    private readonly contact: Contact | null;
    private readonly bodies: BodyColumns[];
    private readonly meshes: Group[] = [];
    private readonly paths: Line[] = [];
    private readonly track: Track;
    private readonly numbers: Float32Array;
    private readonly skin = new MeshLambertMaterial({
        polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    });
    private readonly edge = new LineBasicMaterial();
    private readonly path = new LineBasicMaterial({ transparent: true, opacity: 0.5 });
    private readonly flash = new MeshBasicMaterial({ depthTest: false, transparent: true });
    private readonly arrow = new Group();
    private readonly shaft = new Mesh(new CylinderGeometry(1, 1, 1, 12), this.flash);
    private readonly tip = new Mesh(new ConeGeometry(1, 1, 20), this.flash);
    private readonly largestKick: number;

    constructor(readonly trace: Trace, extent: number) {
        const { position, impacts } = trace;
        this.bodies = findBodies(position.names);
        const { instants } = trace;
        this.track = new Track([{ t: instants.t, table: instants.positionBefore },
                                { t: instants.t, table: instants.position },
                                { t: impacts.t, table: impacts.position }, { t: trace.t, table: position }]);
        this.numbers = new Float32Array(position.columns);
        this.contact = findContact(trace, this.bodies[0]);
        const p = this.contact?.point;
        this.size = p ? Math.hypot(...p) : 0.08 * extent || 1;
        for (const body of this.bodies) {
            this.meshes.push(this.makeBody(body));
            this.paths.push(this.makePath(body));
        }
        this.group.add(...this.meshes, ...this.paths);
        this.arrow.add(this.shaft, this.tip);
        this.shaft.renderOrder = this.tip.renderOrder = 2; // over everything
        this.group.add(this.arrow);
        this.largestKick = this.findLargestKick();
    }

    private makeBody(body: BodyColumns): Group {
        const group = new Group();
        const { size } = this;
        if (!body.turn) {
            group.add(new Mesh(new SphereGeometry(size / 2, 24, 16), this.skin));
            return group;
        }
        if (this.contact) {
            group.add(this.makeTop(new Vector3(...this.contact.point)));
            return group;
        }
        const box = new BoxGeometry(1.2 * size, 0.9 * size, 0.6 * size);
        group.add(new Mesh(box, this.skin), new LineSegments(new EdgesGeometry(box), this.edge));
        return group;
    }

    /** Of a body with one point nothing is known but its centre, how it is turned and the point: a disc about the
     * centre, crossed to see it turn, on a spike that ends there. */
    private makeTop(point: Vector3): Group {
        const group = new Group();
        const { size } = this;
        const disc = new CylinderGeometry(DISC * size, DISC * size, 0.06 * size, 48);
        const spike = new CylinderGeometry(0.03 * size, 0.008 * size, size).translate(0, size / 2, 0);
        const tip = new SphereGeometry(0.03 * size, 16, 12).translate(0, size, 0);
        const cross = new BufferGeometry();
        const ends = [-1, 1].flatMap((s) => [[-DISC, 0], [DISC, 0], [0, -DISC], [0, DISC]].map(([x, z]) =>
            new Vector3(x * size, 0.031 * s * size, z * size)));
        cross.setFromPoints(ends);
        const mark = new Mesh(tip, this.flash);
        mark.renderOrder = 2;
        group.add(new Mesh(disc, this.skin), new Mesh(spike, this.skin), mark,
                  new LineSegments(new EdgesGeometry(disc, 60), this.edge), new LineSegments(cross, this.edge));
        group.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), point.normalize());
        return group;
    }

    floorAt(): Vector3 | null {
        return this.contact ? new Vector3(0, 0, this.contact.floor) : null;
    }

    pick(): null {
        return null;
    }

    mark(): void {}

    setShadows(): void {}

    names(): string[] {
        const { names } = this.trace.position;
        return this.bodies.map(({ place }, k) =>
            names[place[0]].replace(/\.?x$/, "") || names[place[0]].replace(/^x/, "body ") || `body ${k + 1}`);
    }

    /** Where a body is, as drawn last. */
    placeOf(k: number): Vector3 | null {
        return this.meshes[k]?.position ?? null;
    }

    private makePath({ place }: BodyColumns): Line {
        const { values, columns, rows } = this.trace.position;
        const stride = Math.max(1, Math.ceil(rows / TRAIL));
        const points: number[] = [];
        for (let k = 0; k < rows; k += stride)
            points.push(...place.map((j) => values[k * columns + j]));
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
        return new Line(geometry, this.path);
    }

    private kick(impact: number): Vector3 {
        const { before, after } = this.trace.impacts;
        const jump = (j: number): number =>
            after.values[impact * after.columns + j] - before.values[impact * before.columns + j];
        return new Vector3(jump(0), jump(1), jump(2));
    }

    private findLargestKick(): number {
        const { detailed, after } = this.trace.impacts;
        let largest = 0;
        for (let k = 0; k < detailed && after.columns >= 3; k++)
            largest = Math.max(largest, this.kick(k).length() || 0);
        return largest;
    }

    paint(theme: Theme, own: Rgba): void {
        this.skin.color.copy(toColor(own));
        this.edge.color.copy(toColor(theme.background));
        this.path.color.copy(toColor(own));
        this.flash.color.copy(toColor(theme.impact));
    }

    move({ t, arrows, trails, fading }: Frame): void {
        for (const path of this.paths) path.visible = trails;
        this.track.sample(t, this.numbers);
        const n = this.numbers;
        this.bodies.forEach(({ place, turn }, k) => {
            const mesh = this.meshes[k];
            mesh.position.set(n[place[0]], n[place[1]], n[place[2]]);
            if (turn) mesh.quaternion.set(n[turn[1]], n[turn[2]], n[turn[3]], n[turn[0]]).normalize();
        });
        const recent = arrows ? recentImpacts(this.trace.impacts.t, t, fading).pop() : undefined;
        this.arrow.visible = recent !== undefined &&
            recent.impact < this.trace.impacts.detailed && this.largestKick > 0;
        if (recent && this.arrow.visible) this.showArrow(recent.impact);
    }

    private showArrow(impact: number): void {
        const { position } = this.trace.impacts;
        const { place, turn } = this.bodies[0];
        const at = (j: number): number => position.values[impact * position.columns + j];
        const origin = new Vector3(at(place[0]), at(place[1]), at(place[2]));
        if (turn && this.contact) {
            const q = new Quaternion(at(turn[1]), at(turn[2]), at(turn[3]), at(turn[0])).normalize();
            origin.add(new Vector3(...this.contact.point).applyQuaternion(q));
        }
        const kick = this.kick(impact);
        const share = Math.sqrt(kick.length() / this.largestKick);
        const length = this.size * (0.6 + 1.4 * share);
        this.arrow.position.copy(origin);
        this.arrow.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), kick.normalize());
        const head = 0.25 * this.size;
        this.shaft.scale.set(0.025 * this.size, length - head, 0.025 * this.size);
        this.shaft.position.y = (length - head) / 2;
        this.tip.scale.set(0.08 * this.size, head, 0.08 * this.size);
        this.tip.position.y = length - head / 2;
    }
}

function extentOf(traces: readonly Trace[]): Extent {
    const extent = new Extent();
    for (const trace of traces) {
        const { position } = trace;
        if (trace.bodies.length) bodiesExtent(trace, extent);
        else
            for (const { place: [x, y, z] } of findBodies(position.names))
                for (let k = 0; k < position.rows; k++) {
                    const row = position.values.subarray(k * position.columns, (k + 1) * position.columns);
                    extent.add(row[x], row[y], row[z]);
                }
    }
    return extent;
}

export class Space implements Look {
    private readonly scene = new Scene();
    private readonly camera = new PerspectiveCamera(40, 1, 0.01, 1000);
    private readonly controls: OrbitControls;
    private readonly actors: Actor[];
    private readonly centre: Vector3;
    private readonly reach: number;
    private readonly floor: Floor;
    private painted: unknown = null;
    private followed: number | null = null;

    constructor(traces: readonly Trace[], private readonly element: HTMLElement, changed: () => void,
                clicked: (x: number, y: number) => void) {
        const extent = extentOf(traces);
        const centre = this.centre = extent.centre;
        this.actors = traces.map((trace) => (trace.bodies.length ? new BodiesActor(trace, extent.size)
            : new PointsActor(trace, extent.size)));
        this.reach = Math.max(extent.size / 2, ...this.actors.map((actor) => 1.6 * actor.size));
        for (const actor of this.actors) this.scene.add(actor.group);
        this.floor = new Floor(centre.x, centre.y, 0, niceStep(this.reach / 4), LINES);
        this.floor.visible = this.actors[0].floorAt() !== null || !traces[0].bodies.length;
        this.scene.add(this.floor);
        const sun = new DirectionalLight(0xffffff, SUNLIGHT);
        sun.position.copy(SUN);
        this.scene.add(new AmbientLight(0xffffff, AMBIENT), sun);
        this.camera.up.set(0, 0, 1);
        this.camera.near = this.reach / 100;
        this.camera.far = this.reach * 100;
        this.controls = new OrbitControls(this.camera, element);
        this.controls.addEventListener("change", changed);
        this.listen(clicked);
        this.fit();
    }

    /** A press and a release at one place is a click; in between the eye may have gone round. */
    private listen(clicked: (x: number, y: number) => void): void {
        let down: PointerEvent | null = null;
        this.element.addEventListener("pointerdown", (event) => { down = event; });
        this.element.addEventListener("pointerup", (event) => {
            const box = this.element.getBoundingClientRect();
            if (down && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < CLICK)
                clicked(event.clientX - box.left, event.clientY - box.top);
            down = null;
        });
    }

    /** The body under a point of the canvas; it is marked until another is. */
    pick(panel: Panel, x: number, y: number): Picked | null {
        const ray = new Raycaster();
        this.aim(panel);
        ray.setFromCamera(new Vector2((2 * (x - panel.x)) / panel.width - 1, 1 - (2 * (y - panel.y)) / panel.height), this.camera);
        let picked: Picked | null = null;
        let nearest = Infinity;
        for (const trace of panel.traces) {
            const hit = this.actors[trace].pick(ray);
            if (!hit || hit.distance >= nearest) continue;
            picked = { trace, body: hit.body };
            nearest = hit.distance;
        }
        this.mark(picked);
        return picked;
    }

    unpick(): void {
        this.mark(null);
    }

    private mark(picked: Picked | null): void {
        this.actors.forEach((actor, k) => actor.mark(picked?.trace === k ? picked.body : null));
        this.painted = null;
    }

    setActive(active: boolean): void {
        this.controls.enabled = active;
    }

    setShadows(shown: boolean): void {
        for (const actor of this.actors) actor.setShadows(shown);
    }

    resize([panel]: readonly Panel[]): void {
        this.aim(panel);
    }

    private aim(panel: Panel): void {
        this.camera.aspect = panel.width / Math.max(panel.height, 1);
        this.camera.updateProjectionMatrix();
    }

    followable(): Followed[] {
        return this.actors[0].names().map((name, shape) => ({ name, shape }));
    }

    follow(shape: number | null): void {
        this.followed = shape;
        if (shape === null) this.fit();
    }

    /** The eye goes with the body it follows. */
    private keep(): void {
        if (this.followed === null) return;
        const to = this.actors[0].placeOf(this.followed);
        if (!to) return;
        const by = to.clone().sub(this.controls.target);
        this.controls.target.add(by);
        this.camera.position.add(by);
    }

    fit(): void {
        const distance = 3.2 * this.reach / Math.min(1, this.camera.aspect);
        this.camera.position.set(0.55, -1, 0.42).normalize().multiplyScalar(distance).add(this.centre);
        this.controls.target.copy(this.centre);
        this.controls.update();
    }

    private dolly(factor: number): void {
        const { target } = this.controls;
        this.camera.position.sub(target).multiplyScalar(factor).add(target);
        this.controls.update();
    }

    zoomIn(): void {
        this.dolly(0.8);
    }

    zoomOut(): void {
        this.dolly(1.25);
    }

    draw(renderer: WebGLRenderer, panel: Panel, frame: Frame): void {
        if (this.painted !== frame.theme) this.paint(frame);
        this.actors.forEach((actor, k) => {
            actor.group.visible = panel.traces.includes(k);
            if (actor.group.visible) actor.move(frame);
        });
        this.keep();
        this.moveFloor(panel);
        this.aim(panel);
        renderer.render(this.scene, this.camera);
    }

    /** The lines go with the plane that they stand for: a table may shake. */
    private moveFloor(panel: Panel): void {
        const at = this.actors[panel.traces[0] ?? 0].floorAt();
        if (at) this.floor.follow(this.centre.x, this.centre.y, at);
    }

    private paint({ theme }: Frame): void {
        this.painted = theme;
        this.actors.forEach((actor, k) =>
            actor.paint(theme, theme.traces[k % theme.traces.length], this.actors.length === 1));
        this.floor.paint(theme.axis);
    }
}

/** Whether these traces are of bodies in space; `turning`: whose rotation is known too. */
export function areSpatial(traces: readonly Trace[], turning = false): boolean {
    return traces.every((trace) => trace.bodies.length > 0 ||
        findBodies(trace.position.names).some(({ turn }) => !turning || turn));
}
