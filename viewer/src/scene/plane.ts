// The flat stage: pictures of traces over a grid.
import { Scene, type WebGLRenderer } from "three";
import type { Trace } from "../data/trace";
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
    readonly fading: number; // how long an impact shows
}

/** A way of looking at the traces: flat or in space. */
export interface Look {
    setActive(active: boolean): void; // whether it listens to the pointer
    resize(panel: Panel): void;
    fit(): void;
    zoomIn(): void;
    zoomOut(): void;
    draw(renderer: WebGLRenderer, panel: Panel, frame: Frame, labels: Labels): void;
}

const MOST_LABELS = 40;
const TRAIL = 2; // times as long as arrows stay

export class Plane implements Look {
    readonly view: View2d;
    private readonly scene = new Scene();
    private readonly marks = new Marks(this.scene);
    private readonly pictures: Picture[];

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

    resize(panel: Panel): void {
        this.view.resize(panel.width, panel.height);
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

    draw(renderer: WebGLRenderer, panel: Panel, frame: Frame, labels: Labels): void {
        const { view, marks } = this;
        const { theme, t } = frame;
        marks.clear();
        view.aim();
        for (const tick of drawGrid(marks, view, panel.width, panel.height, theme))
            this.addTick(labels, panel, tick.text, tick.x, tick.y);
        const many = this.pictures.length > 1;
        for (const k of panel.traces) {
            const picture = this.pictures[k];
            const own = theme.traces[k % theme.traces.length];
            picture.draw(marks, t, theme, many && panel.traces.length > 1 ? own : null, own, view.pixel);
        }
        for (const k of frame.trails ? panel.traces : [])
            this.pictures[k].drawTrails(marks, t, TRAIL * frame.fading,
                                        theme.traces[k % theme.traces.length]);
        for (const k of frame.arrows ? panel.traces : []) {
            const picture = this.pictures[k];
            const color = panel.traces.length > 1
                ? theme.traces[k % theme.traces.length] : theme.impact;
            for (const { impact, strength } of recentByContact(picture.trace.impacts, t, frame.fading))
                picture.drawImpact(marks, impact, strength, color, view.pixel);
        }
        this.addLabels(labels, panel);
        marks.finish(view.pixel);
        renderer.render(this.scene, view.camera);
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
        for (const { x, y, text } of all.slice(0, MOST_LABELS)) {
            const px = (x - view.x) / view.pixel + panel.width / 2;
            const py = (view.y - y) / view.pixel + panel.height / 2;
            if (px > 0 && py > 0 && px < panel.width && py < panel.height)
                labels.add(text, panel.x + px, panel.y + py, "name");
        }
    }
}
