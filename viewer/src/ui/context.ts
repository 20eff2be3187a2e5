// What every part of the page knows.
import type { Trace } from "../data/trace";
import type { Player } from "../player";
import type { Theme } from "../scene/colors";

export interface Context {
    readonly traces: readonly Trace[];
    readonly names: readonly string[];
    readonly player: Player;
    readonly theme: () => Theme;
    readonly visible: () => readonly number[]; // traces that are shown
}

/** A part of the side panel. */
export interface Pane {
    readonly title: string;
    readonly element: HTMLElement;
    rebuild(): void; // traces or colours have changed
    update(t: number): void; // time has
}

const DASHES: (number[] | undefined)[] = [undefined, [6, 4], [2, 3], [10, 4, 2, 4], [1, 4]];

/** The look of column `c` (the c-th chosen one) of trace k: several traces differ by colour, the
 * columns of one by colour, of several by dashes. */
export function lineStyle(context: Context, k: number, c: number): { color: string; dash?: number[] } {
    const { traceCss } = context.theme();
    if (context.traces.length === 1) return { color: traceCss[c % traceCss.length] };
    return { color: traceCss[k % traceCss.length], dash: DASHES[c % DASHES.length] };
}
