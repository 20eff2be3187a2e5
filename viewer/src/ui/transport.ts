// Play, step, scrub, speed, loop.
import { neighbour } from "../data/steps";
import { SPEEDS } from "../player";
import type { Context } from "./context";
import { icon, iconButton, make } from "./dom";
import { formatTime } from "./format";
import { Scrubber } from "./scrubber";

export class Transport {
    readonly element: HTMLElement;
    private readonly scrubber: Scrubber;
    private readonly play: HTMLButtonElement;
    private readonly loop: HTMLButtonElement;
    private readonly speed: HTMLSelectElement;
    private readonly time = make("div", { class: "time" });

    constructor(private readonly context: Context) {
        const { player } = context;
        this.scrubber = new Scrubber(context);
        this.play = iconButton("play", "Play", () => player.toggle());
        this.play.classList.add("primary");
        this.loop = iconButton("loop", "Repeat", () => player.setLoop(!player.loop));
        this.speed = make("select", { "aria-label": "Speed", class: "speed",
            onchange: () => player.setSpeed(Number(this.speed.value)) },
            ...SPEEDS.map((speed) => make("option", { value: speed }, `${speed}×`)));
        const buttons = make("div", { class: "buttons" },
            iconButton("first", "Previous impact (Shift + ←)", () => this.stepImpact(-1)),
            iconButton("back", "Back one row (←)", () => this.stepRow(-1)),
            this.play,
            iconButton("forward", "Forward one row (→)", () => this.stepRow(1)),
            iconButton("last", "Next impact (Shift + →)", () => this.stepImpact(1)));
        this.element = make("div", { class: "transport", role: "group", "aria-label": "Playback" },
            this.scrubber.element,
            make("div", { class: "controls" }, buttons, this.time,
                make("div", { class: "rate" }, this.speed, this.loop)));
        player.onChange(() => this.show());
        this.show();
    }

    private lists(impacts: boolean): Float64Array[] {
        return this.context.visible().map((k) => {
            const trace = this.context.traces[k];
            return impacts ? trace.impacts.t : trace.t;
        });
    }

    private step(impacts: boolean, by: number): void {
        const { player } = this.context;
        player.pause();
        const to = neighbour(this.lists(impacts), player.t, by, player.end - player.begin);
        if (to !== null) player.seek(to);
    }

    stepRow(by: number): void {
        this.step(false, by);
    }

    stepImpact(by: number): void {
        this.step(true, by);
    }

    private show(): void {
        const { player } = this.context;
        const name = player.playing ? "Pause" : "Play";
        if (this.play.getAttribute("aria-label") !== name) {
            this.play.setAttribute("aria-label", name);
            this.play.title = `${name} (space)`;
            this.play.replaceChildren(icon(player.playing ? "pause" : "play"));
        }
        this.loop.setAttribute("aria-pressed", String(player.loop));
        this.speed.value = String(player.speed);
    }

    rebuild(): void {
        this.scrubber.drawTicks();
    }

    update(t: number): void {
        const { begin, end } = this.context.player;
        this.scrubber.update(t);
        this.time.textContent = `${formatTime(t, end - begin)} / ${formatTime(end, end - begin)}`;
    }
}
