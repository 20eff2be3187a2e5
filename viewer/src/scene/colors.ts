// Colours of the page's theme and of scenes, as numbers the card understands.
import type { Rgba } from "./brush";

const probe = document.createElement("canvas");
probe.width = probe.height = 1;
const brush = probe.getContext("2d", { willReadFrequently: true });
const known = new Map<string, Rgba | null>();

/** Any CSS colour; null where it is none. */
export function parseColor(css: string): Rgba | null {
    let found = known.get(css);
    if (found === undefined) {
        found = brush && CSS.supports("color", css) ? paint(brush, css) : null;
        known.set(css, found);
    }
    return found;
}

function paint(context: CanvasRenderingContext2D, css: string): Rgba {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = css;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r / 255, g / 255, b / 255, a / 255];
}

export const fade = (color: Rgba, alpha: number): Rgba =>
    [color[0], color[1], color[2], color[3] * alpha];

export interface Theme {
    readonly background: Rgba;
    readonly grid: Rgba;
    readonly axis: Rgba;
    readonly ground: Rgba; // what does not move
    readonly impact: Rgba;
    readonly force: Rgba;
    readonly traces: readonly Rgba[];
    readonly traceCss: readonly string[];
    readonly text: string;
    readonly muted: string;
    readonly gridCss: string;
}

export const TRACE_COLORS = 8;

/** The theme in force, from the style sheet's variables. */
export function readTheme(): Theme {
    const style = getComputedStyle(document.documentElement);
    const css = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const color = (name: string): Rgba => parseColor(css(name)) ?? [0.5, 0.5, 0.5, 1];
    const names = Array.from({ length: TRACE_COLORS }, (_, k) => `trace-${k + 1}`);
    return {
        background: color("stage"),
        grid: color("grid"),
        axis: color("axis"),
        ground: color("ground"),
        impact: color("impact"),
        force: color("force"),
        traces: names.map(color),
        traceCss: names.map(css),
        text: css("text"),
        muted: css("muted"),
        gridCss: css("grid"),
    };
}
