// What a picture is drawn with: the card on the screen, or an SVG document.
export type Rgba = readonly [number, number, number, number];

/** Flags of a mark. */
export const SPOKE = 1; // circles: a radius, to see them turn
export const STRAIGHT = 1; // strokes: ends cut off straight
export const HATCH = 2; // what does not move
export const DASH = 4;

/** Widths are in pixels, everything else in the units of the picture. */
export interface Brush {
    circle(x: number, y: number, r: number, angle: number, width: number, fill: Rgba, line: Rgba,
           flags?: number): void;
    box(x: number, y: number, w: number, h: number, angle: number, width: number, fill: Rgba,
        line: Rgba, flags?: number): void;
    /** The inside of a convex outline: `count` numbers from `start` on, x and y in turn. */
    area(outline: ArrayLike<number>, start: number, count: number, fill: Rgba): void;
    stroke(x1: number, y1: number, x2: number, y2: number, width: number, line: Rgba,
           flags?: number): void;
}
