// A section of plots: one kind of quantity, columns to choose, a chart of the chosen ones.
import { countUpTo } from "../data/search";
import { lineOf, type TableName } from "../data/series";
import type { Trace } from "../data/trace";
import { Chart, type ChartLine } from "./chart";
import { lineStyle, type Context } from "./context";
import { make } from "./dom";
import { formatNumber } from "./format";

const MOST_CHIPS = 16; // more columns are chosen from a list

export class Quantities {
    readonly element: HTMLElement;
    private readonly chart: Chart;
    private readonly chips = make("div", { class: "chips" });
    private readonly chosen = new Set<string>();
    private readonly columns: string[];
    private values: { output: HTMLElement; trace: Trace; column: number }[] = [];

    constructor(private readonly context: Context, title: string, private readonly table: TableName,
                first: readonly string[], height?: number) {
        const all = context.traces.flatMap((trace) => [...trace[table].names]);
        this.columns = [...new Set(all)];
        for (const name of first) if (this.columns.includes(name)) this.chosen.add(name);
        const { player } = context;
        this.chart = new Chart(`${title} over time`, (t) => player.seek(t), context.theme, height);
        this.element = make("section", { class: "quantities" },
            make("h3", {}, title), this.chips, this.chart.element);
        this.rebuild();
    }

    get empty(): boolean {
        return this.columns.length === 0;
    }

    private toggle(name: string): void {
        if (!this.chosen.delete(name)) this.chosen.add(name);
        this.rebuild();
        this.chips.querySelector<HTMLElement>(`[data-name="${CSS.escape(name)}"]`)?.focus();
    }

    rebuild(): void {
        const lines: ChartLine[] = [];
        const chosen = this.columns.filter((name) => this.chosen.has(name));
        this.values = [];
        const { traces, names } = this.context;
        chosen.forEach((name, c) => {
            for (const k of this.context.visible()) {
                const column = traces[k][this.table].names.indexOf(name);
                if (column < 0) continue;
                const line = lineOf(traces[k], this.table, column);
                const label = traces.length > 1 ? `${name}, ${names[k]}` : name;
                lines.push({ name: label, line, ...lineStyle(this.context, k, c) });
            }
        });
        this.showChips(chosen);
        this.chart.show(lines);
        this.update(this.context.player.t);
    }

    private showChips(chosen: readonly string[]): void {
        const many = this.columns.length > MOST_CHIPS;
        const shown = many ? chosen : this.columns;
        this.chips.replaceChildren(...shown.map((name) => this.makeChip(name, chosen.indexOf(name))));
        if (many) this.chips.append(this.makeList());
    }

    private makeChip(name: string, c: number): HTMLElement {
        const on = c >= 0;
        const chip = make("button", { type: "button", class: "chip", "aria-pressed": String(on),
                                      "data-name": name, onclick: () => this.toggle(name) }, name);
        if (!on) return chip;
        for (const k of this.context.visible()) {
            const trace = this.context.traces[k];
            const column = trace[this.table].names.indexOf(name);
            if (column < 0) continue;
            const { color } = lineStyle(this.context, k, c);
            const output = make("span", { class: "value", style: `--own: ${color}` });
            chip.append(output);
            this.values.push({ output, trace, column });
        }
        return chip;
    }

    private makeList(): HTMLElement {
        const select = make("select", { "aria-label": `Add or remove one of ${this.columns.length}`,
            onchange: () => select.value && this.toggle(select.value) },
            make("option", { value: "" }, "choose…"),
            ...this.columns.map((name) => make("option", { value: name },
                (this.chosen.has(name) ? "✓ " : "") + name)));
        return select;
    }

    update(t: number): void {
        this.chart.update(t);
        for (const { output, trace, column } of this.values) {
            const row = Math.max(countUpTo(trace.t, t) - 1, 0);
            const table = trace[this.table];
            const text = formatNumber(table.values[row * table.columns + column]);
            if (output.textContent !== text) output.textContent = text;
        }
    }
}
