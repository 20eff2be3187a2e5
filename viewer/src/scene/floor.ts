// The floor of the stage in space: smooth lines at equal steps that fade with the distance.
import { DoubleSide, GLSL3, Mesh, PlaneGeometry, RawShaderMaterial, Vector2, Vector4, type Vector3 } from "three";
import type { Rgba } from "./brush";

const vertex = /* glsl */ `
precision highp float;
uniform mat4 projectionMatrix, modelViewMatrix;
in vec3 position;
out vec2 at;
void main() {
    at = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const fragment = /* glsl */ `
precision highp float;
uniform float reach;
uniform vec2 place; // of the centre, in steps
uniform vec4 tint;
in vec2 at;
out vec4 color;
void main() {
    vec2 steps = at * reach + place;
    vec2 wide = fwidth(steps);
    vec2 away = abs(fract(steps - 0.5) - 0.5) / wide;
    vec2 shown = clamp(1.25 - away, 0.0, 1.0) * clamp(1.0 - wide * 2.5, 0.0, 1.0);
    float fading = clamp(1.0 - length(at), 0.0, 1.0);
    float alpha = max(shown.x, shown.y) * fading * fading * 0.7;
    if (alpha < 0.01) discard;
    color = vec4(tint.rgb, alpha);
}`;

export class Floor extends Mesh {
    declare material: RawShaderMaterial;

    /** Lines at `step`, out to `steps` of them from (x, y). */
    constructor(x: number, y: number, z: number, private readonly step: number, steps: number) {
        super(new PlaneGeometry(2, 2), new RawShaderMaterial({
            glslVersion: GLSL3,
            vertexShader: vertex,
            fragmentShader: fragment,
            uniforms: {
                reach: { value: steps },
                place: { value: new Vector2(x / step, y / step) },
                tint: { value: new Vector4() },
            },
            transparent: true,
            depthWrite: false,
            side: DoubleSide,
        }));
        this.position.set(x, y, z);
        this.scale.set(steps * step, steps * step, 1);
    }

    /** Around (x, y), with the lines fixed to a point of the plane. */
    follow(x: number, y: number, point: Vector3): void {
        this.material.uniforms.place.value.set((x - point.x) / this.step, (y - point.y) / this.step);
        this.position.z = point.z;
    }

    paint([r, g, b]: Rgba): void {
        this.material.uniforms.tint.value.set(r, g, b, 1);
    }
}
