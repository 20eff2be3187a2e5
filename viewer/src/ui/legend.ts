// The traces of a comparison: colours, names, and which of them are shown.
import type { Context } from "./context";
import { make } from "./dom";

export class Legend {
    readonly element = make("fieldset", { class: "legend" });

    constructor(private readonly context: Context, private readonly toggle: (k: number) => void) {
        this.rebuild();
    }

    rebuild(): void {
        const { names, traces } = this.context;
        this.element.hidden = traces.length < 2;
        const { traceCss } = this.context.theme();
        const shown = this.context.visible();
        this.element.replaceChildren(make("legend", { class: "hidden" }, "Traces"),
            ...names.map((name, k) => {
                const box = make("input", { type: "checkbox", onchange: () => this.toggle(k) });
                box.checked = shown.includes(k);
                box.disabled = box.checked && shown.length === 1;
                return make("label", { style: `--own: ${traceCss[k % traceCss.length]}` }, box,
                    make("span", { class: "swatch" }), make("span", {}, name));
            }));
    }
}
