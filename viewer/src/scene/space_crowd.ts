// Bodies as surfaces that can be placed: one by one with their edges, or, where there are many, those of
// equal shape together without edges, so that a thousand move smoothly. Shadows are the same surfaces
// under a matrix that flattens them.
import {
    Color, DoubleSide, Group, InstancedMesh, KeepStencilOp, IncrementStencilOp, EqualStencilFunc, LineBasicMaterial,
    LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, type BufferGeometry, type Object3D, type Quaternion,
    Vector3,
} from "three";
import type { Body, Solid } from "../data/bodies";
import { modelOf } from "./solids";

const COARSE = 12; // segments of a circle where there are many
const ONE = new Vector3(1, 1, 1);

export interface Place {
    readonly position: Vector3;
    readonly quaternion: Quaternion;
}

/** A surface that may be picked: whose it is, by instance. */
export function bodyOf(object: Object3D, instance: number | undefined): number {
    return (object.userData.bodies as number[])[instance ?? 0];
}

/** Dark where anything lies, once however many lie there. */
export function makeShade(): MeshBasicMaterial {
    return new MeshBasicMaterial({
        color: 0, transparent: true, opacity: 0.16, depthWrite: false, side: DoubleSide, stencilWrite: true,
        stencilRef: 0, stencilFunc: EqualStencilFunc, stencilZPass: IncrementStencilOp, stencilFail: KeepStencilOp,
    });
}

function makeSkin(seenThrough: boolean): MeshLambertMaterial {
    return new MeshLambertMaterial({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, side: DoubleSide,
                                     transparent: seenThrough, opacity: seenThrough ? 0.35 : 1 });
}

/** One body. */
export class Figure {
    readonly group = new Group();
    readonly shadow = new Group();
    readonly targets: Mesh[] = [];
    private readonly skin: MeshLambertMaterial;
    private readonly edge = new LineBasicMaterial();

    constructor(body: Body, k: number, far: number, shade: MeshBasicMaterial, drawn: boolean) {
        this.skin = makeSkin(body.fixed);
        for (const solid of drawn ? body.solids : []) {
            const { skin, edges } = modelOf(solid, far);
            const mesh = new Mesh(skin, this.skin);
            mesh.userData.bodies = [k];
            this.targets.push(mesh);
            this.group.add(mesh);
            if (edges) this.group.add(new LineSegments(edges, this.edge));
            if (!body.fixed) this.shadow.add(new Mesh(skin, shade));
        }
    }

    move({ position, quaternion }: Place): void {
        for (const group of [this.group, this.shadow]) {
            group.position.copy(position);
            group.quaternion.copy(quaternion);
        }
    }

    paint(color: Color, edge: Color): void {
        this.skin.color.copy(color);
        this.edge.color.copy(edge);
    }
}

/** Bodies of equal shape. */
class Alike {
    readonly mesh: InstancedMesh;
    readonly shadow: InstancedMesh;

    constructor(geometry: BufferGeometry, readonly bodies: readonly number[], shade: MeshBasicMaterial) {
        this.mesh = new InstancedMesh(geometry, makeSkin(false), bodies.length);
        this.shadow = new InstancedMesh(geometry, shade, bodies.length);
        this.shadow.instanceMatrix = this.mesh.instanceMatrix;
        this.mesh.userData.bodies = bodies;
        this.mesh.frustumCulled = this.shadow.frustumCulled = false; // they move
    }
}

/** Many bodies. */
export class Crowd {
    readonly group = new Group();
    readonly shadow = new Group();
    readonly targets: InstancedMesh[];
    private readonly sets: Alike[];
    private readonly matrix = new Matrix4();

    constructor(bodies: readonly Body[], which: readonly number[], shade: MeshBasicMaterial) {
        const alike = new Map<string, { solid: Solid; bodies: number[] }>();
        for (const k of which)
            for (const solid of bodies[k].solids) {
                const key = JSON.stringify(solid);
                const found = alike.get(key);
                if (found) found.bodies.push(k);
                else alike.set(key, { solid, bodies: [k] });
            }
        this.sets = [...alike.values()].map((set) => new Alike(modelOf(set.solid, 1, COARSE).skin, set.bodies, shade));
        this.targets = this.sets.map(({ mesh }) => mesh);
        this.group.add(...this.targets);
        this.shadow.add(...this.sets.map(({ shadow }) => shadow));
    }

    move(places: readonly Place[]): void {
        for (const { mesh, bodies } of this.sets) {
            bodies.forEach((k, i) =>
                mesh.setMatrixAt(i, this.matrix.compose(places[k].position, places[k].quaternion, ONE)));
            mesh.instanceMatrix.needsUpdate = true;
            mesh.boundingSphere = null; // of all of them, for picking
        }
    }

    paint(colorOf: (body: number) => Color): void {
        for (const { mesh, bodies } of this.sets) {
            bodies.forEach((k, i) => mesh.setColorAt(i, colorOf(k)));
            mesh.instanceColor!.needsUpdate = true;
        }
    }
}
