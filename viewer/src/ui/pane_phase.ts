// The phase plane: one quantity against another, with the moment that is shown.
import uPlot from "uplot";
import { curveOf, rangeOf, type Choice, type Curve } from "../data/phase";
import { countUpTo } from "../data/search";
import type { TableName } from "../data/series";
import type { Trace } from "../data/trace";
import { isTurn } from "../data/units";
import { axesOf } from "./chart";
import type { Context, Pane } from "./context";
import { make } from "./dom";
import { Enlarger, Readout } from "./enlarge";
import { formatNumber } from "./format";

interface Item {
    readonly name: string;
    readonly value: string;
}

/** The columns of all traces by their numbers; in different systems one number has several names. */
function choices(traces: readonly Trace[]): Item[] {
    const of = (table: TableName): Item[] => {
        const count = Math.max(...traces.map((trace) => trace[table].columns));
        return Array.from({ length: count }, (_, k) => ({
            name: [...new Set(traces.flatMap((trace) => trace[table].names[k] ?? []))].join(", "),
            value: `${table} ${k}`,
        }));
    };
    return [...of("position"), ...of("velocity")];
}

/** Points in the order of time, as a line or as dots. A jump across the axis (an angle that goes
 * round) is no part of the line. */
function painter(dots: boolean, round: readonly [boolean, boolean]): uPlot.Series.PathBuilder {
    return (u, index) => {
        uPlot.orient(u, index, (series, dataX, dataY, scaleX, scaleY, toX, toY, left, top, w, h) => {
            const { ctx } = u;
            const color = (series.stroke as unknown as () => string)();
            const size = 1.25 * devicePixelRatio;
            ctx.save();
            ctx.beginPath();
            ctx.strokeStyle = ctx.fillStyle = color;
            ctx.lineWidth = size;
            let [lastX, lastY] = [NaN, NaN];
            for (let k = 0; k < dataX.length; k++) {
                const [x, y] = [dataX[k] as number, dataY[k] as number];
                if (Number.isFinite(x) && Number.isFinite(y)) {
                    const [px, py] = [toX(x, scaleX, w, left), toY(y, scaleY, h, top)];
                    const jump = (round[0] && Math.abs(x - lastX) > Math.PI) ||
                        (round[1] && Math.abs(y - lastY) > Math.PI);
                    if (dots) ctx.rect(px - size, py - size, 2 * size, 2 * size);
                    else if (Number.isNaN(lastX + lastY) || jump) ctx.moveTo(px, py);
                    else ctx.lineTo(px, py);
                }
                [lastX, lastY] = [x, y];
            }
            if (dots) ctx.fill();
            else ctx.stroke();
            ctx.restore();
        });
        return null;
    };
}

export class PhasePane implements Pane {
    readonly title = "Phase";
    readonly element = make("div");
    private readonly chart = make("div", { class: "chart phase", role: "group",
                                           "aria-label": "Phase plane" });
    private readonly selects: HTMLSelectElement[];
    private readonly dotted = make("input", { type: "checkbox", onchange: () => this.rebuild() });
    private readonly wrapped = make("input", { type: "checkbox", onchange: () => this.rebuild() });
    private readonly wrapField = make("label", { class: "field" }, this.wrapped, " angles modulo 2π");
    private readonly last: HTMLInputElement;
    private readonly readout = new Readout();
    private readonly enlarger: Enlarger;
    private plot: uPlot | null = null;
    private curves: Curve[] = [];
    private points: HTMLElement[] = [];

