import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app";
import { DataError } from "./data/base64";
import { readTraces } from "./data/trace";
import { showMessage } from "./ui/message";

declare global {
    interface Window {
        carom?: App; // for scripts: the clock and the stage
    }
}

const HINT = "Make a page with `carom run SCENE.yaml -o trace.h5`, then `carom view trace.h5`.";

function open(): void {
    const host = document.getElementById("app")!;
    const holder = document.getElementById("carom-data");
    try {
        const traces = readTraces(holder?.textContent ?? "null");
        if (holder) holder.textContent = ""; // the text is as large as the trace
        window.carom = new App(host, traces);
    } catch (problem) {
        const known = problem instanceof DataError;
        showMessage(host, "This trace cannot be shown",
            known ? problem.message : `Unexpected: ${String(problem)}`, HINT);
        if (!known) throw problem;
    }
}

open();
