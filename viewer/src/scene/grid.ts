// Lines and numbers behind the picture, at steps of 1, 2 or 5.
import type { Theme } from "./colors";
import type { Brush } from "./brush";
import type { View2d } from "./view2d";

const APART = 90; // pixels, at least

export function niceStep(least: number): number {
    const power = 10 ** Math.floor(Math.log10(least));
    return power * ([1, 2, 5, 10].find((k) => k * power >= least) ?? 10);
}

/** A number of the grid without rounding noise. */
export function gridText(value: number, step: number): string {
    if (Math.abs(value) < step / 2) return "0";
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const plain = Math.abs(value) < 1e5 && digits <= 5;
    return (plain ? value.toFixed(digits) : value.toPrecision(4).replace(/\.?0+e/, "e"))
        .replace("-", "−");
}

export interface GridTick {
    readonly text: string;
    readonly x: number | null; // in pixels from the left, null: on the left edge
    readonly y: number | null; // in pixels from the top, null: on the bottom edge
}

/** Draws the lines, returns the numbers. */
export function drawGrid(brush: Brush, view: View2d, width: number, height: number,
                         theme: Theme): GridTick[] {
    const step = niceStep(APART * view.pixel);
    const w = (width * view.pixel) / 2;
    const h = (height * view.pixel) / 2;
    const ticks: GridTick[] = [];
    for (let k = Math.ceil((view.x - w) / step); k * step <= view.x + w; k++) {
        const x = k * step;
        brush.stroke(x, view.y - h, x, view.y + h, 1, k === 0 ? theme.axis : theme.grid);
        ticks.push({ text: gridText(x, step), x: (x - view.x + w) / view.pixel, y: null });
    }
    for (let k = Math.ceil((view.y - h) / step); k * step <= view.y + h; k++) {
        const y = k * step;
        brush.stroke(view.x - w, y, view.x + w, y, 1, k === 0 ? theme.axis : theme.grid);
        ticks.push({ text: gridText(y, step), x: null, y: (view.y + h - y) / view.pixel });
    }
    return ticks;
}
