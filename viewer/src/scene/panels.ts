// How the stage is divided: one panel for all traces, or one for each, without empty places.
export interface Panel {
    readonly x: number; // from the left, in pixels
    readonly y: number; // from the top
    readonly width: number;
    readonly height: number;
    readonly traces: readonly number[];
}

/** How many panels each of `rows` rows has. */
function spread(count: number, rows: number): number[] {
    return Array.from({ length: rows }, (_, k) =>
        Math.floor(((k + 1) * count) / rows) - Math.floor((k * count) / rows));
}

/** How far from square the panels are, at the worst. */
function badness(width: number, height: number, count: number, rows: number): number {
    return Math.max(...spread(count, rows).map((columns) => {
        const shape = (width / columns) / (height / rows);
        return Math.max(shape, 1 / shape);
    }));
}

export function divide(width: number, height: number, traces: readonly number[],
                       apart: boolean): Panel[] {
    const count = traces.length;
    if (!apart || count < 2) return [{ x: 0, y: 0, width, height, traces }];
    let rows = 1;
    for (let r = 2; r <= count; r++)
        if (badness(width, height, count, r) < badness(width, height, count, rows)) rows = r;
    const edge = (all: number, parts: number, k: number): number => Math.round((all * k) / parts);
    let next = 0;
    return spread(count, rows).flatMap((columns, row) =>
        Array.from({ length: columns }, (_, column): Panel => {
            const x = edge(width, columns, column);
            const y = edge(height, rows, row);
            return {
                x,
                y,
                width: edge(width, columns, column + 1) - x - (column + 1 < columns ? 1 : 0),
                height: edge(height, rows, row + 1) - y - (row + 1 < rows ? 1 : 0),
                traces: [traces[next++]],
            };
        }));
}

/** The panel under a place. */
export function panelAt(panels: readonly Panel[], x: number, y: number): Panel {
    return panels.find((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height) ??
        panels[0];
}
