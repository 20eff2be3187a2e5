// The page put together: stage, transport, panes; one loop that draws what has changed.
import { nameTraces } from "./data/names";
import type { Trace } from "./data/trace";
import { Player } from "./player";
import { readTheme } from "./scene/colors";
import { Stage } from "./scene/stage";
import { ContactState } from "./ui/contacts";
import type { Context } from "./ui/context";
import { iconButton, make, type Icon } from "./ui/dom";
import { listenToKeys, makeHelp } from "./ui/keyboard";
import { Legend } from "./ui/legend";
import { EnergyPane } from "./ui/pane_energy";
import { ImpactsPane } from "./ui/pane_impacts";
import { PhasePane } from "./ui/pane_phase";
import { PlotsPane } from "./ui/pane_plots";
import { Tabs } from "./ui/tabs";
import { ThemeSwitch } from "./ui/theme";
import { Transport } from "./ui/transport";

const SHOWN_FOR = 0.5; // seconds that the arrows of an impact stay

export class App {
    readonly player: Player;
    readonly stage: Stage | null;
    private readonly context: Context;
    private readonly transport: Transport;
    private readonly tabs: Tabs;
    private readonly legend: Legend;
    private readonly state: ContactState;
    private theme;
    private shown: number[];
    private drawnAt = NaN;

    constructor(host: HTMLElement, readonly traces: readonly Trace[]) {
        const themes = new ThemeSwitch(() => this.restyle());
        this.theme = readTheme();
        this.shown = traces.map((_, k) => k);
        const begin = Math.min(...traces.map((trace) => trace.t[0]));
        const end = Math.max(...traces.map((trace) => trace.t[trace.rows - 1]));
        this.player = new Player(begin, end);
        this.context = { traces, names: nameTraces(traces), player: this.player,
                         theme: () => this.theme, visible: () => this.shown };
        const area = make("section", { class: "stage", "aria-label": "Motion" });
        this.transport = new Transport(this.context);
        this.tabs = new Tabs([new PlotsPane(this.context), new EnergyPane(this.context),
                              new PhasePane(this.context), new ImpactsPane(this.context)]);
        this.legend = new Legend(this.context, (k) => this.toggleTrace(k));
        this.state = new ContactState(this.context, () => this.fading());
        const help = makeHelp();
        host.className = "app";
        const main = make("main", { class: "main" }, area, this.state.element, this.transport.element);
        host.replaceChildren(main, this.tabs.element, help);
        this.stage = this.makeStage(area);
        host.prepend(this.makeHead(themes, () => help.showModal()));
        area.append(make("div", { class: "over" }, this.legend.element),
                    this.makeTools());
        listenToKeys({ player: this.player, transport: this.transport, stage: this.stage,
                       toggleTheme: () => themes.toggle(), help: () => help.showModal() });
        this.player.onChange(() => this.stage?.invalidate());
        this.restyle();
        const loop = (now: number): void => {
            this.frame(now);
            requestAnimationFrame(loop);
        };
        requestAnimationFrame(loop);
    }

    private fading(): number {
        const { speed, begin, end } = this.player;
        return Math.max(SHOWN_FOR * speed, 1e-9 * (end - begin));
    }

    private makeStage(area: HTMLElement): Stage | null {
        try {
            const stage = new Stage(area, this.context.traces, this.context.names);
            this.nameStage(stage);
            return stage;
        } catch {
            area.append(make("p", { class: "no-stage" },
                "This browser shows no WebGL, so the picture is missing. The plots work."));
            return null;
        }
    }

    private makeHead(themes: ThemeSwitch, help: () => void): HTMLElement {
        const { traces } = this.context;
        const titles = [...new Set(traces.map((trace) => trace.title || trace.file))];
        const title = titles.join(", ");
        document.title = `${title} – Carom`;
        const about = (key: "law" | "method"): string =>
            [...new Set(traces.map((trace) => trace[key]).filter(Boolean))].join(", ");
        const subtitle = [about("law"), about("method")].filter(Boolean).join(" · ");
        return make("header", { class: "head" },
            make("div", { class: "titles" }, make("h1", {}, title), make("p", {}, subtitle)),
            this.makeNotice(),
            make("div", { class: "head-tools" },
                ...this.makeChoices(),
                iconButton("theme", "Dark or light (D)", () => themes.toggle()),
                iconButton("help", "Keys (?)", help)));
    }

