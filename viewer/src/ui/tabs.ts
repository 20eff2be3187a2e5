// The side panel: panes behind tabs, after the pattern of the ARIA guide.
import type { Pane } from "./context";
import { make } from "./dom";

export class Tabs {
    readonly element: HTMLElement;
    private readonly buttons: HTMLButtonElement[];
    private readonly panels: HTMLElement[];
    private shown = 0;

    constructor(private readonly panes: readonly Pane[]) {
        this.buttons = panes.map((pane, k) => make("button", {
            type: "button", role: "tab", id: `tab-${k}`, "aria-controls": `pane-${k}`,
            onclick: () => this.show(k), onkeydown: (event: KeyboardEvent) => this.key(event, k),
        }, pane.title));
        this.panels = panes.map((pane, k) => make("div", {
            role: "tabpanel", id: `pane-${k}`, "aria-labelledby": `tab-${k}`, class: "pane",
        }, pane.element));
        this.element = make("aside", { class: "side", "aria-label": "Plots and lists" },
            make("div", { role: "tablist", class: "tabs", "aria-label": "What to show" }, ...this.buttons),
            ...this.panels);
        this.show(0);
    }

    private key(event: KeyboardEvent, k: number): void {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by === undefined || event.shiftKey) return;
        event.preventDefault();
        event.stopPropagation();
        const to = (k + by + this.panes.length) % this.panes.length;
        this.show(to);
        this.buttons[to].focus();
    }

    show(k: number): void {
        this.shown = k;
        this.buttons.forEach((button, j) => {
            button.setAttribute("aria-selected", String(j === k));
            button.tabIndex = j === k ? 0 : -1;
        });
        this.panels.forEach((panel, j) => (panel.hidden = j !== k));
        this.panes[k].rebuild();
    }

    rebuild(): void {
        this.panes[this.shown].rebuild();
    }

    update(t: number): void {
        this.panes[this.shown].update(t);
    }
}
