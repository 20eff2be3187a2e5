// The slider of time over the whole width, with what happens below it: impacts, accumulations,
// changes of mode, an early end.
import { earlyEnd, modeChanges, MODES } from "../data/events";
import { countUpTo } from "../data/search";
import type { ModeChange } from "../data/trace";
import type { Context } from "./context";
import { make } from "./dom";
import { formatTime } from "./format";

const STEPS = 10000;
const EDGE = 8; // pixels, half of the slider's thumb
const NEAR = 4; // pixels: what the pointer means

export class Scrubber {
    readonly element: HTMLElement;
    private readonly input: HTMLInputElement;
    private readonly ticks = make("canvas", { class: "ticks", "aria-hidden": "true" });
    private readonly changes: (readonly ModeChange[])[];

    constructor(private readonly context: Context) {
        const { player } = context;
        this.changes = context.traces.map(modeChanges);
        this.input = make("input", { type: "range", min: 0, max: STEPS, step: 1, value: 0,
                                     "aria-label": "Time", class: "range" });
        this.input.addEventListener("input", () => {
            player.pause();
            player.seek(player.begin + (Number(this.input.value) / STEPS) * this.span);
        });
        this.element = make("div", { class: "scrubber" }, this.ticks, this.input);
        this.element.addEventListener("pointermove", (event) => {
            this.input.title = this.describe(event.offsetX);
        });
        new ResizeObserver(() => this.drawTicks()).observe(this.element);
    }

    private get span(): number {
        return this.context.player.end - this.context.player.begin;
    }

    /** Pixels from the left. */
    private place(t: number): number {
        const width = this.element.clientWidth;
        return EDGE + ((t - this.context.player.begin) / this.span) * (width - 2 * EDGE);
    }

    /** What is under the pointer, in words. */
    private describe(x: number): string {
        const width = this.element.clientWidth - 2 * EDGE;
        const t = this.context.player.begin + ((x - EDGE) / Math.max(width, 1)) * this.span;
        const near = (NEAR / Math.max(width, 1)) * this.span;
        const found: string[] = [];
        for (const k of this.context.visible()) {
            const trace = this.context.traces[k];
            const impacts = countUpTo(trace.impacts.t, t + near) - countUpTo(trace.impacts.t, t - near);
            if (impacts) found.push(impacts === 1 ? "an impact" : `${impacts} impacts`);
            for (const pile of trace.accumulations)
                if (t > pile.first - near && t < pile.limit + near)
                    found.push(`impacts of ${pile.contact} accumulate`);
            trace.instants.t.forEach((at, i) => {
                if (Math.abs(at - t) < near) found.push(trace.instants.names[trace.instants.event[i]] || "an event");
            });
            for (const change of this.changes[k])
                if (Math.abs(change.t - t) < near)
                    found.push(`${trace.mode.names[change.contact]} ${MODES[change.to] ?? "changes"}`);
            if (earlyEnd(trace) && Math.abs(trace.t[trace.rows - 1] - t) < near) found.push(earlyEnd(trace));
        }
        const shown = found.slice(0, 6).join("; ");
        return `t = ${formatTime(t, this.span)}${shown ? `: ${shown}` : ""}`;
    }

    update(t: number): void {
        const { player } = this.context;
        const share = this.span > 0 ? (t - player.begin) / this.span : 0;
        this.input.value = String(Math.round(share * STEPS));
        this.input.style.setProperty("--share", String(share));
        const text = `t = ${formatTime(t, this.span)}`;
        if (this.input.getAttribute("aria-valuetext") !== text)
            this.input.setAttribute("aria-valuetext", text);
    }

    /** One trace: its impacts as strokes, accumulations as bars, changes of mode as dots. */
    private drawTrace(brush: CanvasRenderingContext2D, k: number, top: number, tall: number,
                      color: string): void {
        const trace = this.context.traces[k];
        brush.fillStyle = color;
        brush.globalAlpha = 0.3;
        for (const { first, limit } of trace.accumulations)
            brush.fillRect(this.place(first), top, Math.max(this.place(limit) - this.place(first), 2), tall);
        brush.globalAlpha = 0.9;
        let last = -1;
        for (const t of trace.impacts.t) {
            const x = Math.round(this.place(t));
            if (x !== last) brush.fillRect(x, top, 1, Math.max(tall, 1));
            last = x;
        }
        for (const t of trace.instants.t) { // events of the system: small diamonds
            const x = this.place(t);
            brush.beginPath();
            brush.moveTo(x, top - 2);
            brush.lineTo(x + 3, top + 1);
            brush.lineTo(x, top + 4);
            brush.lineTo(x - 3, top + 1);
            brush.fill();
        }
        last = -9;
        for (const { t } of this.changes[k]) {
            const x = this.place(t);
            if (x - last < 3) continue;
            last = x;
            brush.beginPath();
            brush.arc(x, top + tall + 2.5, 1.75, 0, 2 * Math.PI);
            brush.fill();
        }
        if (earlyEnd(trace)) { // a flag where it stopped
            const x = this.place(trace.t[trace.rows - 1]);
            brush.globalAlpha = 1;
            brush.fillStyle = getComputedStyle(this.ticks).getPropertyValue("--impact");
            brush.fillRect(x - 1, top - 2, 2, tall + 8);
            brush.fillRect(x - 9, top - 2, 8, 5);
        }
    }

    drawTicks(): void {
        const { ticks } = this;
        const scale = devicePixelRatio;
        const width = this.element.clientWidth;
        const height = this.element.clientHeight;
        ticks.width = Math.round(width * scale);
        ticks.height = Math.round(height * scale);
        const brush = ticks.getContext("2d");
        if (!brush || this.span <= 0) return;
        brush.scale(scale, scale);
        const shown = this.context.visible();
        const { traceCss } = this.context.theme();
        const impact = getComputedStyle(ticks).getPropertyValue("--impact");
        const tall = Math.max(8 / shown.length, 1);
        shown.forEach((k, line) => this.drawTrace(brush, k, height / 2 + 9 + line * tall, tall,
            shown.length > 1 ? traceCss[k % traceCss.length] : impact));
    }
}