    private makeNotice(): HTMLElement | null {
        const parts = this.context.traces.flatMap((trace, k) => {
            const name = this.context.traces.length > 1 ? `${this.context.names[k]}: ` : "";
            return trace.rows < trace.originalRows
                ? [`${name}${trace.rows.toLocaleString("en")} of ` +
                   `${trace.originalRows.toLocaleString("en")} rows`] : [];
        });
        if (!parts.length) return null;
        return make("p", { class: "notice", role: "note" },
            `Thinned: ${parts.join("; ")}, complete near impacts`);
    }

    /** Two buttons of which one is pressed. */
    private makeChoice(label: string, names: readonly string[], at: number,
                       choose: (k: number) => void): HTMLElement {
        const buttons = names.map((name, k) =>
            make("button", { type: "button", "aria-pressed": String(k === at), onclick: () => {
                choose(k);
                buttons.forEach((button, j) => button.setAttribute("aria-pressed", String(j === k)));
            } }, name));
        return make("div", { class: "choice", role: "group", "aria-label": label }, ...buttons);
    }

    private makeChoices(): HTMLElement[] {
        const { stage } = this;
        if (!stage) return [];
        const choices: HTMLElement[] = [];
        if (stage.both)
            choices.push(this.makeChoice("Picture", ["Drawing", "Space"], Number(stage.spatial),
                (k) => { stage.setSpatial(k === 1); this.nameStage(stage); }));
        if (this.context.traces.length > 1)
            choices.push(this.makeChoice("Comparison", ["Overlaid", "Side by side"], 0, (k) => {
                stage.apart = k === 1;
                stage.arrange();
            }));
        return choices;
    }

    private nameStage({ canvas, spatial }: Stage): void {
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label",
            spatial ? "The bodies in space: drag to turn" : "The picture: drag to move");
    }

    private makeTools(): HTMLElement {
        const toggle = (icon: Icon, label: string, key: "arrows" | "trails"): HTMLElement => {
            const button = iconButton(icon, label, () => {
                if (!this.stage) return;
                this.stage[key] = !this.stage[key];
                this.stage.invalidate();
                button.setAttribute("aria-pressed", String(this.stage[key]));
            });
            button.setAttribute("aria-pressed", "true");
            return button;
        };
        return make("div", { class: "tools", role: "group", "aria-label": "View" },
            iconButton("plus", "Zoom in (])", () => this.stage?.zoomIn()),
            iconButton("minus", "Zoom out ([)", () => this.stage?.zoomOut()),
            iconButton("fit", "Fit (F)", () => this.stage?.fit()),
            toggle("arrow", "Arrows at impacts", "arrows"), toggle("trail", "Trails", "trails"));
    }

    private toggleTrace(k: number): void {
        const shown = new Set(this.shown);
        if (!shown.delete(k)) shown.add(k);
        this.shown = [...shown].sort((a, b) => a - b);
        if (this.stage) {
            this.stage.visible = this.shown;
            this.stage.arrange();
        }
        this.restyle();
    }

    /** Colours or traces have changed. */
    private restyle(): void {
        this.theme = this.stage?.updateTheme() ?? readTheme();
        this.legend.rebuild();
        this.tabs.rebuild();
        this.transport.rebuild();
        this.drawnAt = NaN;
    }

    private frame(now: number): void {
        this.player.advance(now);
        const { t } = this.player;
        if (this.stage) {
            this.stage.fading = this.fading();
            this.stage.draw(t);
            if (this.stage.frames === 1) performance.mark("carom-drawn");
        }
        if (t === this.drawnAt) return;
        this.drawnAt = t;
        this.transport.update(t);
        this.tabs.update(t);
        this.state.update(t);
    }
}
