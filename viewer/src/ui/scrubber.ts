// The slider of time, with a tick for every impact.
import type { Context } from "./context";
import { make } from "./dom";
import { formatTime } from "./format";

const STEPS = 10000;

export class Scrubber {
    readonly element: HTMLElement;
    private readonly input: HTMLInputElement;
    private readonly ticks = make("canvas", { class: "ticks", "aria-hidden": "true" });

    constructor(private readonly context: Context) {
        const { player } = context;
        this.input = make("input", { type: "range", min: 0, max: STEPS, step: 1, value: 0,
                                     "aria-label": "Time", class: "range" });
        this.input.addEventListener("input", () => {
            player.pause();
            player.seek(player.begin + (Number(this.input.value) / STEPS) * this.span);
        });
        this.element = make("div", { class: "scrubber" }, this.ticks, this.input);
        new ResizeObserver(() => this.drawTicks()).observe(this.element);
    }

    private get span(): number {
        return this.context.player.end - this.context.player.begin;
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
        const tall = 7 / shown.length;
        shown.forEach((k, line) => {
            brush.fillStyle = shown.length > 1 ? traceCss[k % traceCss.length] : impact;
            let last = -1;
            brush.globalAlpha = 0.9;
            for (const t of this.context.traces[k].impacts.t) {
                const x = Math.round(8 + ((t - this.context.player.begin) / this.span) * (width - 16));
                if (x !== last) brush.fillRect(x, 1 + line * tall, 1, Math.max(tall, 1));
                last = x;
            }
        });
    }
}
