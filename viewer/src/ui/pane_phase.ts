// The phase plane: one quantity against another, with the moment that is shown.
import uPlot from "uplot";
import { countUpTo } from "../data/search";
import { lineOf, type Line, type TableName } from "../data/series";
import type { Trace } from "../data/trace";
import { axesOf } from "./chart";
import type { Context, Pane } from "./context";
import { make } from "./dom";

type Choice = readonly [table: TableName, column: number];
interface Curve {
    readonly x: Float32Array;
    readonly y: Float32Array;
    readonly t: Float64Array;
}

const HEIGHT = 320;

function choices(trace: Trace): { name: string; value: string }[] {
    const of = (table: TableName): { name: string; value: string }[] =>
        trace[table].names.map((name, k) => ({ name, value: `${table} ${k}` }));
    return [...of("position"), ...of("velocity")];
}

/** Both quantities at all rows and on both sides of impacts. */
function curveOf(trace: Trace, [tableX, x]: Choice, [tableY, y]: Choice): Curve {
    const jumps = tableX === "velocity" || tableY === "velocity";
    const along = (table: TableName, column: number): Line =>
        jumps && table === "position" ? doubled(trace, column) : lineOf(trace, table, column);
    const a = along(tableX, x);
    const b = along(tableY, y);
    return { x: a.y, y: b.y, t: a.t };
}

/** Positions with both sides of an impact, to go with velocities. */
function doubled(trace: Trace, column: number): Line {
    const { impacts } = trace;
    return lineOf({ ...trace, velocity: trace.position,
                    impacts: { ...impacts, before: impacts.position, after: impacts.position } },
                  "velocity", column);
}

function range(curves: readonly Curve[], axis: "x" | "y"): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    for (const curve of curves)
        for (const value of curve[axis])
            if (Number.isFinite(value)) {
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
    if (low > high) return [-1, 1];
    const margin = (high - low || Math.abs(high) || 1) * 0.06;
    return [low - margin, high + margin];
}

/** A line through points in the order of time. */
const drawCurve: uPlot.Series.PathBuilder = (u, index) => {
    uPlot.orient(u, index, (series, dataX, dataY, scaleX, scaleY, toX, toY, left, top, w, h) => {
        const { ctx } = u;
        ctx.save();
        ctx.beginPath();
        ctx.strokeStyle = (series.stroke as unknown as () => string)();
        ctx.lineWidth = 1.25 * devicePixelRatio;
        let open = false;
        for (let k = 0; k < dataX.length; k++) {
            const x = dataX[k] as number;
            const y = dataY[k] as number;
            const there = Number.isFinite(x) && Number.isFinite(y);
            if (there) {
                const px = toX(x, scaleX, w, left);
                const py = toY(y, scaleY, h, top);
                if (open) ctx.lineTo(px, py);
                else ctx.moveTo(px, py);
            }
            open = there;
        }
        ctx.stroke();
        ctx.restore();
    });
    return null;
};

export class PhasePane implements Pane {
    readonly title = "Phase";
    readonly element = make("div");
    private readonly chart = make("div", { class: "chart", role: "img",
                                           "aria-label": "Phase plane" });
    private readonly selects: HTMLSelectElement[];
    private plot: uPlot | null = null;
    private curves: Curve[] = [];
    private dots: HTMLElement[] = [];

    constructor(private readonly context: Context) {
        const trace = context.traces[0];
        const list = choices(trace);
        const select = (label: string, value: string): HTMLSelectElement => {
            const made = make("select", { "aria-label": label, onchange: () => this.rebuild() },
                ...list.map((item) => make("option", { value: item.value }, item.name)));
            made.value = list.some((item) => item.value === value) ? value : list[0]?.value ?? "";
            return made;
        };
        this.selects = [select("Horizontal axis", "position 0"), select("Vertical axis", "velocity 0")];
        this.chart.style.height = `${HEIGHT}px`;
        this.element.append(
            make("section", { class: "quantities" },
                make("h3", {}, "Phase plane"),
                make("div", { class: "chips" },
                    make("label", { class: "field" }, "across ", this.selects[0]),
                    make("label", { class: "field" }, "up ", this.selects[1])),
                this.chart));
        new ResizeObserver(() => {
            const width = this.chart.clientWidth;
            if (width > 0 && width !== this.plot?.width) this.rebuild();
        }).observe(this.chart);
    }

    private choice(k: number): Choice {
        const [table, column] = this.selects[k].value.split(" ");
        return [table as TableName, Number(column)];
    }

    rebuild(): void {
        const width = this.chart.clientWidth;
        this.plot?.destroy();
        this.plot = null;
        if (width === 0 || !this.selects[0].value) return;
        const { traces } = this.context;
        const theme = this.context.theme();
        const shown = this.context.visible();
        this.curves = shown.map((k) => curveOf(traces[k], this.choice(0), this.choice(1)));
        const x = range(this.curves, "x");
        const y = range(this.curves, "y");
        const names = this.selects.map((select) => select.selectedOptions[0].text);
        this.chart.setAttribute("aria-label", `${names[1]} against ${names[0]}`);
        this.plot = new uPlot({
            mode: 2,
            width,
            height: HEIGHT,
            legend: { show: false },
            padding: [8, 14, 0, 0],
            scales: { x: { time: false, range: () => x }, y: { range: () => y } },
            axes: axesOf(theme, 52),
            cursor: { show: false },
            hooks: { ready: [() => this.update(this.context.player.t)] },
            series: [null as unknown as uPlot.Series, ...shown.map((k): uPlot.Series => ({
                stroke: theme.traceCss[k % theme.traceCss.length],
                paths: drawCurve,
            }))],
        }, [null, ...this.curves.map((curve) => [curve.x, curve.y])] as unknown as uPlot.AlignedData,
        this.chart);
        this.dots = shown.map((k) =>
            make("div", { class: "dot", style: `--own: ${theme.traceCss[k % theme.traceCss.length]}` }));
        this.plot.over.append(...this.dots);
    }

    update(t: number): void {
        const { plot } = this;
        if (!plot) return;
        this.curves.forEach((curve, k) => {
            const at = Math.max(countUpTo(curve.t, t) - 1, 0);
            const next = Math.min(at + 1, curve.t.length - 1);
            const span = curve.t[next] - curve.t[at];
            const s = span > 0 ? Math.min(Math.max((t - curve.t[at]) / span, 0), 1) : 0;
            const mix = (list: Float32Array): number => list[at] + (list[next] - list[at]) * s;
            const left = plot.valToPos(mix(curve.x), "x");
            const top = plot.valToPos(mix(curve.y), "y");
            this.dots[k].style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
        });
    }
}
