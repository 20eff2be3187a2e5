// Keys, and the list of them.
import type { Player } from "../player";
import type { Stage } from "../scene/stage";
import { iconButton, make } from "./dom";
import type { Transport } from "./transport";

export const KEYS: readonly (readonly [string, string])[] = [
    ["Space", "play or pause"],
    ["← →", "one row back or forward"],
    ["Shift + ← →", "previous or next impact"],
    ["Home, End", "to the start or the end"],
    ["+ −", "faster or slower"],
    ["L", "repeat"],
    ["[ ]", "zoom out or in"],
    ["F", "fit the picture"],
    ["G", "full screen"],
    ["D", "dark or light"],
    ["?", "this list"],
];

interface Targets {
    readonly player: Player;
    readonly transport: Transport;
    readonly stage: Stage | null;
    readonly toggleTheme: () => void;
    readonly help: () => void;
    readonly fullScreen: () => void;
}

export function listenToKeys(targets: Targets): void {
    const { player, transport, stage, toggleTheme, help, fullScreen } = targets;
    const actions: Record<string, (event: KeyboardEvent) => void> = {
        " ": () => player.toggle(),
        ArrowLeft: (event) => (event.shiftKey ? transport.stepImpact(-1) : transport.stepRow(-1)),
        ArrowRight: (event) => (event.shiftKey ? transport.stepImpact(1) : transport.stepRow(1)),
        Home: () => player.seek(player.begin),
        End: () => { player.pause(); player.seek(player.end); },
        "+": () => player.shiftSpeed(1),
        "=": () => player.shiftSpeed(1),
        "-": () => player.shiftSpeed(-1),
        l: () => player.setLoop(!player.loop),
        "[": () => stage?.zoomOut(),
        "]": () => stage?.zoomIn(),
        f: () => stage?.fit(),
        d: toggleTheme,
        g: fullScreen,
        "?": help,
    };
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
        const on = event.target instanceof Element ? event.target : document.body;
        if (on.closest("select, dialog, input:not([type=range]):not([type=checkbox])") || (on.closest("button") && event.key === " ")) return;
        const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!action) return;
        event.preventDefault();
        action(event);
    });
}

export function makeHelp(): HTMLDialogElement {
    const dialog = make("dialog", { class: "help", "aria-labelledby": "help-title" },
        make("h2", { id: "help-title" }, "Keys"),
        make("dl", {}, ...KEYS.flatMap(([keys, does]) => [make("dt", {}, keys), make("dd", {}, does)])),
        make("p", { class: "note" }, "Drag the picture to move it, use the wheel or two fingers to " +
            "zoom. Click in a plot to go to that time, drag across it to zoom; double-click to see all " +
            "of it again, and once more for a larger plot. The address keeps the time: #t=0.8."),
        iconButton("close", "Close", () => dialog.close()));
    return dialog;
}
