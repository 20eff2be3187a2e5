// The stage as a picture of its own: PNG, SVG, and the frames of a film.
import type { Theme } from "./colors";
import type { Written } from "./labels";
import type { SvgText } from "./svg_brush";

/** How the classes of labels look (style.css), for pictures outside the page. */
export function textOf({ text, x, y, kind }: Written, theme: Theme): SvgText {
    if (kind.includes("tick-x"))
        return { text, x: x + 4, y: y - 4, size: 11, color: theme.muted, anchor: "start" };
    if (kind.includes("tick-y"))
        return { text, x, y: y - 5, size: 11, color: theme.muted, anchor: "start" };
    if (kind.includes("panel-title"))
        return { text, x, y: y + 14, size: 13, color: theme.text, anchor: "end", bold: true };
    if (kind.includes("centred"))
        return { text, x, y: y + 4, size: 12, color: theme.text, anchor: "middle" };
    return { text, x: x + 8, y: y - 8, size: 12, color: theme.text, anchor: "start" };
}

/** The canvas with its labels, on another one. */
export function compose(target: CanvasRenderingContext2D, source: HTMLCanvasElement,
                        labels: readonly Written[], theme: Theme, scale: number): void {
    target.setTransform(1, 0, 0, 1, 0, 0);
    target.drawImage(source, 0, 0);
    target.setTransform(scale, 0, 0, scale, 0, 0);
    for (const label of labels) {
        const { text, x, y, size, color, anchor, bold } = textOf(label, theme);
        target.font = `${bold ? "bold " : ""}${size}px system-ui, sans-serif`;
        target.fillStyle = color;
        target.textAlign = anchor === "middle" ? "center" : anchor;
        target.fillText(text, x, y);
    }
}

/** Hand a file to the reader. */
export function download(content: Blob, name: string): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
