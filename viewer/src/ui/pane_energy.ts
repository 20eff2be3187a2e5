// The energy ledger: what there is, and what impacts, events, friction and forces have taken or given.
import type { Trace } from "../data/trace";
import type { Context, Pane } from "./context";
import { make } from "./dom";
import { formatNumber } from "./format";
import { Quantities } from "./quantities";

function isZero({ energy }: Trace, name: string): boolean {
    const j = energy.names.indexOf(name);
    for (let k = 0; k < energy.rows; k++)
        if (Math.abs(energy.values[k * energy.columns + j]) > 0) return false;
    return true;
}

const STORED = ["kinetic", "potential"];
const WORK = ["impacts", "events", "friction", "forces", "constraints", "projection"];

export class EnergyPane implements Pane {
    readonly title = "Energy";
    readonly element = make("div");
    private readonly ledger: Quantities;
    private readonly balances = make("ul", { class: "balances" });

    constructor(private readonly context: Context) {
        const used = (name: string): boolean =>
            context.traces.some((trace) => trace.energy.names.includes(name) && !isZero(trace, name));
        const first = ["total", ...STORED, ...WORK.slice(0, 4)].filter(used);
        this.ledger = new Quantities(context, "Energy ledger", "energy", first,
            { tall: 0.66, together: true, wide: "total" });
        this.element.append(
            this.ledger.element,
            make("p", { class: "note" },
                "Total is kinetic plus potential energy. It is the initial energy plus what impacts, " +
                "events, friction and other forces have added since the start (negative: taken away), but " +
                "for the balance error."),
            this.balances,
        );
        this.rebuild();
    }

    rebuild(): void {
        this.ledger.rebuild();
        this.balances.replaceChildren(...this.context.visible().map((k) => {
            const { energy, rows } = this.context.traces[k];
            const at = energy.names.indexOf("balance");
            const value = energy.values[(rows - 1) * energy.columns + at];
            const name = this.context.traces.length > 1 ? `${this.context.names[k]}: ` : "";
            return make("li", {}, `${name}balance error at the end ${formatNumber(value)}`);
        }));
    }

    update(t: number): void {
        this.ledger.update(t);
    }
}
