// The flat stage: pictures of traces over a grid.
import { Scene, type WebGLRenderer } from "three";
import type { Trace } from "../data/trace";
import type { Brush } from "./brush";
import type { Theme } from "./colors";
import { drawGrid } from "./grid";
import type { Labels } from "./labels";
import { Marks } from "./marks";
import type { Panel } from "./panels";
import { Picture, type Bounds } from "./picture";
import { recentByContact } from "./recent";
import { View2d } from "./view2d";

/** What both kinds of stage are told for a frame. */
export interface Frame {
    readonly t: number;
    readonly theme: Theme;
    readonly arrows: boolean;
    readonly trails: boolean;
    readonly cones: boolean; // of friction
    readonly fading: number; // how long an impact shows
}

/** A body that can be kept in the middle. */
export interface Followed {
    readonly name: string;
    readonly shape: number;
}

/** A way of looking at the traces: flat or in space. */
export interface Look {
    setActive(active: boolean): void; // whether it listens to the pointer
    resize(panels: readonly Panel[]): void;
    fit(): void;
    zoomIn(): void;
    zoomOut(): void;
    followable(): Followed[];
    follow(shape: number | null): void;
    draw(renderer: WebGLRenderer, panel: Panel, frame: Frame, labels: Labels): void;
}

const MOST_LABELS = 40;
const MOST_FOLLOWED = 60;
const TRAIL = 8; // times as long as arrows stay

export class Plane implements Look {
    readonly view: View2d;
    private readonly scene = new Scene();
    private readonly marks = new Marks(this.scene);
    private readonly pictures: Picture[];
    private followed: number | null = null;

    constructor(traces: readonly Trace[], changed: () => void) {
        this.pictures = traces.map((trace) => new Picture(trace));
        const bounds = this.pictures.map((picture) => picture.bounds).reduce((a, b): Bounds => ({
            left: Math.min(a.left, b.left),
            right: Math.max(a.right, b.right),
            bottom: Math.min(a.bottom, b.bottom),
            top: Math.max(a.top, b.top),
        }));
        this.view = new View2d(() => bounds, changed);
    }

    setActive(active: boolean): void {
        this.view.active = active;
    }

    /** The scale is common: it suits the smallest panel. */
    resize(panels: readonly Panel[]): void {
        this.view.resize(Math.min(...panels.map(({ width }) => width)),
                         Math.min(...panels.map(({ height }) => height)));
    }

    fit(): void {
        this.view.fit();
    }

    zoomIn(): void {
        this.view.zoomIn();
    }

    zoomOut(): void {
        this.view.zoomOut();
    }

    followable(): Followed[] {
        const [first] = this.pictures;
        return first.bodies.slice(0, MOST_FOLLOWED).map((shape) => ({ name: first.nameOf(shape), shape }));
    }

    follow(shape: number | null): void {
        this.followed = shape;
        if (shape === null) this.fit();
    }

    draw(renderer: WebGLRenderer, panel: Panel, frame: Frame, labels: Labels): void {
        const { view, marks } = this;
        marks.clear();
        if (this.followed !== null) {
            const picture = this.pictures[panel.traces[0]];
            const at = picture.placeOf(Math.min(this.followed, picture.trace.shapes.length - 1), frame.t);
            if (Number.isFinite(at.x + at.y)) view.moveTo(at.x, at.y);
        }
        view.aim(panel.width, panel.height);
        this.drawTo(marks, panel, frame, labels);
        marks.finish(view.pixel);
        renderer.render(this.scene, view.camera);
    }

    /** Everything of a panel, with any brush. */
    drawTo(brush: Brush, panel: Panel, frame: Frame, labels: Labels): void {
        const { view } = this;
        const { theme, t } = frame;
        for (const tick of drawGrid(brush, view, panel.width, panel.height, theme))
            this.addTick(labels, panel, tick.text, tick.x, tick.y);
        const overlaid = panel.traces.length > 1;
        const own = (k: number): Theme["traces"][number] => theme.traces[k % theme.traces.length];
        for (const k of panel.traces)
            this.pictures[k].draw(brush, t, theme, overlaid ? own(k) : null, view.pixel);
        for (const k of frame.trails ? panel.traces : [])
            this.pictures[k].drawTrails(brush, t, TRAIL * frame.fading, theme, overlaid ? own(k) : null);
        for (const k of frame.arrows ? panel.traces : []) {
            const picture = this.pictures[k];
            const color = overlaid ? own(k) : theme.impact;
            picture.drawForces(brush, t, overlaid ? own(k) : theme.force, view.pixel, frame.cones);
            for (const { impact, strength } of recentByContact(picture.trace.impacts, t, frame.fading))
                picture.drawImpact(brush, impact, strength, color, view.pixel);
        }
        this.addLabels(labels, panel);
    }

    private addTick(labels: Labels, panel: Panel, text: string, x: number | null,
                    y: number | null): void {
        if (x !== null && x > 24 && x < panel.width - 16)
            labels.add(text, panel.x + x, panel.y + panel.height - 6, "tick tick-x");
        if (y !== null && y > 16 && y < panel.height - 28)
            labels.add(text, panel.x + 8, panel.y + y, "tick tick-y");
    }

    private addLabels(labels: Labels, panel: Panel): void {
        const { view } = this;
        const all = this.pictures[panel.traces[0]]?.labels() ?? [];
        for (const { x, y, text, centred } of all.slice(0, MOST_LABELS)) {
            const px = (x - view.x) / view.pixel + panel.width / 2;
            const py = (view.y - y) / view.pixel + panel.height / 2;
            if (px > 0 && py > 0 && px < panel.width && py < panel.height)
                labels.add(text, panel.x + px, panel.y + py, centred ? "name centred" : "name");
        }
    }
}
