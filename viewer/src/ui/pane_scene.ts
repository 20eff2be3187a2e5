// What was computed: the scene's text, its parameters, how the run ended.
import { earlyEnd } from "../data/events";
import type { Trace } from "../data/trace";
import type { Context, Pane } from "./context";
import { make } from "./dom";
import { formatNumber } from "./format";

export class ScenePane implements Pane {
    readonly title = "Scene";
    readonly element = make("div", { class: "scene" });

    constructor(private readonly context: Context) {
        this.rebuild();
    }

    private row(name: string, value: string): HTMLElement[] {
        return value ? [make("dt", {}, name), make("dd", {}, value)] : [];
    }

    private describe(trace: Trace, k: number): HTMLElement {
        const several = this.context.traces.length > 1;
        const piles = trace.accumulations.map(({ contact, limit, impacts }) =>
            `${contact}: ${impacts} impacts before t = ${formatNumber(limit, 6)}`);
        return make("section", { class: "quantities" },
            several ? make("h3", {}, this.context.names[k]) : null,
            make("dl", { class: "facts" },
                ...this.row("file", trace.file), ...this.row("law", trace.law),
                ...this.row("method", trace.method),
                ...this.row("end", earlyEnd(trace) || (trace.end && `t = ${formatNumber(trace.t[trace.rows - 1], 7)}`)),
                ...this.row("accumulations", piles.join("; ")),
                ...this.row("set", trace.sets.join(", ")),
                ...this.row("program", trace.program)),
            trace.parameters.length ? make("h3", {}, "Parameters") : null,
            make("dl", { class: "facts" }, ...trace.parameters.flatMap(([name, value]) =>
                this.row(name, formatNumber(value, 10)))),
            trace.scene ? make("h3", {}, "Text") : null,
            trace.scene ? make("pre", { tabindex: 0, "aria-label": "Text of the scene" }, trace.scene) : null);
    }

    rebuild(): void {
        this.element.replaceChildren(...this.context.visible().map((k) =>
            this.describe(this.context.traces[k], k)));
    }

    update(): void {
        // nothing in it depends on time
    }
}
