// Debian's chromium without a screen, WebGL in software.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const FLAGS = [
    "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
];

/** Opens a browser with a profile of its own; `close` removes it. */
export async function openBrowser(options = {}) {
    const profile = mkdtempSync(join(tmpdir(), "carom-browser-"));
    const context = await chromium.launchPersistentContext(profile, {
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        headless: true,
        args: FLAGS,
        viewport: { width: 1280, height: 720 },
        ...options,
    });
    context.setDefaultTimeout(120_000); // software drawing beside other work is slow, not wrong
    return {
        context,
        async close() {
            await context.close();
            rmSync(profile, { recursive: true, force: true });
        },
    };
}

/** A page from a file that collects what goes wrong and what it asks the network for. */
export async function openPage(context, path, before = () => {}) {
    const page = await context.newPage();
    await page.addInitScript(before);
    const problems = [];
    const requests = [];
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
        if (!request.url().startsWith("file:") && !request.url().startsWith("data:"))
            requests.push(request.url());
    });
    await page.goto(`file://${path}`);
    return { page, problems, requests };
}

/** Until the stage has drawn once. */
export async function settle(page) {
    await page.waitForFunction(() => (window.carom?.stage?.frames ?? 0) > 0);
    await drawn(page);
}

/** Until what was done before is to be seen: sizes are observed in one frame, drawn in the next, and the
 * one after shows that this has happened. */
export async function drawn(page) {
    await page.evaluate(async () => {
        for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame);
    });
}
