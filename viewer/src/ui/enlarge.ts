// A plot over the whole window, and back: by double click, by its button, with Escape.
import { iconButton, make } from "./dom";

export class Enlarger {
    readonly button: HTMLButtonElement;

    constructor(private readonly element: HTMLElement, private readonly changed: () => void) {
        this.button = iconButton("enlarge", "Enlarge this plot (double-click)", () => this.toggle());
        this.button.classList.add("enlarge");
        element.append(this.button);
        element.addEventListener("keydown", (event) => {
            if (event.key !== "Escape" || !this.large) return;
            event.stopPropagation();
            this.toggle();
        });
    }

    get large(): boolean {
        return this.element.classList.contains("enlarged");
    }

    /** What the plot may fill: the window, within the edge of its box. */
    get room(): { width: number; height: number } {
        const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(this.element);
        return { width: this.element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight),
                 height: this.element.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom) };
    }

    toggle(): void {
        const large = this.element.classList.toggle("enlarged");
        this.button.setAttribute("aria-label", large ? "Back to its place (Escape)"
            : "Enlarge this plot (double-click)");
        this.button.setAttribute("aria-pressed", String(large));
        if (large) this.button.focus();
        this.changed();
    }
}

/** A small box beside the pointer with the values there. */
export class Readout {
    readonly element = make("div", { class: "readout", "aria-hidden": "true" });

    constructor() {
        this.hide();
    }

    hide(): void {
        this.element.hidden = true;
    }

    show(lines: readonly (readonly [text: string, color: string])[], x: number, y: number,
         width: number): void {
        this.element.hidden = lines.length === 0;
        this.element.replaceChildren(...lines.map(([text, color]) =>
            make("div", { style: color ? `color: ${color}` : "" }, text)));
        const right = x > width / 2;
        this.element.style.left = right ? "" : `${x + 12}px`;
        this.element.style.right = right ? `${width - x + 12}px` : "";
        this.element.style.top = `${Math.max(0, y - 10)}px`;
    }
}
