// The list of impacts. Thousands are possible: only the rows in sight exist.
import { impulsesOf } from "../data/impulses";
import { countUpTo } from "../data/search";
import type { Trace } from "../data/trace";
import type { Context, Pane } from "./context";
import { make } from "./dom";
import { formatNumber } from "./format";

const ROW = 34; // pixels, as in the style sheet
const MORE = 6; // rows beyond the edges

const MOST = 3; // contacts that are named

/** The contacts that carried an impulse, the strongest first; the rest as a number. */
export function describeContacts(trace: Trace, impact: number): string {
    if (impact >= trace.impacts.impulse.rows) return "–";
    const all = impulsesOf(trace, impact);
    const named = all.slice(0, MOST).map(({ name, value }) => `${name} ${formatNumber(value, 3)}`);
    if (all.length > MOST) named.push(`+${all.length - MOST}`);
    return named.join(", ") || "no impulse";
}

export class ImpactsPane implements Pane {
    readonly title = "Impacts";
    readonly element = make("div", { class: "impacts" });
    private readonly list = make("div", { class: "impact-list", role: "list", tabindex: 0,
                                          "aria-label": "Impacts" });
    private readonly space = make("div", { class: "impact-space" });
    private readonly select: HTMLSelectElement;
    private readonly count = make("p", { class: "note" });
    private current = -1;

    constructor(private readonly context: Context) {
        this.select = make("select", { "aria-label": "Trace", onchange: () => this.rebuild() },
            ...context.names.map((name, k) => make("option", { value: k }, name)));
        this.list.append(this.space);
        this.list.addEventListener("scroll", () => this.fill(), { passive: true });
        new ResizeObserver(() => this.fill()).observe(this.list);
        this.element.append(
            make("h3", {}, "Impacts"),
            make("div", { class: "chips" }, context.traces.length > 1 ? this.select : null, this.count),
            make("div", { class: "impact-row impact-head", "aria-hidden": "true" },
                make("span", {}, "time"), make("span", {}, "contacts, impulses"),
                make("span", {}, "energy change")),
            this.list);
        this.rebuild();
    }

    private get trace(): Trace {
        return this.context.traces[Number(this.select.value) || 0];
    }

    rebuild(): void {
        const { impacts, originalImpacts } = this.trace;
        this.count.textContent = impacts.count < originalImpacts
            ? `The first ${impacts.count} of ${originalImpacts} impacts`
            : impacts.count === 0 ? "No impact in this trace"
            : `${impacts.count} ${impacts.count === 1 ? "impact" : "impacts"}`;
        this.space.style.height = `${impacts.count * ROW}px`;
        this.current = -1;
        this.update(this.context.player.t);
        this.fill();
    }

    private makeRow(k: number): HTMLElement {
        const { trace } = this;
        const now = k === this.current;
        const t = trace.impacts.t[k];
        return make("div", { role: "listitem", class: "impact-item", style: `top: ${k * ROW}px` },
            make("button", { type: "button", class: "impact-row",
                             "aria-current": now ? "true" : null, "data-impact": k,
                             onclick: () => { this.context.player.pause(); this.context.player.seek(t); } },
                make("span", {}, formatNumber(t, 7)),
                make("span", { class: "contacts" }, describeContacts(trace, k)),
                make("span", {}, formatNumber(trace.impacts.energyChange[k], 3))));
    }

    private fill(): void {
        const { count } = this.trace.impacts;
        const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - MORE);
        const last = Math.min(count, Math.ceil((this.list.scrollTop + this.list.clientHeight) / ROW) + MORE);
        const focused = (document.activeElement as HTMLElement | null)?.dataset.impact;
        const rows: HTMLElement[] = [];
        for (let k = first; k < last; k++) rows.push(this.makeRow(k));
        this.space.replaceChildren(...rows);
        if (focused) this.space.querySelector<HTMLElement>(`[data-impact="${focused}"]`)?.focus();
    }

    update(t: number): void {
        const { impacts } = this.trace;
        const now = countUpTo(impacts.t, t + 1e-9 * Math.max(1, Math.abs(t))) - 1;
        if (now === this.current) return;
        this.current = now;
        const { list } = this;
        if (now >= 0 && list.clientHeight > 0) {
            const top = now * ROW;
            if (top < list.scrollTop || top + ROW > list.scrollTop + list.clientHeight)
                list.scrollTop = top - list.clientHeight / 2;
        }
        this.fill();
    }
}
