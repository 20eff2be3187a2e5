// Everything flat is drawn in one call: quads, each with the distance to its own outline worked
// out per pixel, so that edges are smooth and lines keep their width without multisampling.
import {
    DoubleSide, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, BufferAttribute,
    GLSL3, RawShaderMaterial, type Scene,
} from "three";
import type { Brush, Rgba } from "./brush";

const CIRCLE = 0;
const BOX = 1;
const STROKE = 2;
const TRIANGLE = 3;
const PLACE = 8; // floats: x, y, half width, half height, angle, kind, line width, flags; a triangle: x y, x y, x, kind, 0, y
const PAINT = 8; // floats: fill, line

const vertex = /* glsl */ `
precision highp float;
uniform mat4 projectionMatrix, modelViewMatrix;
uniform float pixel; // in the units of the picture
in vec3 position;
in vec4 place;
in vec4 form;
in vec4 fill;
in vec4 line;
out vec2 at;
out vec2 half_size;
flat out vec4 shape;
flat out vec4 fill_color;
flat out vec4 line_color;
void main() {
    shape = form;
    fill_color = fill;
    line_color = line;
    if (form.y > 2.5) { // neighbours share corners to the last bit: no seams, no smooth edges
        at = half_size = vec2(0.0);
        vec2 corner = position.x < 0.0 ? place.xy : position.y < 0.0 ? place.zw : form.xw;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(corner, 0.0, 1.0);
        return;
    }
    half_size = place.zw / pixel;
    vec2 reach = half_size + (form.z + 2.0);
    at = position.xy * reach;
    float c = cos(form.x), s = sin(form.x);
    vec2 world = place.xy + mat2(c, s, -s, c) * at * pixel;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(world, 0.0, 1.0);
}`;

const fragment = /* glsl */ `
precision highp float;
in vec2 at;
in vec2 half_size;
flat in vec4 shape;
flat in vec4 fill_color;
flat in vec4 line_color;
out vec4 color;
float segment(vec2 p, float reach) {
    return length(vec2(max(abs(p.x) - reach, 0.0), p.y));
}
// a pattern along a line, in pixels
float dashes(float along) {
    return clamp(3.5 - abs(mod(along, 12.0) - 4.0) + 0.5, 0.0, 1.0);
}
void main() {
    float width = shape.z, fill = 0.0, line = 0.0;
    int flags = int(shape.w + 0.5);
    if (shape.y > 2.5) {
        fill = 1.0;
    } else if (shape.y > 1.5) {
        if ((flags & 1) != 0) // cut off straight, so that transparent pieces do not overlap
            line = clamp(width / 2.0 - abs(at.y) + 0.5, 0.0, 1.0) *
                clamp(half_size.x - abs(at.x) + 0.5, 0.0, 1.0);
        else
            line = clamp(width / 2.0 - segment(at, half_size.x) + 0.5, 0.0, 1.0);
        if ((flags & 4) != 0) line *= dashes(at.x + half_size.x);
    } else {
        float d;
        if (shape.y < 0.5) {
            d = length(at) - half_size.x;
        } else {
            vec2 q = abs(at) - half_size;
            d = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0);
        }
        fill = clamp(0.5 - d, 0.0, 1.0);
        line = clamp(width / 2.0 - abs(d + width / 2.0) + 0.5, 0.0, 1.0);
        if ((flags & 4) != 0)
            line *= dashes(shape.y < 0.5 ? atan(at.y, at.x) * half_size.x
                : abs(abs(at.y) - half_size.y) < abs(abs(at.x) - half_size.x) ? at.x : at.y);
        if ((flags & 2) != 0) // does not move: stripes
            fill *= clamp(1.25 - abs(mod(gl_FragCoord.x + gl_FragCoord.y, 11.0) - 5.5), 0.0, 1.0);
        if (shape.y < 0.5 && (flags & 1) != 0 && half_size.x > 6.0) { // a radius, to see it turn
            float spoke = segment(at - vec2(half_size.x / 2.0, 0.0), half_size.x / 2.0);
            line = max(line, clamp(0.75 * width / 2.0 - spoke + 0.5, 0.0, 1.0) * fill);
        }
    }
    vec4 below = vec4(fill_color.rgb, 1.0) * fill_color.a * fill;
    vec4 above = vec4(line_color.rgb, 1.0) * line_color.a * line;
    color = above + below * (1.0 - above.a);
    if (color.a < 0.002) discard;
}`;

const NOTHING: Rgba = [0, 0, 0, 0];

