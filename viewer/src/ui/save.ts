// Pictures and films out of the page.
import type { Player } from "../player";
import { download } from "../scene/snapshot";
import type { Stage } from "../scene/stage";
import { icon, make } from "./dom";

const FRAMES = 30; // a second
const STILL = 0.7; // seconds that a film stays at its end

/** The film of one run through the motion, recorded while it plays. */
class Film {
    private readonly canvas = document.createElement("canvas");
    private readonly brush = this.canvas.getContext("2d")!;
    private readonly parts: Blob[] = [];
    private recorder: MediaRecorder | null = null;
    private timer = 0;

    constructor(private readonly player: Player, private readonly stage: Stage,
                private readonly name: string, private readonly ended: () => void) {}

    static get possible(): boolean {
        return typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");
    }

    start(): void {
        const { player } = this;
        this.stage.copyTo(this.brush);
        this.recorder = new MediaRecorder(this.canvas.captureStream(FRAMES),
            { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
        this.recorder.ondataavailable = ({ data }) => { if (data.size) this.parts.push(data); };
        this.recorder.onstop = () => download(new Blob(this.parts, { type: "video/webm" }), this.name);
        const loop = player.loop;
        player.setLoop(false);
        player.seek(player.begin);
        this.recorder.start();
        player.toggle();
        let rest = STILL * FRAMES; // frames of the end
        this.timer = window.setInterval(() => {
            this.stage.copyTo(this.brush);
            if (!player.playing && rest-- <= 0) this.stop(loop);
        }, 1000 / FRAMES);
    }

    stop(loop = true): void {
        if (!this.timer) return;
        window.clearInterval(this.timer);
        this.timer = 0;
        this.player.pause();
        this.player.setLoop(loop);
        this.recorder?.stop();
        this.ended();
    }
}

export class SaveMenu {
    readonly element: HTMLDetailsElement;
    private film: Film | null = null;
    private readonly filmButton: HTMLButtonElement;

    constructor(private readonly player: Player, private readonly stage: Stage,
                private readonly title: string) {
        const item = (text: string, does: () => void): HTMLButtonElement =>
            make("button", { type: "button", onclick: () => { this.element.open = false; does(); } }, text);
        this.filmButton = item("Film (WebM)", () => this.toggleFilm());
        this.filmButton.disabled = !Film.possible;
        const svg = item("Picture (SVG)", () => this.saveSvg());
        this.element = make("details", { class: "menu" },
            make("summary", { class: "icon", "aria-label": "Save a picture or a film",
                              title: "Save a picture or a film" }, icon("save")),
            make("div", { class: "menu-list", role: "group", "aria-label": "Save" },
                item("Picture (PNG)", () => this.savePng()), svg, this.filmButton));
        this.element.addEventListener("toggle", () => (svg.disabled = stage.spatial));
        document.addEventListener("click", ({ target }) => {
            if (target instanceof Node && !this.element.contains(target)) this.element.open = false;
        });
        this.element.addEventListener("keydown", (event) => {
            if (event.key !== "Escape" || !this.element.open) return;
            event.stopPropagation();
            this.element.open = false;
            this.element.querySelector("summary")?.focus();
        });
    }

    private file(ending: string): string {
        const plain = this.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "carom";
        const t = Number(this.player.t.toPrecision(6));
        return ending === "webm" ? `${plain}.webm` : `${plain}-t${t}.${ending}`;
    }

    savePng(): void {
        const brush = document.createElement("canvas").getContext("2d")!;
        this.stage.copyTo(brush);
        brush.canvas.toBlob((blob) => blob && download(blob, this.file("png")));
    }

    saveSvg(): void {
        const svg = this.stage.toSvg(this.title);
        if (svg) download(new Blob([svg], { type: "image/svg+xml" }), this.file("svg"));
    }

    toggleFilm(): void {
        if (this.film) {
            this.film.stop();
            return;
        }
        this.film = new Film(this.player, this.stage, this.file("webm"), () => {
            this.film = null;
            this.filmButton.textContent = "Film (WebM)";
            this.element.classList.remove("recording");
        });
        this.filmButton.textContent = "Stop the film";
        this.element.classList.add("recording");
        this.film.start();
    }
}
