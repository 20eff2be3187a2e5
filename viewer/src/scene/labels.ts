// Text over the canvas: a pool of elements that are moved, not made anew.
export interface Written {
    readonly text: string;
    readonly x: number; // pixels
    readonly y: number;
    readonly kind: string; // classes
}

export class Labels {
    written: Written[] = []; // what is shown, for pictures of it
    private readonly pool: HTMLSpanElement[] = [];
    private used = 0;

    constructor(private readonly layer: HTMLElement) {}

    begin(): void {
        this.used = 0;
        this.written = [];
    }

    add(text: string, x: number, y: number, kind: string): void {
        let span = this.pool[this.used];
        if (!span) {
            span = document.createElement("span");
            this.layer.append(span);
            this.pool.push(span);
        }
        this.used++;
        this.written.push({ text, x, y, kind });
        if (span.textContent !== text) span.textContent = text;
        if (span.className !== kind) span.className = kind;
        span.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
        span.hidden = false;
    }

    end(): void {
        for (let k = this.used; k < this.pool.length; k++) this.pool[k].hidden = true;
    }
}
