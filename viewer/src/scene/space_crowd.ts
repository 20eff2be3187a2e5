// Bodies as surfaces that can be placed: one by one with their edges, or, where there are many, those of
// equal shape together without edges, so that a thousand move smoothly. Shadows are the same surfaces
// (of balls: discs that face the sun) under a matrix that flattens them.
import {
    CircleGeometry, Color, DoubleSide, Group, InstancedMesh, KeepStencilOp, IncrementStencilOp, EqualStencilFunc, FrontSide,
    LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, Quaternion, Vector3,
    type BufferGeometry, type Object3D, type Side,
} from "three";
import type { Body, Solid } from "../data/bodies";
import { modelOf } from "./solids";
import { SUN } from "./space_actor";
import { makeBallSkin, makeBallSquare, makeCornerSkin } from "./space_balls";

const COARSE = 12; // segments of a circle where there are many
const ROUGH = 8; // where there are very many, and of shadows
const HUGE = 400; // bodies that are very many
const BALL = 32; // of balls that are picked
const ONE = new Vector3(1, 1, 1);

export interface Place {
    readonly position: Vector3;
    readonly quaternion: Quaternion;
}

/** A surface that may be picked: whose it is, by instance. */
export function bodyOf(object: Object3D, instance: number | undefined): number {
    return (object.userData.bodies as number[])[instance ?? 0];
}

/** Dark where anything lies, once however many lie there. The faces of a closed surface that look to the eye cover all
 * of its shadow. */
export function makeShade(side: Side = FrontSide): MeshBasicMaterial {
    return new MeshBasicMaterial({
        color: 0, transparent: true, opacity: 0.16, depthWrite: false, side, forceSinglePass: true,
        stencilWrite: true, stencilRef: 0, stencilFunc: EqualStencilFunc, stencilZPass: IncrementStencilOp, stencilFail: KeepStencilOp,
    });
}

/** Fixed bodies are seen through; walls have only the side that bodies are on, so that those before them hide nothing. */
function makeSkin({ fixed, solids }: Body): MeshLambertMaterial {
    const side = solids.every(({ kind }) => kind === "plane") ? FrontSide : DoubleSide;
    return new MeshLambertMaterial({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, side,
                                     transparent: fixed, opacity: fixed ? 0.35 : 1 });
}

/** One body. */
export class Figure {
    readonly group = new Group();
    readonly shadow = new Group();
    readonly targets: Mesh[] = [];
    private readonly skin: MeshLambertMaterial;
    private readonly edge = new LineBasicMaterial();

    constructor(body: Body, k: number, far: number, shade: MeshBasicMaterial, drawn: boolean) {
        this.skin = makeSkin(body);
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

/** Bodies of equal shape. What is drawn, its shadow and what is picked share their places. */
class Alike {
    readonly drawn: InstancedMesh;
    readonly target: InstancedMesh;
    readonly shadow: InstancedMesh;
    private readonly matrix = new Matrix4();
    private readonly point = new Vector3();

    constructor(private readonly solid: Solid, readonly bodies: readonly number[], shade: MeshBasicMaterial, round: number) {
        const { size: [r], radius } = solid;
        const many = bodies.length;
        const skin = modelOf(this.ball ? { ...solid, at: [0, 0, 0] } : solid, 1, this.ball ? BALL : round).skin;
        this.target = new InstancedMesh(skin, this.ball ? makeBallSkin(r + radius) : makeCornerSkin(), many);
        this.drawn = this.ball ? new InstancedMesh(makeBallSquare(), this.target.material, many) : this.target;
        this.shadow = this.ball ? new InstancedMesh(makeDisc(r + radius), makeShade(DoubleSide), many)
            : new InstancedMesh(skin, shade, many);
        this.drawn.instanceMatrix = this.shadow.instanceMatrix = this.target.instanceMatrix;
        this.target.userData.bodies = bodies;
        this.drawn.frustumCulled = this.shadow.frustumCulled = false; // they move
    }

    private get ball(): boolean {
        return this.solid.kind === "sphere";
    }

    /** A ball is one however it is turned: only its centre is placed. */
    move(places: readonly Place[]): void {
        const { target, matrix, point, solid, bodies } = this;
        bodies.forEach((k, i) => {
            const { position, quaternion } = places[k];
            if (this.ball)
                matrix.setPosition(point.set(solid.at[0], solid.at[1], solid.at[2]).applyQuaternion(quaternion).add(position));
            else matrix.compose(position, quaternion, ONE);
            target.setMatrixAt(i, matrix);
        });
        target.instanceMatrix.needsUpdate = true;
        target.boundingSphere = null; // of all of them, for picking
    }

    paint(colorOf: (body: number) => Color): void {
        this.bodies.forEach((k, i) => this.drawn.setColorAt(i, colorOf(k)));
        this.drawn.instanceColor!.needsUpdate = true;
    }
}

/** What casts the shadow of a ball: the disc that faces the sun. */
function makeDisc(radius: number): BufferGeometry {
    const toSun = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), SUN.clone().normalize());
    return new CircleGeometry(radius, ROUGH).applyQuaternion(toSun);
}

/** The solids of bodies, each with all whose shape it is. */
function findAlike(bodies: readonly Body[], which: readonly number[]): { solid: Solid; bodies: number[] }[] {
    const alike = new Map<string, { solid: Solid; bodies: number[] }>();
    for (const k of which)
        for (const solid of bodies[k].solids) {
            const key = JSON.stringify(solid);
            const found = alike.get(key);
            if (found) found.bodies.push(k);
            else alike.set(key, { solid, bodies: [k] });
        }
    return [...alike.values()];
}

/** Many bodies. */
export class Crowd {
    readonly group = new Group();
    readonly shadow = new Group();
    readonly targets: InstancedMesh[];
    private readonly sets: Alike[];

    constructor(bodies: readonly Body[], which: readonly number[], shade: MeshBasicMaterial) {
        const round = which.length > HUGE ? ROUGH : COARSE;
        this.sets = findAlike(bodies, which).map(({ solid, bodies }) => new Alike(solid, bodies, shade, round));
        this.targets = this.sets.map(({ target }) => target);
        this.group.add(...this.sets.map(({ drawn }) => drawn));
        this.shadow.add(...this.sets.map(({ shadow }) => shadow));
    }

    move(places: readonly Place[]): void {
        for (const set of this.sets) set.move(places);
    }

    paint(colorOf: (body: number) => Color): void {
        for (const set of this.sets) set.paint(colorOf);
    }
}
