// Arrows: of impacts and of forces.
import type { Brush, Rgba } from "./brush";
import type { Point } from "./outline";

/** An arrow with a head, `reach` long. */
export function drawArrow(brush: Brush, at: Point, direction: Point, reach: number, head: number,
                          width: number, color: Rgba): void {
    const [tipX, tipY] = [at.x + direction.x * reach, at.y + direction.y * reach];
    brush.stroke(at.x, at.y, tipX, tipY, width, color);
    for (const side of [1, -1]) {
        const x = -direction.x * 0.84 - side * direction.y * 0.54;
        const y = -direction.y * 0.84 + side * direction.x * 0.54;
        brush.stroke(tipX, tipY, tipX + x * head, tipY + y * head, width, color);
    }
}
