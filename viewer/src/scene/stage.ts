// The canvas with everything on it. It draws when it is asked and something has changed.
import { Color, SRGBColorSpace, WebGLRenderer } from "three";
import { shorten } from "../data/names";
import type { Trace } from "../data/trace";
import { readTheme, type Theme } from "./colors";
import { withDefaultShapes } from "./defaults";
import { Labels } from "./labels";
import { divide, panelAt, type Panel } from "./panels";
import { Plane, type Followed, type Frame, type Look } from "./plane";
import { Quality } from "./quality";
import { compose, textOf } from "./snapshot";
import { areSpatial, Space, type Picked } from "./space";
import { SvgBrush } from "./svg_brush";

const LETTER = 8; // pixels of a letter of a title
const CROWD = 400; // bodies, from which on edges are not smoothed: that costs as much as all the rest

export class Stage {
    readonly both: boolean; // flat and in space
    spatial: boolean;
    readonly canvas = document.createElement("canvas");
    frames = 0; // drawn so far
    arrows = true;
    trails = true;
    cones: boolean; // flat they are lines; in space they would hide much: only on request
    picked: Picked | null = null;
    onPick: (picked: Picked | null) => void = () => {};
    apart = false;
    visible: number[];
    fading = 1;
    private readonly renderer: WebGLRenderer;
    private look: Look;
    private readonly looks: { plane: Look | null; space: Space | null };
    private readonly labels: Labels;
    private readonly titles: Labels;
    private panels: Panel[] = [];
    private theme: Theme = readTheme();
    private stale = true;
    private shownAt = NaN;
    private readonly quality = new Quality();

    /** Throws where the browser has no WebGL. */
    constructor(private readonly host: HTMLElement, traces: readonly Trace[],
                private readonly names: readonly string[]) {
        this.canvas.className = "canvas";
        const crowded = traces.some(({ bodies }) => bodies.length > CROWD);
        this.renderer = new WebGLRenderer({
            canvas: this.canvas, antialias: areSpatial(traces) && !crowded, stencil: areSpatial(traces),
        });
        const layer = document.createElement("div");
        layer.className = "labels";
        layer.setAttribute("aria-hidden", "true");
        host.prepend(this.canvas, layer);
        this.labels = new Labels(layer);
        this.titles = new Labels(layer);
        this.visible = traces.map((_, k) => k);
        const drawn = traces.some((trace) => trace.shapes.length > 0);
        this.both = areSpatial(traces) && drawn;
        this.spatial = areSpatial(traces, drawn);
        this.cones = !this.spatial;
        this.looks = this.makeLooks(traces);
        this.look = this.choose();
        new ResizeObserver(() => this.resize()).observe(host);
        this.resize();
    }

    private makeLooks(traces: readonly Trace[]): { plane: Look | null; space: Space | null } {
        const changed = (): void => this.invalidate();
        let plane: Plane | null = null;
        if (this.both || !this.spatial) {
            plane = new Plane(traces.map(withDefaultShapes), changed);
            plane.view.listen(this.canvas, (event) => this.fromCentre(event));
        }
        const space = this.both || this.spatial ? new Space(traces, this.canvas, changed, (x, y) => this.pick(x, y)) : null;
        return { plane, space };
    }

    /** What is under a point of the canvas becomes the picked body; nothing there: none is. */
    private pick(x: number, y: number): void {
        const { space } = this.looks;
        if (!this.spatial || !space) return;
        this.picked = space.pick(panelAt(this.panels, x, y), x, y);
        this.invalidate();
        this.onPick(this.picked);
    }

    /** No body is picked any more. */
    unpick(): void {
        this.picked = null;
        this.looks.space?.unpick();
        this.invalidate();
        this.onPick(null);
    }

    private choose(): Look {
        const { plane, space } = this.looks;
        plane?.setActive(!this.spatial);
        space?.setActive(this.spatial);
        return (this.spatial ? space : plane)!;
    }

    /** Flat or in space, where there are both. */
    setSpatial(spatial: boolean): void {
        this.spatial = spatial;
        this.look = this.choose();
        this.arrange();
    }

    private fromCentre(event: MouseEvent): { x: number; y: number } {
        const box = this.canvas.getBoundingClientRect();
        const x = event.clientX - box.left;
        const y = event.clientY - box.top;
        const panel = panelAt(this.panels, x, y);
        return { x: x - panel.x - panel.width / 2, y: y - panel.y - panel.height / 2 };
    }

