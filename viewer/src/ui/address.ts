// The time in the page's address, #t=0.8: a link to a moment.
import type { Player } from "../player";

/** The time an address asks for, null where it asks for none. */
export function timeOf(hash: string): number | null {
    const text = new URLSearchParams(hash.replace(/^#/, "")).get("t");
    const t = text ? Number(text) : NaN;
    return Number.isFinite(t) ? t : null;
}

export function keepTimeInAddress(player: Player): void {
    const go = (): void => {
        const t = timeOf(location.hash);
        if (t !== null && t !== player.t) player.seek(t);
    };
    let waiting = 0;
    const write = (): void => {
        waiting = 0;
        if (player.playing) return;
        const digits = Number(player.t.toPrecision(9));
        try {
            history.replaceState(null, "", `#t=${digits}`);
        } catch {
            // a page that may not change its address works without
        }
    };
    go();
    window.addEventListener("hashchange", go);
    player.onChange(() => {
        if (!waiting) waiting = window.setTimeout(write, 250);
    });
}
