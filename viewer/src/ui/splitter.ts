// The edge between picture and panel: drag it, move it with the arrow keys, double-click to reset.
import { make } from "./dom";

const LEAST = 280; // pixels of either side
const STEP = 24;

export class Splitter {
    readonly element: HTMLElement;
    private width = 0; // 0: as the style sheet says

    constructor(private readonly host: HTMLElement) {
        this.element = make("div", { class: "splitter", role: "separator", tabindex: 0,
            "aria-orientation": "vertical", "aria-label": "Width of the panel",
            title: "Drag to widen the panel, double-click to reset",
            onpointerdown: (event: PointerEvent) => this.start(event),
            ondblclick: () => this.set(0),
            onkeydown: (event: KeyboardEvent) => this.key(event) });
    }

    private get side(): number {
        const side = this.host.querySelector<HTMLElement>(".side");
        return this.width || side?.clientWidth || 400;
    }

    private set(width: number): void {
        const most = this.host.clientWidth - LEAST;
        this.width = width && Math.round(Math.min(Math.max(width, LEAST), most));
        if (this.width) this.host.style.setProperty("--side", `${this.width}px`);
        else this.host.style.removeProperty("--side");
        this.element.setAttribute("aria-valuenow", String(this.side));
    }

    private start(event: PointerEvent): void {
        this.element.setPointerCapture(event.pointerId);
        const move = ({ clientX }: PointerEvent): void =>
            this.set(this.host.getBoundingClientRect().right - clientX);
        this.element.addEventListener("pointermove", move);
        this.element.addEventListener("lostpointercapture",
            () => this.element.removeEventListener("pointermove", move), { once: true });
        event.preventDefault();
    }

    private key(event: KeyboardEvent): void {
        const by = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        this.set(this.side + by);
    }
}
