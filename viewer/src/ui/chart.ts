// A plot over time: lines, and the moment that is shown. Click to go there, drag to enlarge.
import uPlot from "uplot";
import { align, type Line } from "../data/series";
import type { Theme } from "../scene/colors";
import { formatNumber } from "./format";
import { make } from "./dom";

export interface ChartLine {
    readonly name: string;
    readonly color: string;
    readonly dash?: number[];
    readonly line: Line;
}

const FONT = "11px system-ui, sans-serif";

export function axesOf(theme: Theme, wide: number): uPlot.Axis[] {
    const common = {
        stroke: theme.muted,
        font: FONT,
        grid: { stroke: theme.gridCss, width: 1 },
        ticks: { show: false },
        values: (_: uPlot, ticks: number[]) => ticks.map((tick) => formatNumber(tick, 6)),
    };
    return [{ ...common, size: 22, space: 60, gap: 4 },
            { ...common, size: wide, space: 32, gap: 4 }];
}

export class Chart {
    readonly element = make("div", { class: "chart" });
    private plot: uPlot | null = null;
    private readonly head = make("div", { class: "playhead" });
    private lines: readonly ChartLine[] = [];
    private downAt = 0;
    private shownAt = 0;

    constructor(name: string, private readonly seek: (t: number) => void,
                private theme: () => Theme, private readonly height = 150) {
        this.element.setAttribute("role", "img");
        this.element.setAttribute("aria-label", name);
        this.element.style.height = `${height}px`;
        new ResizeObserver(() => this.fitWidth()).observe(this.element);
    }

    private fitWidth(): void {
        const width = this.element.clientWidth;
        if (this.plot && width > 0 && width !== this.plot.width)
            this.plot.setSize({ width, height: this.height });
        else if (!this.plot && width > 0) this.build();
    }

    show(lines: readonly ChartLine[]): void {
        this.lines = lines;
        this.element.hidden = lines.length === 0;
        this.build();
    }

    /** Anew, in the present colours. */
    build(): void {
        const width = this.element.clientWidth;
        this.plot?.destroy();
        this.plot = null;
        if (!this.lines.length || width === 0) return;
        const data = align(this.lines.map(({ line }) => line)) as unknown as uPlot.AlignedData;
        this.plot = new uPlot({
            width,
            height: this.height,
            legend: { show: false },
            padding: [8, 14, 0, 0],
            scales: { x: { time: false } },
            axes: axesOf(this.theme(), 52),
            cursor: { sync: { key: "time" }, points: { show: false }, y: false,
                      drag: { x: true, y: false } },
            hooks: { ready: [() => this.update(this.shownAt)], setScale: [() => this.update(this.shownAt)] },
            series: [{}, ...this.lines.map(({ name, color, dash }): uPlot.Series => ({
                label: name, stroke: color, dash, width: 1.5, pxAlign: 0,
                points: { show: false },
            }))],
        }, data, this.element);
        const { over } = this.plot;
        over.append(this.head);
        over.addEventListener("pointerdown", (event) => (this.downAt = event.clientX));
        over.addEventListener("click", (event) => this.click(event));
    }

    private click(event: MouseEvent): void {
        if (!this.plot || Math.abs(event.clientX - this.downAt) > 4) return;
        const left = event.clientX - this.plot.over.getBoundingClientRect().left;
        this.seek(this.plot.posToVal(left, "x"));
    }

    /** Put the moment that is shown in its place. */
    update(t: number): void {
        this.shownAt = t;
        if (!this.plot) return;
        const x = this.plot.valToPos(t, "x");
        const inside = x >= -1 && x <= this.plot.over.clientWidth + 1;
        this.head.style.visibility = inside ? "visible" : "hidden";
        if (inside) this.head.style.transform = `translateX(${x.toFixed(1)}px)`;
    }
}
