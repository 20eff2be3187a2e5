// How the stage is divided: one panel for all traces, or one for each.
export interface Panel {
    readonly x: number; // from the left, in pixels
    readonly y: number; // from the top
    readonly width: number;
    readonly height: number;
    readonly traces: readonly number[];
}

export function divide(width: number, height: number, traces: readonly number[],
                       apart: boolean): Panel[] {
    if (!apart || traces.length < 2) return [{ x: 0, y: 0, width, height, traces }];
    let columns = 1;
    // as square as possible
    const shape = (c: number): number => {
        const w = width / c;
        const h = height / Math.ceil(traces.length / c);
        return Math.max(w / h, h / w);
    };
    for (let c = 2; c <= traces.length; c++) if (shape(c) < shape(columns)) columns = c;
    const rows = Math.ceil(traces.length / columns);
    const w = Math.floor(width / columns);
    const h = Math.floor(height / rows);
    return traces.map((trace, k) => ({
        x: (k % columns) * w,
        y: Math.floor(k / columns) * h,
        width: (k % columns) + 1 < columns ? w - 1 : w,
        height: Math.floor(k / columns) + 1 < rows ? h - 1 : h,
        traces: [trace],
    }));
}

/** The panel under a place. */
export function panelAt(panels: readonly Panel[], x: number, y: number): Panel {
    return panels.find((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height) ??
        panels[0];
}
