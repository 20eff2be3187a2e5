// What plays on the stage in space: one trace, however its bodies are known.
import { Color, SRGBColorSpace, Vector3, type Group, type Raycaster } from "three";
import type { Trace } from "../data/trace";
import type { Rgba } from "./brush";
import type { Theme } from "./colors";
import type { Frame } from "./plane";

/** A body under a ray, and how far away it is. */
export interface Hit {
    readonly body: number;
    readonly distance: number;
}

export interface Actor {
    readonly group: Group;
    readonly trace: Trace;
    readonly size: number; // of its bodies
    floorAt(): Vector3 | null; // a point of the ground that is drawn as lines, as it is now
    move(frame: Frame): void;
    paint(theme: Theme, own: Rgba, alone: boolean): void; // alone: no other trace to tell it from
    names(): string[];
    placeOf(k: number): Vector3 | null; // of a body, as drawn last
    pick(ray: Raycaster): Hit | null; // the body under a ray, if bodies can be told
    mark(body: number | null): void; // paint shows it
    setShadows(shown: boolean): void;
}

/** Where the light comes from: from the side of the eye, so that shadows are seen. */
export const SUN = new Vector3(-1.5, -1.5, 3);
export const SUNLIGHT = 2;
export const AMBIENT = 1.4;

export const toColor = (c: Rgba): Color => new Color().setRGB(c[0], c[1], c[2], SRGBColorSpace);

/** A box around places. */
export class Extent {
    private readonly low = new Vector3(Infinity, Infinity, Infinity);
    private readonly high = new Vector3(-Infinity, -Infinity, -Infinity);

    add(x: number, y: number, z: number, reach = 0): void {
        if (!Number.isFinite(x + y + z)) return;
        this.low.min(new Vector3(x - reach, y - reach, z - reach));
        this.high.max(new Vector3(x + reach, y + reach, z + reach));
    }

    get centre(): Vector3 {
        return this.empty ? new Vector3() : this.low.clone().add(this.high).multiplyScalar(0.5);
    }

    get size(): number {
        return this.empty ? 0 : this.high.clone().sub(this.low).length();
    }

    private get empty(): boolean {
        return this.low.x > this.high.x;
    }
}
