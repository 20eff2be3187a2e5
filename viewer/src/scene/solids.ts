// Shapes of bodies in space as surfaces.
import {
    BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, EdgesGeometry,
    PlaneGeometry, Quaternion, SphereGeometry, Vector3,
} from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import type { Solid } from "../data/bodies";

const ROUND = 32; // segments of a circle
const SHARP = 25; // degrees: an edge that is drawn

const point = (list: readonly number[], k: number): Vector3 =>
    new Vector3(list[3 * k], list[3 * k + 1], list[3 * k + 2]);

function triangles(points: readonly number[], index: readonly number[]): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    geometry.setIndex([...index]);
    const flat = geometry.toNonIndexed(); // every face with its own normal
    flat.computeVertexNormals();
    return flat;
}

/** A smooth surface: corners have the mean normal of their faces. */
function rounded(points: readonly number[], index: readonly number[]): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    geometry.setIndex([...index]);
    geometry.computeVertexNormals();
    return geometry;
}

function heightField({ rows, columns, heights, size: [dx, dy] }: Solid): BufferGeometry {
    const points: number[] = [];
    const index: number[] = [];
    for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++) {
            points.push((j - (columns - 1) / 2) * dx, (i - (rows - 1) / 2) * dy, heights[i * columns + j]);
            if (i + 1 === rows || j + 1 === columns) continue;
            const k = i * columns + j;
            index.push(k, k + 1, k + columns, k + 1, k + columns + 1, k + columns);
        }
    return triangles(points, index);
}

/** The surface of a shape in its own axes; `reach` is how far a plane is drawn. */
function surface(solid: Solid, reach: number, round = ROUND): BufferGeometry {
    const { size, radius, points } = solid;
    switch (solid.kind) {
        case "sphere":
            return new SphereGeometry(size[0] + radius, round, round / 2);
        case "box":
            return new BoxGeometry(size[0] + 2 * radius, size[1] + 2 * radius, size[2] + 2 * radius);
        case "capsule":
            return new CapsuleGeometry(size[1] + radius, size[0], Math.ceil(round / 3), round).rotateX(Math.PI / 2);
        case "cylinder":
            return new CylinderGeometry(size[1] + radius, size[1] + radius, size[0] + 2 * radius, round)
                .rotateX(Math.PI / 2);
        case "hull":
            return new ConvexGeometry(Array.from({ length: points.length / 3 }, (_, k) => point(points, k)));
        case "mesh":
            return triangles(points, solid.triangles);
        case "round":
            return rounded(points, solid.triangles);
        case "heights":
            return heightField(solid);
        case "plane": {
            const normal = point(solid.normal, 0).normalize();
            return new PlaneGeometry(2 * reach, 2 * reach)
                .applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
        }
    }
}

/** Surface and edges (null: it has none) of a shape, placed in its body; `round`: segments of a circle. */
export function modelOf(solid: Solid, reach: number, round = ROUND): { skin: BufferGeometry; edges: BufferGeometry | null } {
    const skin = surface(solid, reach, round);
    const [w, x, y, z] = solid.turn;
    skin.applyQuaternion(new Quaternion(x, y, z, w).normalize());
    skin.translate(solid.at[0], solid.at[1], solid.at[2]);
    const smooth = ["sphere", "capsule", "plane", "round"].includes(solid.kind);
    return { skin, edges: smooth ? null : new EdgesGeometry(skin, SHARP) };
}

/** How far a shape reaches from the origin of its body; planes and grounds do not count. */
export function reachOf(solid: Solid): number {
    if (solid.kind === "plane" || solid.kind === "heights") return 0;
    const geometry = surface(solid, 1);
    geometry.computeBoundingSphere();
    const { center, radius } = geometry.boundingSphere!;
    geometry.dispose();
    return Math.hypot(...solid.at) + center.length() + radius;
}
