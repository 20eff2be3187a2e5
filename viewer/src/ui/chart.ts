// A plot over time: lines, and the moment that is shown. Click to go there, drag to zoom, double-click
// to see all of it again or, if all of it is seen, to enlarge the plot.
import uPlot from "uplot";
import { countUpTo } from "../data/search";
import { align, type Line } from "../data/series";
import type { Theme } from "../scene/colors";
import { Enlarger, Readout } from "./enlarge";
import { formatNumber } from "./format";
import { make } from "./dom";

export interface ChartLine {
    readonly name: string;
    readonly color: string;
    readonly dash?: number[];
    readonly wide?: boolean;
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

/** The axis of what lies between two numbers; a line that keeps its value lies in the middle. */
function rangeOf(least: number | null, most: number | null): uPlot.Range.MinMax {
    if (least === null || most === null) return [0, 1];
    const around = Math.abs(least) || 1;
    return least === most ? [least - around, most + around] : uPlot.rangeNum(least, most, 0.1, true);
}

/** The value of a line at a time: that of the point before, as in the motion. */
function valueAt({ t, y }: Line, at: number): number {
    const k = countUpTo(t, at) - 1;
    return k < 0 ? NaN : y[k];
}

export class Chart {
    readonly element = make("div", { class: "chart" });
    private plot: uPlot | null = null;
    private readonly head = make("div", { class: "playhead" });
    private readonly readout = new Readout();
    private readonly enlarger: Enlarger;
    private lines: readonly ChartLine[] = [];
    private downAt = 0;
    private shownAt = 0;

    /** tall: height over width. */
    constructor(name: string, private readonly seek: (t: number) => void,
                private theme: () => Theme, private readonly tall = 0.4) {
        this.element.setAttribute("role", "group");
        this.element.setAttribute("aria-label", name);
        this.enlarger = new Enlarger(this.element, () => this.fit());
        new ResizeObserver(() => this.fit()).observe(this.element);
    }

    name(name: string): void {
        this.element.setAttribute("aria-label", name);
    }

    private size(): { width: number; height: number } {
        if (this.enlarger.large) return this.enlarger.room;
        const width = this.element.clientWidth;
        return { width, height: Math.round(Math.min(Math.max(this.tall * width, 120), 340)) };
    }

    private fit(): void {
        const { height } = this.size();
        this.element.style.height = this.enlarger.large ? "" : `${height}px`;
        const now = this.size();
        if (now.width === 0) return;
        if (!this.plot) this.build();
        else if (now.width !== this.plot.width || now.height !== this.plot.height)
            this.plot.setSize(now);
    }

    show(lines: readonly ChartLine[]): void {
        this.lines = lines;
        this.element.hidden = lines.length === 0;
        this.build();
    }

    /** Anew, in the present colours. */
    build(): void {
        this.plot?.destroy();
        this.plot = null;
        if (!this.lines.length || this.element.clientWidth === 0) return;
        const { width, height } = this.size();
        if (!this.enlarger.large) this.element.style.height = `${height}px`;
        const data = align(this.lines.map(({ line }) => line)) as unknown as uPlot.AlignedData;
        this.plot = new uPlot({
            width,
            height,
            legend: { show: false },
            padding: [8, 14, 0, 0],
            scales: { x: { time: false }, y: { range: (_, least, most) => rangeOf(least, most) } },
            axes: axesOf(this.theme(), 52),
            cursor: { sync: { key: "time" }, points: { show: false }, y: false,
                      drag: { x: true, y: false },
                      bind: { dblclick: (u, _, known) => (event) => this.doubleClick(u, known, event) } },
            hooks: { ready: [() => this.update(this.shownAt)], setScale: [() => this.update(this.shownAt)],
                     drawAxes: [() => this.update(this.shownAt)], // the place of everything is known
                     setCursor: [(u) => this.tell(u)] },
            series: [{}, ...this.lines.map(({ name, color, dash, wide }): uPlot.Series => ({
                label: name, stroke: color, dash, width: wide ? 2.5 : 1.5, pxAlign: 0,
                points: { show: false },
            }))],
        }, data, this.element);
        const { over, ctx: { canvas } } = this.plot;
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", `${this.lines.map(({ name }) => name).join(", ")} over time`);
        over.append(this.head, this.readout.element);
        over.addEventListener("pointerdown", (event) => (this.downAt = event.clientX));
        over.addEventListener("pointerleave", () => this.readout.hide());
        over.addEventListener("click", (event) => this.click(event));
    }

    private doubleClick(u: uPlot, known: (event: MouseEvent) => null, event: MouseEvent): null {
        const { min, max } = u.scales.x;
        const t = u.data[0];
        const whole = (min ?? 0) <= t[0] && (max ?? 0) >= t[t.length - 1];
        if (whole) this.enlarger.toggle();
        else known(event);
        return null;
    }

    private click(event: MouseEvent): void {
        if (!this.plot || Math.abs(event.clientX - this.downAt) > 4) return;
        const left = event.clientX - this.plot.over.getBoundingClientRect().left;
        this.seek(this.plot.posToVal(left, "x"));
    }

    /** The values under the pointer; other plots follow it without a box of their own. */
    private tell(u: uPlot): void {
        const { left, top } = u.cursor;
        if (left === undefined || left < 0 || !u.over.matches(":hover")) {
            this.readout.hide();
            return;
        }
        const t = u.posToVal(left, "x");
        this.readout.show([[`t ${formatNumber(t, 6)}`, ""],
            ...this.lines.map(({ name, color, line }) =>
                [`${name} ${formatNumber(valueAt(line, t), 5)}`, color] as const)],
            left, top ?? 0, u.over.clientWidth);
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
