// Looking at the plane: centre and scale, moved by pointers and the wheel.
import { OrthographicCamera } from "three";
import type { Bounds } from "./picture";

const STEP = 1.25;

export class View2d {
    readonly camera = new OrthographicCamera(-1, 1, 1, -1, -1, 1);
    active = true;
    pixel = 1; // its size in the units of the picture
    x = 0;
    y = 0;
    private width = 1;
    private height = 1;
    private fitted = true;
    private pointers = new Map<number, { x: number; y: number }>();

    constructor(private readonly bounds: () => Bounds, private readonly changed: () => void) {}

    /** The size of one panel in pixels. */
    resize(width: number, height: number): void {
        this.width = Math.max(width, 1);
        this.height = Math.max(height, 1);
        if (this.fitted) this.fit();
    }

    fit(): void {
        const { left, right, bottom, top } = this.bounds();
        const margin = 56; // pixels, for arrows and names
        const room = (all: number): number => Math.max(all - 2 * margin, all / 2);
        this.pixel = Math.max((right - left) / room(this.width), (top - bottom) / room(this.height));
        if (!(this.pixel > 0)) this.pixel = 0.005;
        this.x = (left + right) / 2;
        this.y = (bottom + top) / 2;
        this.fitted = true;
        this.changed();
    }

    /** Another centre, the same scale. */
    moveTo(x: number, y: number): void {
        this.x = x;
        this.y = y;
        this.fitted = false;
    }

    /** Ready for the card, for a panel of that size in pixels. */
    aim(width: number, height: number): void {
        const w = (width * this.pixel) / 2;
        const h = (height * this.pixel) / 2;
        const { camera } = this;
        camera.left = -w;
        camera.right = w;
        camera.top = h;
        camera.bottom = -h;
        camera.position.set(this.x, this.y, 0);
        camera.updateProjectionMatrix();
    }

    /** Zoom by a factor about a place of the panel, given in pixels from its centre. */
    zoom(factor: number, px = 0, py = 0): void {
        const x = this.x + px * this.pixel;
        const y = this.y - py * this.pixel;
        const size = Math.max(this.bounds().right - this.bounds().left,
                              this.bounds().top - this.bounds().bottom) || 1;
        const limit = (scale: number): number =>
            Math.min(Math.max(scale, (1e-6 * size) / this.width), (100 * size) / this.width);
        this.pixel = limit(this.pixel * factor);
        this.x = x - px * this.pixel;
        this.y = y + py * this.pixel;
        this.fitted = false;
        this.changed();
    }

    zoomIn(): void {
        this.zoom(1 / STEP);
    }

    zoomOut(): void {
        this.zoom(STEP);
    }

    /** Drag, pinch, wheel. `place` gives pixels from the centre of the panel under the pointer. */
    listen(element: HTMLElement, place: (event: MouseEvent) => { x: number; y: number }): void {
        element.addEventListener("wheel", (event) => {
            if (!this.active) return;
            event.preventDefault();
            const { x, y } = place(event);
            const lines = event.deltaMode === 1 ? 30 : 1;
            this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * lines * 0.0015))), x, y);
        }, { passive: false });
        element.addEventListener("pointerdown", (event) => {
            if (!this.active) return;
            element.setPointerCapture(event.pointerId);
            this.pointers.set(event.pointerId, place(event));
        });
        element.addEventListener("pointermove", (event) => {
            const old = this.pointers.get(event.pointerId);
            if (!old) return;
            const now = place(event);
            const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
            if (other) this.pinch(old, now, other);
            else this.pan(now.x - old.x, now.y - old.y);
            this.pointers.set(event.pointerId, now);
        });
        for (const end of ["pointerup", "pointercancel"] as const)
            element.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
        element.addEventListener("dblclick", () => this.active && this.fit());
    }

    private pan(px: number, py: number): void {
        this.x -= px * this.pixel;
        this.y += py * this.pixel;
        this.fitted = false;
        this.changed();
    }

    private pinch(old: { x: number; y: number }, now: { x: number; y: number },
                  other: { x: number; y: number }): void {
        const before = Math.hypot(old.x - other.x, old.y - other.y);
        const after = Math.hypot(now.x - other.x, now.y - other.y);
        if (before > 0 && after > 0)
            this.zoom(before / after, (now.x + other.x) / 2, (now.y + other.y) / 2);
    }
}
