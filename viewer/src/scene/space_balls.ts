// Many surfaces at little cost where there is no graphics card. A ball is the square around its outline, in which each
// point finds where its ray meets the sphere: two triangles, and round from near. Other surfaces are lit at their
// corners, so that a point of the picture only carries a colour on. Both are lit as MeshLambertMaterial is.
import { GLSL3, PlaneGeometry, RawShaderMaterial, Vector3 } from "three";
import { AMBIENT, SUN, SUNLIGHT } from "./space_actor";

const LIT = /* glsl */ `
uniform vec3 sun;
vec3 lit(vec3 color, vec3 normal) {
    vec3 c = color * (${AMBIENT.toFixed(2)} + ${SUNLIGHT.toFixed(2)} * max(dot(normal, sun), 0.0)) / ${Math.PI};
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); // as screens want it
}`;

const cornerVertex = /* glsl */ `
precision highp float;
uniform mat4 projectionMatrix, modelViewMatrix;
in vec3 position, normal, instanceColor;
in mat4 instanceMatrix;
out vec3 shade;
${LIT}
void main() {
    shade = lit(instanceColor, mat3(instanceMatrix) * normal);
    gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
}`;

const cornerFragment = /* glsl */ `
precision mediump float;
in vec3 shade;
out vec4 color;
void main() {
    color = vec4(shade, 1.0);
}`;

// The square is perpendicular to the ray through the centre and as wide as the cone of rays that touch the sphere.
const ballVertex = /* glsl */ `
precision highp float;
uniform mat4 projectionMatrix, modelViewMatrix;
uniform float radius;
in vec3 position, instanceColor;
in mat4 instanceMatrix;
out vec3 seen; // the point on the square from the eye, in lengths of the radius
flat out vec3 centre;
flat out vec3 tint;
void main() {
    vec3 c = (modelViewMatrix * instanceMatrix * vec4(0.0, 0.0, 0.0, 1.0)).xyz / radius;
    float away = length(c);
    vec3 u = normalize(cross(c, abs(c.x) < abs(c.y) ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0)));
    vec3 v = cross(u, c) / away;
    seen = c + (u * position.x + v * position.y) * away * inversesqrt(max(away * away - 1.0, 0.01));
    centre = c;
    tint = instanceColor;
    gl_Position = projectionMatrix * vec4(seen * radius, 1.0);
}`;

const ballFragment = /* glsl */ `
precision highp float;
uniform mat4 projectionMatrix, viewMatrix;
uniform float radius;
in vec3 seen;
flat in vec3 centre;
flat in vec3 tint;
out vec4 color;
${LIT}
void main() {
    vec3 d = normalize(seen);
    float along = dot(d, centre);
    vec3 beside = centre - along * d;
    float inside = 1.0 - dot(beside, beside);
    if (inside < 0.0) discard;
    vec3 p = d * (along - sqrt(inside));
    vec4 at = projectionMatrix * vec4(p * radius, 1.0);
    gl_FragDepth = 0.5 + 0.5 * at.z / at.w;
    color = vec4(lit(tint, (p - centre) * mat3(viewMatrix)), 1.0);
}`;

const toSun = (): { value: Vector3 } => ({ value: SUN.clone().normalize() });

/** Instances of a surface, lit at its corners. */
export function makeCornerSkin(): RawShaderMaterial {
    return new RawShaderMaterial({
        glslVersion: GLSL3, vertexShader: cornerVertex, fragmentShader: cornerFragment, uniforms: { sun: toSun() },
    });
}

/** Instances of `makeBallSquare`, drawn as spheres. */
export function makeBallSkin(radius: number): RawShaderMaterial {
    return new RawShaderMaterial({
        glslVersion: GLSL3, vertexShader: ballVertex, fragmentShader: ballFragment,
        uniforms: { sun: toSun(), radius: { value: radius } },
    });
}

export const makeBallSquare = (): PlaneGeometry => new PlaneGeometry(2, 2);
