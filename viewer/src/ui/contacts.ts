// What the contacts do now: open, closed, sticking, slipping; and the impact that has just been.
import { MODES } from "../data/events";
import { impulsesOf } from "../data/impulses";
import { countUpTo } from "../data/search";
import type { Trace } from "../data/trace";
import { recentImpacts } from "../scene/recent";
import type { Context } from "./context";
import { make } from "./dom";
import { formatNumber } from "./format";
import { describeContacts } from "./pane_impacts";

const HIT = -1;
const MOST = 6; // contacts that are listed unless all are asked for

interface State {
    readonly name: string;
    readonly mode: number; // or HIT
}

export class ContactState {
    readonly element = make("div", { class: "state" });
    private readonly list = make("ul", { class: "contact-states", "aria-label": "Contacts" });
    private readonly impact = make("p", { class: "impact-card", role: "status" });
    private shown = "";
    private all = false;

    constructor(private readonly context: Context, private readonly fading: () => number) {
        this.element.append(this.list, this.impact);
    }

    /** All contacts: those just struck first, then those that are closed. */
    private states(trace: Trace, t: number, impact: number): State[] {
        const { mode } = trace;
        const hit = new Map(impulsesOf(trace, impact).map(({ contact }, k) => [contact, k]));
        const row = Math.max(countUpTo(trace.t, t) - 1, 0);
        const own = (j: number): number => mode.values[row * mode.columns + j] || 0;
        const rank = (j: number): number => hit.get(j) ?? (own(j) ? 1e6 : 2e6) + j;
        return mode.names.map((_, j) => j).sort((a, b) => rank(a) - rank(b))
            .map((j) => ({ name: mode.names[j], mode: hit.has(j) ? HIT : own(j) }));
    }

    private makeItem({ name, mode }: State): HTMLElement {
        return make("li", { class: mode === HIT ? "on hit" : mode ? "on" : "" },
            make("span", { class: "lamp" }), `${name} `,
            make("span", { class: "mode" }, mode === HIT ? "impact" : MODES[mode] ?? "closed"));
    }

    private showList(states: readonly State[]): void {
        const shown = this.all ? states : states.slice(0, MOST);
        const hidden = states.length - shown.length;
        this.list.replaceChildren(...shown.map((state) => this.makeItem(state)));
        this.element.classList.toggle("all", this.all);
        if (!hidden && !this.all) return;
        const more = make("button", { type: "button", class: "more", "aria-expanded": String(this.all),
            onclick: () => { this.all = !this.all; this.shown = ""; this.update(this.context.player.t); } },
            this.all ? "fewer" : `+${hidden}`);
        more.title = this.all ? "Show the first ones only" : `${hidden} more contacts`;
        this.list.append(make("li", {}, more));
    }

    update(t: number): void {
        const k = this.context.visible()[0] ?? 0;
        const trace = this.context.traces[k];
        const last = recentImpacts(trace.impacts.t, t, this.fading()).pop();
        const states = this.states(trace, t, last?.impact ?? -1);
        const shown = `${k} ${last?.impact} ${states.map(({ name, mode }) => name + mode).join()}`;
        if (shown === this.shown) return;
        this.shown = shown;
        this.showList(states);
        this.impact.hidden = !last;
        if (last) {
            const change = formatNumber(trace.impacts.energyChange[last.impact], 3);
            const whose = this.context.traces.length > 1 ? `${this.context.names[k]}: ` : "";
            this.impact.textContent = `${whose}impact ${last.impact + 1} at ` +
                `t = ${formatNumber(trace.impacts.t[last.impact], 6)}: ` +
                `${describeContacts(trace, last.impact)}; energy ${change}`;
        }
    }
}
