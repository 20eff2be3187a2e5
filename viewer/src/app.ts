// The page put together: stage, transport, panes; one loop that draws what has changed.
import { earlyEnd } from "./data/events";
import { nameTraces } from "./data/names";
import type { Trace } from "./data/trace";
import { Player } from "./player";
import { readTheme } from "./scene/colors";
import { Stage } from "./scene/stage";
import { keepTimeInAddress } from "./ui/address";
import { BodyCard } from "./ui/body_card";
import { ContactState } from "./ui/contacts";
import type { Context } from "./ui/context";
import { iconButton, make, type Icon } from "./ui/dom";
import { listenToKeys, makeHelp } from "./ui/keyboard";
import { Legend } from "./ui/legend";
import { EnergyPane } from "./ui/pane_energy";
import { ImpactsPane } from "./ui/pane_impacts";
import { PhasePane } from "./ui/pane_phase";
import { PlotsPane } from "./ui/pane_plots";
import { ScenePane } from "./ui/pane_scene";
import { SaveMenu } from "./ui/save";
import { Splitter } from "./ui/splitter";
import { Tabs } from "./ui/tabs";
import { ThemeSwitch } from "./ui/theme";
import { Transport } from "./ui/transport";

const SHOWN_FOR = 0.5; // seconds that the arrows of an impact stay at most,
const SHOWN_PART = 0.04; // and the part of the motion: many impacts must not cover each other

function toggleFullScreen(element: HTMLElement): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void element.requestFullscreen?.().catch(() => undefined); // a reader may forbid it
}

export class App {
    readonly player: Player;
    readonly stage: Stage | null;
    private readonly context: Context;
    private readonly transport: Transport;
    private readonly tabs: Tabs;
    private readonly legend: Legend;
    private readonly state: ContactState;
    private readonly card: BodyCard;
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
                              new PhasePane(this.context), new ImpactsPane(this.context),
                              new ScenePane(this.context)]);
        this.legend = new Legend(this.context, (k) => this.toggleTrace(k));
        this.state = new ContactState(this.context, () => this.fading());
        this.card = new BodyCard(traces, () => this.stage?.unpick());
        const help = makeHelp();
        host.className = "app";
        const main = make("main", { class: "main" }, area, this.state.element, this.transport.element);
        host.replaceChildren(main, new Splitter(host).element, this.tabs.element, help);
        this.stage = this.makeStage(area);
        host.prepend(this.makeHead(themes, () => help.showModal(), main));
        area.append(make("div", { class: "over" }, this.legend.element), this.card.element,
                    this.makeTools());
        if (this.stage) this.stage.onPick = (picked) => this.card.show(picked, this.player.t);
        listenToKeys({ player: this.player, transport: this.transport, stage: this.stage,
                       toggleTheme: () => themes.toggle(), help: () => help.showModal(),
                       fullScreen: () => toggleFullScreen(main) });
        this.player.onChange(() => this.stage?.invalidate());
        keepTimeInAddress(this.player);
        this.restyle();
        const loop = (now: number): void => {
            this.frame(now);
            requestAnimationFrame(loop);
        };
        requestAnimationFrame(loop);
    }

    private fading(): number {
        const { speed, begin, end } = this.player;
        const span = end - begin;
        return Math.max(Math.min(SHOWN_FOR * speed, SHOWN_PART * span), 1e-9 * span);
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

    private makeHead(themes: ThemeSwitch, help: () => void, main: HTMLElement): HTMLElement {
        const { traces } = this.context;
        const titles = [...new Set(traces.map((trace) => trace.title || trace.file))];
        const title = titles.join(", ");
        document.title = `${title} – Carom`;
        const about = (key: "law" | "method"): string =>
            [...new Set(traces.map((trace) => trace[key]).filter(Boolean))].join(", ");
        const subtitle = [about("law"), about("method")].filter(Boolean).join(" · ");
        return make("header", { class: "head" },
            make("div", { class: "titles" }, make("h1", {}, title), make("p", {}, subtitle)),
            ...this.makeNotices(),
            make("div", { class: "head-tools" },
                ...this.makeChoices(), this.makeFollow(),
                this.stage && new SaveMenu(this.player, this.stage, title).element,
                iconButton("full", "Full screen (G)", () => toggleFullScreen(main)),
                iconButton("theme", "Dark or light (D)", () => themes.toggle()),
                iconButton("help", "Keys (?)", help)));
    }

    /** What a reader should know before looking: rows left out, a run that stopped early. */
    private makeNotices(): HTMLElement[] {
        const { traces, names } = this.context;
        const told = (say: (trace: Trace) => string): string =>
            traces.map((trace, k) => [traces.length > 1 ? `${names[k]}: ` : "", say(trace)])
                .filter(([, text]) => text).map(([name, text]) => name + text).join("; ");
        const thinned = told((trace) => trace.rows < trace.originalRows
            ? `${trace.rows.toLocaleString("en")} of ${trace.originalRows.toLocaleString("en")} rows` : "");
        const ended = told(earlyEnd);
        const notices: HTMLElement[] = [];
        if (ended) notices.push(make("p", { class: "notice early", role: "note", title: ended }, ended));
        if (thinned)
            notices.push(make("p", { class: "notice", role: "note" },
                `Thinned: ${thinned}, complete near impacts`));
        return notices;
    }

    /** Which body stays in the middle. */
    private makeFollow(): HTMLElement | null {
        const { stage } = this;
        const bodies = stage?.followable() ?? [];
        if (!stage || !bodies.length) return null;
        const select = make("select", { "aria-label": "Follow a body", class: "follow", onchange: () =>
            stage.follow(select.value === "" ? null : Number(select.value)) },
            make("option", { value: "" }, "Follow…"),
            ...bodies.map(({ name, shape }) => make("option", { value: shape }, name)));
        return select;
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
        const toggle = (icon: Icon, label: string, key: "arrows" | "trails" | "cones"): HTMLElement => {
            const button = iconButton(icon, label, () => {
                if (!this.stage) return;
                this.stage[key] = !this.stage[key];
                this.stage.invalidate();
                button.setAttribute("aria-pressed", String(this.stage[key]));
            });
            button.setAttribute("aria-pressed", String(this.stage?.[key] ?? true));
            return button;
        };
        return make("div", { class: "tools", role: "group", "aria-label": "View" },
            iconButton("plus", "Zoom in (])", () => this.stage?.zoomIn()),
            iconButton("minus", "Zoom out ([)", () => this.stage?.zoomOut()),
            iconButton("fit", "Fit (F)", () => this.stage?.fit()),
            toggle("arrow", "Arrows at impacts", "arrows"), toggle("cone", "Friction cones", "cones"),
            toggle("trail", "Trails", "trails"));
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
            this.stage.judge(this.player.playing);
            this.stage.draw(t);
            if (this.stage.frames === 1) performance.mark("carom-drawn");
        }
        if (t === this.drawnAt) return;
        this.drawnAt = t;
        this.transport.update(t);
        this.tabs.update(t);
        this.state.update(t);
        this.card.update(t);
    }
}
