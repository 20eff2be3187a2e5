// Marks as an SVG document, with the same calls as the card's. Texts are texts.
import { DASH, HATCH, SPOKE, type Brush, type Rgba } from "./brush";

export interface SvgText {
    readonly text: string;
    readonly x: number; // pixels
    readonly y: number;
    readonly size: number;
    readonly color: string;
    readonly anchor: "start" | "middle" | "end";
    readonly bold?: boolean;
}

const number = (x: number): string => String(Math.round(x * 100) / 100);
const escape = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

function color([r, g, b]: Rgba): string {
    return "#" + [r, g, b].map((c) => Math.round(255 * c).toString(16).padStart(2, "0")).join("");
}

function paint(name: "fill" | "stroke", rgba: Rgba): string {
    if (rgba[3] <= 0) return ` ${name}="none"`;
    const opacity = rgba[3] < 0.995 ? ` ${name}-opacity="${number(rgba[3])}"` : "";
    return ` ${name}="${color(rgba)}"${opacity}`;
}

const NONE: Rgba = [0, 0, 0, 0];

export class SvgBrush implements Brush {
    private readonly parts: string[] = [];
    private hatches = new Map<string, string>();
    private clips = 0;

    /** toX, toY: from the units of the picture to pixels; scale: pixels per unit. */
    constructor(private readonly width: number, private readonly height: number,
                private readonly toX: (x: number) => number,
                private readonly toY: (y: number) => number, private readonly scale: number) {}

    private hatch(line: Rgba): string {
        const own = color(line);
        const id = this.hatches.get(own) ?? `hatch-${this.hatches.size + 1}`;
        this.hatches.set(own, id);
        return ` fill="url(#${id})"`;
    }

    private common(width: number, fill: Rgba, line: Rgba, flags: number): string {
        const filled = flags & HATCH ? this.hatch(line) : paint("fill", fill);
        const dash = flags & DASH ? ' stroke-dasharray="7 5"' : "";
        return `${filled}${paint("stroke", line)} stroke-width="${number(width)}"${dash}`;
    }

    circle(x: number, y: number, r: number, angle: number, width: number, fill: Rgba, line: Rgba,
           flags = 0): void {
        if (!Number.isFinite(x + y + r + angle)) return;
        const [cx, cy, radius] = [this.toX(x), this.toY(y), Math.abs(r) * this.scale];
        const inside = Math.max(radius - width / 2, 0);
        this.parts.push(`<circle cx="${number(cx)}" cy="${number(cy)}" r="${number(inside)}"` +
            `${this.common(width, fill, line, flags)}/>`);
        if (flags & SPOKE && radius > 6)
            this.stroke(x, y, x + r * Math.cos(angle), y + r * Math.sin(angle), 0.75 * width, line);
    }

    box(x: number, y: number, w: number, h: number, angle: number, width: number, fill: Rgba,
        line: Rgba, flags = 0): void {
        if (!Number.isFinite(x + y + w + h + angle)) return;
        const [cx, cy] = [this.toX(x), this.toY(y)];
        const [pw, ph] = [Math.abs(w) * this.scale, Math.abs(h) * this.scale];
        const turn = angle ? ` transform="rotate(${number((-angle * 180) / Math.PI)} ${number(cx)} ` +
            `${number(cy)})"` : "";
        this.parts.push(`<rect x="${number(cx - pw / 2)}" y="${number(cy - ph / 2)}" ` +
            `width="${number(pw)}" height="${number(ph)}"${turn}` +
            `${this.common(width, fill, line, flags)}/>`);
    }

    area(outline: ArrayLike<number>, start: number, count: number, fill: Rgba): void {
        const points: string[] = [];
        for (let j = start; j + 1 < start + count; j += 2) {
            if (!Number.isFinite(outline[j] + outline[j + 1])) return;
            points.push(`${number(this.toX(outline[j]))},${number(this.toY(outline[j + 1]))}`);
        }
        this.parts.push(`<polygon points="${points.join(" ")}"${paint("fill", fill)}/>`);
    }

    stroke(x1: number, y1: number, x2: number, y2: number, width: number, line: Rgba,
           flags = 0): void {
        if (!Number.isFinite(x1 + y1 + x2 + y2)) return;
        this.parts.push(`<line x1="${number(this.toX(x1))}" y1="${number(this.toY(y1))}" ` +
            `x2="${number(this.toX(x2))}" y2="${number(this.toY(y2))}"` +
            `${this.common(width, NONE, line, flags & DASH)}/>`);
    }

    /** What follows is cut at a rectangle, in pixels. */
    clip(x: number, y: number, width: number, height: number): void {
        const id = `clip-${++this.clips}`;
        if (this.clips > 1) this.parts.push("</g>");
        this.parts.push(`<clipPath id="${id}"><rect x="${number(x)}" y="${number(y)}" ` +
            `width="${number(width)}" height="${number(height)}"/></clipPath><g clip-path="url(#${id})">`);
    }

    text({ text, x, y, size, color: own, anchor, bold }: SvgText): void {
        this.parts.push(`<text x="${number(x)}" y="${number(y)}" font-size="${size}" fill="${own}" ` +
            `text-anchor="${anchor}"${bold ? ' font-weight="bold"' : ""}>${escape(text)}</text>`);
    }

    finish(background: Rgba, title: string): string {
        const hatches = [...this.hatches].map(([own, id]) =>
            `<pattern id="${id}" width="8" height="8" patternUnits="userSpaceOnUse" ` +
            `patternTransform="rotate(-45)"><line x1="0" y1="0" x2="8" y2="0" stroke="${own}" ` +
            `stroke-width="1.5" stroke-opacity="0.55"/></pattern>`);
        const size = `width="${number(this.width)}" height="${number(this.height)}"`;
        return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${number(this.width)} ` +
            `${number(this.height)}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif" ` +
            `stroke-linecap="round" xml:space="preserve">\n<title>${escape(title)}</title>\n` +
            (hatches.length ? `<defs>${hatches.join("")}</defs>\n` : "") +
            `<rect ${size}${paint("fill", background)}/>\n${this.parts.join("\n")}\n` +
            (this.clips ? "</g>\n" : "") + "</svg>\n";
    }
}