    constructor(private readonly context: Context) {
        const trace = context.traces[0];
        const list = choices(context.traces);
        const select = (label: string, value: string): HTMLSelectElement => {
            const made = make("select", { "aria-label": label, onchange: () => this.rebuild() },
                ...list.map((item) => make("option", { value: item.value }, item.name)));
            made.value = list.some((item) => item.value === value) ? value : list[0]?.value ?? "";
            return made;
        };
        this.selects = [select("Horizontal axis", "position 0"), select("Vertical axis", "velocity 0")];
        this.last = make("input", { type: "number", min: 0, step: "any", class: "last",
            placeholder: "all", onchange: () => this.rebuild() });
        this.enlarger = new Enlarger(this.chart, () => this.rebuild());
        this.chart.addEventListener("dblclick", () => this.enlarger.toggle());
        this.element.append(
            make("section", { class: "quantities" },
                make("h3", {}, "Phase plane"),
                make("div", { class: "chips" },
                    make("label", { class: "field" }, "across ", this.selects[0]),
                    make("label", { class: "field" }, "up ", this.selects[1])),
                make("div", { class: "chips" },
                    make("label", { class: "field" }, this.dotted, " dots"), this.wrapField,
                    make("label", { class: "field" }, "last ", this.last,
                         trace.period > 0 ? " periods" : " time units")),
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

    private get names(): string[] {
        return this.selects.map((select) => select.selectedOptions[0].text);
    }

    /** Is this axis an angle that goes round? */
    private isRound(k: number): boolean {
        const [table, column] = this.choice(k);
        return table === "position" && isTurn(this.context.traces[0].position, column);
    }

    private size(): { width: number; height: number } {
        if (this.enlarger.large) return this.enlarger.room;
        const width = this.chart.clientWidth;
        return { width, height: Math.min(width - 30, 640) }; // square, but for the numbers at the axes
    }

    rebuild(): void {
        this.plot?.destroy();
        this.plot = null;
        if (this.chart.clientWidth === 0 || !this.selects[0].value) return;
        const { traces } = this.context;
        const theme = this.context.theme();
        const shown = this.context.visible().filter((k) => // a smaller system has not all columns
            [this.choice(0), this.choice(1)].every(([table, column]) => column < traces[k][table].columns));
        const round = [this.isRound(0), this.isRound(1)] as const;
        this.wrapField.hidden = !round[0] && !round[1];
        const wrap = [round[0] && this.wrapped.checked, round[1] && this.wrapped.checked] as const;
        const last = Math.max(Number(this.last.value) || 0, 0) * (traces[0].period || 1);
        this.curves = shown.map((k) => curveOf(traces[k], this.choice(0), this.choice(1), { last, wrap }));
        const x = rangeOf(this.curves, "x");
        const y = rangeOf(this.curves, "y");
        const { names } = this;
        const { width, height } = this.size();
        this.chart.style.height = this.enlarger.large ? "" : `${height}px`;
        this.chart.setAttribute("aria-label", `${names[1]} against ${names[0]}`);
        this.plot = new uPlot({
            mode: 2,
            width,
            height,
            legend: { show: false },
            padding: [8, 14, 0, 0],
            scales: { x: { time: false, range: () => x }, y: { range: () => y } },
            axes: axesOf(theme, 52),
            cursor: { drag: { x: false, y: false }, points: { show: false } },
            hooks: { ready: [() => this.update(this.context.player.t)], setCursor: [(u) => this.tell(u)] },
            series: [null as unknown as uPlot.Series, ...shown.map((k): uPlot.Series => ({
                stroke: theme.traceCss[k % theme.traceCss.length],
                paths: painter(this.dotted.checked, wrap),
            }))],
        }, [null, ...this.curves.map((curve) => [curve.x, curve.y])] as unknown as uPlot.AlignedData,
        this.chart);
        this.plot.ctx.canvas.setAttribute("role", "img");
        this.plot.ctx.canvas.setAttribute("aria-label", `curve of ${names[1]} against ${names[0]}`);
        this.points = shown.map((k) =>
            make("div", { class: "dot", style: `--own: ${theme.traceCss[k % theme.traceCss.length]}` }));
        this.plot.over.append(...this.points, this.readout.element);
        this.plot.over.addEventListener("pointerleave", () => this.readout.hide());
    }

    /** Where the pointer is, in the units of the axes. */
    private tell(u: uPlot): void {
        const { left, top } = u.cursor;
        if (left === undefined || top === undefined || left < 0) {
            this.readout.hide();
            return;
        }
        const { names } = this;
        this.readout.show([[`${names[0]} ${formatNumber(u.posToVal(left, "x"), 4)}`, ""],
                           [`${names[1]} ${formatNumber(u.posToVal(top, "y"), 4)}`, ""]],
                          left, top, u.over.clientWidth);
    }

    update(t: number): void {
        const { plot } = this;
        if (!plot) return;
        this.curves.forEach((curve, k) => {
            const at = Math.max(countUpTo(curve.t, t) - 1, 0);
            const next = Math.min(at + 1, curve.t.length - 1);
            const span = curve.t[next] - curve.t[at];
            const s = span > 0 ? Math.min(Math.max((t - curve.t[at]) / span, 0), 1) : 0;
            const near = (list: Float32Array): boolean => Math.abs(list[next] - list[at]) < Math.PI;
            const mix = (list: Float32Array): number =>
                !this.wrapped.checked || near(list) ? list[at] + (list[next] - list[at]) * s : list[at];
            const left = plot.valToPos(mix(curve.x), "x");
            const top = plot.valToPos(mix(curve.y), "y");
            this.points[k].hidden = curve.t.length === 0 || t < curve.t[0] - 1e-12;
            this.points[k].style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
        });
    }
}
