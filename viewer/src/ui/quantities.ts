// A section of plots: columns to choose, their values now, one small plot for each unit.
import { countUpTo } from "../data/search";
import { lineOf, type TableName } from "../data/series";
import type { Trace } from "../data/trace";
import { groupByUnit } from "../data/units";
import { Chart, type ChartLine } from "./chart";
import { lineStyle, type Context } from "./context";
import { make } from "./dom";
import { formatNumber, zeroBelow } from "./format";

const MOST_CHIPS = 24; // more columns are chosen from a list

interface Value {
    readonly output: HTMLElement;
    readonly trace: Trace;
    readonly column: number;
    readonly zero: number; // what counts as none beside the rest of its column
}

interface Options {
    readonly tall?: number; // height over width of a plot
    readonly together?: boolean; // all in one plot
    readonly wide?: string; // a line that is drawn thick
}

export class Quantities {
    readonly element: HTMLElement;
    private readonly columns: string[];
    private readonly chosen = new Set<string>();
    private readonly chips = make("div", { class: "chips" });
    private readonly plots = make("div", { class: "plots" });
    private charts: Chart[] = [];
    private values: Value[] = [];

    constructor(private readonly context: Context, private readonly title: string,
                private readonly table: TableName, first: readonly string[],
                private readonly options: Options = {}) {
        const all = context.traces.flatMap((trace) => [...trace[table].names]);
        this.columns = [...new Set(all)];
        for (const name of first) if (this.columns.includes(name)) this.chosen.add(name);
        this.element = make("section", { class: "quantities" },
            make("h3", {}, title), this.chips, this.plots);
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

    private linesOf(names: readonly string[], chosen: readonly string[]): ChartLine[] {
        const { traces, names: traceNames } = this.context;
        return names.flatMap((name) => this.context.visible().flatMap((k): ChartLine[] => {
            const column = traces[k][this.table].names.indexOf(name);
            if (column < 0) return [];
            return [{ name: traces.length > 1 ? `${name}, ${traceNames[k]}` : name,
                      line: lineOf(traces[k], this.table, column), wide: name === this.options.wide,
                      ...lineStyle(this.context, k, chosen.indexOf(name)) }];
        }));
    }

    rebuild(): void {
        const chosen = this.columns.filter((name) => this.chosen.has(name));
        const tables = this.context.traces.map((trace) => trace[this.table]);
        const groups = this.options.together ? (chosen.length ? [chosen] : [])
            : groupByUnit(tables, chosen);
        this.values = [];
        this.showChips(chosen);
        const { player, theme } = this.context;
        while (this.charts.length < groups.length)
            this.charts.push(new Chart(this.title, (t) => player.seek(t), theme, this.options.tall));
        this.plots.replaceChildren(...groups.map((names, k) => {
            this.charts[k].name(`${this.title} over time: ${names.join(", ")}`);
            return this.charts[k].element;
        }));
        this.charts.forEach((chart, k) => chart.show(this.linesOf(groups[k] ?? [], chosen)));
        this.update(player.t);
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
            this.values.push({ output, trace, column, zero: zeroBelow(trace[this.table], column) });
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
        for (const chart of this.charts) chart.update(t);
        for (const { output, trace, column, zero } of this.values) {
            const row = Math.max(countUpTo(trace.t, t) - 1, 0);
            const table = trace[this.table];
            const value = table.values[row * table.columns + column];
            const text = formatNumber(Math.abs(value) <= zero ? 0 : value);
            if (output.textContent !== text) output.textContent = text;
        }
    }
}