export class Marks implements Brush {
    private capacity = 256;
    private count = 0;
    private place: Float32Array = new Float32Array(this.capacity * PLACE);
    private paint: Float32Array = new Float32Array(this.capacity * PAINT);
    private readonly geometry = new InstancedBufferGeometry();
    private readonly material = new RawShaderMaterial({
        glslVersion: GLSL3,
        vertexShader: vertex,
        fragmentShader: fragment,
        uniforms: { pixel: { value: 1 } },
        transparent: true,
        premultipliedAlpha: true,
        depthTest: false,
        depthWrite: false,
        side: DoubleSide, // outlines go round either way
    });
    private attributes: InstancedBufferAttribute[] = [];

    constructor(scene: Scene) {
        const corners = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
        this.geometry.setAttribute("position", new BufferAttribute(corners, 3));
        this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
        this.attach();
        const mesh = new Mesh(this.geometry, this.material);
        mesh.frustumCulled = false;
        scene.add(mesh);
    }

    private attach(): void {
        const part = (array: Float32Array, offset: number): InstancedBufferAttribute =>
            new InstancedBufferAttribute(array.subarray(offset, offset + 4 * this.capacity), 4);
        this.attributes = [
            part(this.place, 0), part(this.place, 4 * this.capacity),
            part(this.paint, 0), part(this.paint, 4 * this.capacity),
        ];
        ["place", "form", "fill", "line"].forEach((name, k) => {
            this.attributes[k].setUsage(DynamicDrawUsage);
            this.geometry.setAttribute(name, this.attributes[k]);
        });
    }

    private grow(): void {
        const copy = (old: Float32Array): Float32Array => {
            const made = new Float32Array(2 * old.length);
            const half = 4 * this.capacity;
            made.set(old.subarray(0, half), 0);
            made.set(old.subarray(half), 2 * half);
            return made;
        };
        this.place = copy(this.place);
        this.paint = copy(this.paint);
        this.capacity *= 2;
        this.geometry.dispose(); // the buffers on the card have the old size
        this.attach();
    }

    clear(): void {
        this.count = 0;
    }

    private add(
        x: number, y: number, w: number, h: number, angle: number, kind: number,
        width: number, flags: number, fill: Rgba, line: Rgba,
    ): void {
        if (!Number.isFinite(x + y + w + h + angle)) return;
        if (this.count === this.capacity) this.grow();
        const at = 4 * this.count++;
        const half = 4 * this.capacity;
        const { place, paint } = this;
        place[at] = x;
        place[at + 1] = y;
        place[at + 2] = w;
        place[at + 3] = h;
        place[half + at] = angle;
        place[half + at + 1] = kind;
        place[half + at + 2] = width;
        place[half + at + 3] = flags;
        for (let k = 0; k < 4; k++) {
            paint[at + k] = fill[k];
            paint[half + at + k] = line[k];
        }
    }

    circle(x: number, y: number, r: number, angle: number, width: number, fill: Rgba, line: Rgba,
           flags = 0): void {
        this.add(x, y, Math.abs(r), Math.abs(r), angle, CIRCLE, width, flags, fill, line);
    }

    box(x: number, y: number, w: number, h: number, angle: number, width: number, fill: Rgba,
        line: Rgba, flags = 0): void {
        this.add(x, y, Math.abs(w) / 2, Math.abs(h) / 2, angle, BOX, width, flags, fill, line);
    }

    area(outline: ArrayLike<number>, start: number, count: number, fill: Rgba): void {
        const [x, y] = [outline[start], outline[start + 1]];
        for (let j = start + 2; j + 3 < start + count; j += 2)
            this.add(x, y, outline[j], outline[j + 1], outline[j + 2], TRIANGLE, 0, outline[j + 3], fill, NOTHING);
    }

    stroke(x1: number, y1: number, x2: number, y2: number, width: number, line: Rgba,
           flags = 0): void {
        const dx = x2 - x1;
        const dy = y2 - y1;
        this.add((x1 + x2) / 2, (y1 + y2) / 2, Math.hypot(dx, dy) / 2, 0, Math.atan2(dy, dx),
                 STROKE, width, flags, NOTHING, line);
    }

    /** Hand over to the card; pixel is the size of one in the units of the picture. */
    finish(pixel: number): void {
        this.material.uniforms.pixel.value = pixel;
        this.geometry.instanceCount = this.count;
        for (const attribute of this.attributes) {
            attribute.clearUpdateRanges();
            attribute.addUpdateRange(0, 4 * this.count);
            attribute.needsUpdate = true;
        }
    }
}

