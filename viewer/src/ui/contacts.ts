// What the contacts do now: open, closed, sticking, slipping; and the impact that has just been.
import { countUpTo } from "../data/search";
import type { Trace } from "../data/trace";
import { recentImpacts } from "../scene/recent";
import type { Context } from "./context";
import { make } from "./dom";
import { formatNumber } from "./format";
import { describeContacts } from "./pane_impacts";

const MODES = ["open", "closed", "sticks", "slips +", "slips −", "slips", "impact"];
const HIT = 6;
const MOST = 8; // contacts that are listed

export class ContactState {
    readonly element = make("div", { class: "state" });
    private readonly list = make("ul", { class: "contact-states", "aria-label": "Contacts" });
    private readonly impact = make("p", { class: "impact-card", role: "status" });
    private shown = "";

    constructor(private readonly context: Context, private readonly fading: () => number) {
        this.element.append(this.list, this.impact);
    }

    /** What the first contacts do: their mode in the row before, or the impact they are in. */
    private modes(trace: Trace, t: number, impact: number): { name: string; mode: number }[] {
        const { mode, impacts: { impulse } } = trace;
        const hit = (j: number): boolean =>
            impact >= 0 && impact < impulse.rows && impulse.columns > j && impulse.values[impact * impulse.columns + j] > 0;
        const row = Math.max(countUpTo(trace.t, t) - 1, 0);
        return mode.names.slice(0, MOST).map((name, j) => ({
            name,
            mode: hit(j) ? HIT : mode.values[row * mode.columns + j] || 0,
        }));
    }

    update(t: number): void {
        const k = this.context.visible()[0] ?? 0;
        const trace = this.context.traces[k];
        const last = recentImpacts(trace.impacts.t, t, this.fading()).pop();
        const modes = this.modes(trace, t, last?.impact ?? -1);
        const shown = `${k} ${last?.impact} ${modes.map(({ mode }) => mode).join()}`;
        if (shown === this.shown) return;
        this.shown = shown;
        this.list.replaceChildren(...modes.map(({ name, mode }) =>
            make("li", { class: mode ? "on" : "" }, make("span", { class: "lamp" }),
                `${name} `, make("span", { class: "mode" }, MODES[mode] ?? "closed"))));
        const more = trace.mode.columns - modes.length;
        if (more > 0) this.list.append(make("li", {}, `and ${more} more`));
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
