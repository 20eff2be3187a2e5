// Friction cones in space: the directions that a contact force can have, from where it acts.
import { BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import type { Rgba } from "./brush";
import { toColor } from "./space_actor";

const UP = new Vector3(0, 0, 1);
const SIDES = 24;

/** A cone of height and radius 1, open, with its tip at the origin. */
function makeCone(): BufferGeometry {
    const points: number[] = [];
    for (let k = 0; k < SIDES; k++) {
        const [a, b] = [k, k + 1].map((i) => (2 * Math.PI * i) / SIDES);
        points.push(0, 0, 0, Math.cos(a), Math.sin(a), 1, Math.cos(b), Math.sin(b), 1);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    return geometry;
}

export class SpaceCones {
    readonly group = new Group();
    private readonly skin = new MeshBasicMaterial({ transparent: true, opacity: 0.28, side: DoubleSide, depthWrite: false });
    private readonly cones: Mesh[] = [];
    private used = 0;

    constructor(most: number) {
        const geometry = makeCone();
        for (let k = 0; k < most; k++) this.cones.push(new Mesh(geometry, this.skin));
        for (const cone of this.cones) cone.renderOrder = 1;
        this.group.add(...this.cones);
    }

    paint(color: Rgba): void {
        this.skin.color.copy(toColor(color));
    }

    clear(): void {
        this.used = 0;
        for (const cone of this.cones) cone.visible = false;
    }

    /** One more, sides of this length, unless all are used or it has no opening. */
    show(at: Vector3, toward: Vector3, friction: number, length: number): void {
        if (this.used === this.cones.length || !(friction > 0) || !Number.isFinite(friction) || !(toward.length() > 0)) return;
        const cone = this.cones[this.used++];
        const height = length / Math.hypot(1, friction);
        cone.visible = true;
        cone.position.copy(at);
        cone.quaternion.copy(new Quaternion().setFromUnitVectors(UP, toward.clone().normalize()));
        cone.scale.set(height * friction, height * friction, height);
    }
}