    resize(): void {
        const width = Math.max(this.host.clientWidth, 1);
        const height = Math.max(this.host.clientHeight, 1);
        this.renderer.setPixelRatio(this.quality.scale * Math.min(window.devicePixelRatio, 2));
        this.renderer.setSize(width, height);
        this.looks.space?.setShadows(this.quality.shadows);
        this.arrange();
    }

    /** To be called before each frame: a motion in space is drawn as finely as frames allow. */
    judge(playing: boolean): void {
        if (!this.spatial) return;
        if (playing ? this.quality.played(performance.now()) : this.quality.rested()) this.resize();
    }

    /** To be called after a change of `visible` or `apart`. */
    arrange(): void {
        this.panels = divide(this.host.clientWidth, this.host.clientHeight, this.visible, this.apart);
        this.look.resize(this.panels);
        this.invalidate();
    }

    updateTheme(): Theme {
        this.theme = readTheme();
        this.invalidate();
        return this.theme;
    }

    invalidate(): void {
        this.stale = true;
    }

    fit(): void {
        this.look.fit();
        this.invalidate();
    }

    zoomIn(): void {
        this.look.zoomIn();
        this.invalidate();
    }

    zoomOut(): void {
        this.look.zoomOut();
        this.invalidate();
    }

    followable(): Followed[] {
        return this.look.followable();
    }

    /** Keep a body in the middle; null: none. */
    follow(shape: number | null): void {
        this.look.follow(shape);
        this.invalidate();
    }

    /** What is left free between panels shows this colour. */
    private drawSeparators(): void {
        const [r, g, b] = this.theme.axis;
        this.renderer.setScissorTest(false);
        this.renderer.setClearColor(new Color().setRGB(r, g, b, SRGBColorSpace));
        this.renderer.clear();
    }

    /** Draw the time t, if that or anything else has changed. */
    draw(t: number): void {
        if (!this.stale && t === this.shownAt) return;
        this.stale = false;
        this.shownAt = t;
        this.frames++;
        const { renderer, theme } = this;
        const [r, g, b] = theme.background;
        const height = this.host.clientHeight;
        const many = this.panels.length > 1;
        if (many) this.drawSeparators();
        renderer.setClearColor(new Color().setRGB(r, g, b, SRGBColorSpace));
        renderer.setScissorTest(true);
        this.labels.begin();
        this.titles.begin();
        for (const panel of this.panels) {
            const bottom = height - panel.y - panel.height;
            renderer.setViewport(panel.x, bottom, panel.width, panel.height);
            renderer.setScissor(panel.x, bottom, panel.width, panel.height);
            this.look.draw(renderer, panel, this.frameAt(t), this.labels);
            if (many)
                this.titles.add(shorten(this.names[panel.traces[0]], (panel.width - 24) / LETTER), panel.x + panel.width - 12,
                                panel.y + panel.height - 46, "panel-title");
        }
        this.labels.end();
        this.titles.end();
    }

    private frameAt(t: number): Frame {
        return { t, theme: this.theme, arrows: this.arrows, trails: this.trails, cones: this.cones,
                 fading: this.fading };
    }

    /** The picture as it stands, with its labels, on a canvas of its own. */
    copyTo(target: CanvasRenderingContext2D): void {
        this.judge(false); // in full
        this.stale = true; // a canvas shows what was drawn in the same task only
        this.draw(this.shownAt);
        const { canvas } = this;
        if (target.canvas.width !== canvas.width || target.canvas.height !== canvas.height) {
            target.canvas.width = canvas.width;
            target.canvas.height = canvas.height;
        }
        compose(target, canvas, [...this.labels.written, ...this.titles.written], this.theme,
                canvas.width / Math.max(this.host.clientWidth, 1));
    }

    /** The flat picture as SVG; null in space. */
    toSvg(title: string): string | null {
        const { plane } = this.looks;
        if (this.spatial || !(plane instanceof Plane)) return null;
        const { view } = plane;
        const width = this.host.clientWidth;
        const height = this.host.clientHeight;
        this.invalidate();
        this.draw(this.shownAt); // labels as they are now
        let panel = this.panels[0];
        const brush = new SvgBrush(width, height,
            (x) => panel.x + panel.width / 2 + (x - view.x) / view.pixel,
            (y) => panel.y + panel.height / 2 - (y - view.y) / view.pixel, 1 / view.pixel);
        const unused = new Labels(document.createElement("div"));
        for (panel of this.panels) {
            brush.clip(panel.x, panel.y, panel.width, panel.height);
            plane.drawTo(brush, panel, this.frameAt(this.shownAt), unused);
        }
        brush.clip(0, 0, width, height);
        for (const label of [...this.labels.written, ...this.titles.written])
            brush.text(textOf(label, this.theme));
        return brush.finish(this.theme.background, title);
    }
}
