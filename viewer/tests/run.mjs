// End to end, in a real browser: node tests/run.mjs [WORD: only tests with it in their name]
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, openBrowser, openPage, settle } from "./browser.mjs";
import { finish, test } from "./check.mjs";
import { countChanged, countNear } from "./pixels.mjs";
import { carom, cleanUp, folder, makePage, makeTrace, root } from "./program.mjs";
import { bareCradle, hundredBodies, longRun, noDrawing, shakenCube, sliderAndAngle, thousandBodies } from "./scenes.mjs";

const only = process.argv[2] ?? "";
const browser = await openBrowser();
const canvas = (page) => page.locator("canvas.canvas").screenshot();
const time = (page) => page.evaluate(() => window.carom.player.t);

/** Open a page, run the body, and let nothing have gone wrong in the background. */
async function onPage(name, path, body, options = {}) {
    if (!name.includes(only)) return;
    await test(name, async () => {
        const { page, problems, requests } = await openPage(browser.context, path, options.before);
        try {
            if (!options.broken) await settle(page);
            await body(page);
            // the software renderer warns when a picture is taken of it
            const own = problems.filter((text) =>
                ![/GPU stall due to ReadPixels/, ...(options.expected ?? [])].some((known) => known.test(text)));
            assert.deepEqual(own, [], "console");
            assert.deepEqual(requests, [], "requests");
        } finally {
            await page.close();
        }
    });
}

const disc = makeTrace("disc", "disc_corner_motion.yaml");
const hard = makeTrace("hard", "disc_corner_motion.yaml", "--set", "e=0.9");
const discPage = makePage("disc", disc).page;
const comparePage = makePage("compare", disc, hard).page;

await test("the page is one small file that names no other", () => {
    const path = join(root, "viewer/dist/index.html");
    const html = readFileSync(path, "utf8");
    assert.ok(statSync(path).size < 1.2e6);
    assert.equal(html.split('<script type="application/json" id="carom-data">null</script>').length, 2);
    assert.doesNotMatch(html, /<(script|img|iframe|link)[^>]+(src|href)="(?!data:)/);
    // painted before the script is read
    assert.ok(html.indexOf("Opening the trace") < html.indexOf('<script type="module"'));
    const addresses = (html.match(/https?:\/\/[^\s"'`)]+/g) ?? [])
        .filter((address) => !address.startsWith("http://www.w3.org/"));
    assert.deepEqual(addresses, []);
});

await onPage("opens and draws", discPage, async (page) => {
    assert.match(await page.title(), /disc thrown into a corner/);
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(),
                 "disc thrown into a corner");
    // the disc is blue, the walls are grey
    const picture = await canvas(page);
    assert.ok(countNear(picture, [31, 95, 196]) > 300, "the outline of the disc");
    assert.ok(countNear(picture, [89, 99, 110], 24) > 500, "floor and wall");
});

await onPage("plays, pauses and repeats", discPage, async (page) => {
    const before = await canvas(page);
    await page.getByRole("button", { name: "Play" }).click();
    await page.waitForFunction(() => window.carom.player.t > 0.3);
    assert.ok(countChanged(before, await canvas(page)) > 500);
    await page.getByRole("button", { name: "Pause" }).click();
    const at = await time(page);
    await drawn(page);
    assert.equal(await time(page), at);
    await page.evaluate(() => window.carom.player.seek(1.9));
    await page.getByRole("button", { name: "Play" }).click();
    await page.waitForFunction(() => window.carom.player.t < 1.5);
    await page.getByRole("button", { name: "Repeat" }).click();
    await page.waitForFunction(() => window.carom.player.t === 2 && !window.carom.player.playing);
});

await onPage("scrubs", discPage, async (page) => {
    const before = await canvas(page);
    const slider = page.getByRole("slider", { name: "Time" });
    const box = await slider.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(Math.abs((await time(page)) - 1) < 0.02);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    assert.ok(Math.abs((await time(page)) - 0.5) < 0.03);
    await drawn(page);
    assert.ok(countChanged(before, await canvas(page)) > 500);
    assert.match(await slider.getAttribute("aria-valuetext"), /^t = 0\.\d+$/);
});

await onPage("obeys the keyboard", discPage, async (page) => {
    const press = (key) => page.keyboard.press(key);
    await press("ArrowRight");
    assert.ok(Math.abs((await time(page)) - 0.005) < 1e-9);
    await press("ArrowLeft");
    assert.equal(await time(page), 0);
    await press("End");
    assert.equal(await time(page), 2);
    await press("Home");
    assert.equal(await time(page), 0);
    await press("Shift+ArrowRight");
    const first = await time(page);
    assert.ok(Math.abs(first - 0.314584) < 1e-5, `first impact at ${first}`);
    await press("Shift+ArrowRight");
    const second = await time(page);
    assert.ok(second > first);
    await press("Shift+ArrowLeft");
    assert.equal(await time(page), first);
    await press("+");
    assert.equal(await page.getByRole("combobox", { name: "Speed" }).inputValue(), "2");
    await press("-");
    await press("-");
    assert.equal(await page.getByRole("combobox", { name: "Speed" }).inputValue(), "0.5");
    await press(" ");
    assert.equal(await page.evaluate(() => window.carom.player.playing), true);
    await press(" ");
    await press("?");
    assert.ok(await page.getByRole("dialog").isVisible());
    await press("Escape");
    assert.ok(!(await page.getByRole("dialog").isVisible()));
});

await onPage("shows arrows at impacts, and hides them", discPage, async (page) => {
    const impact = [194, 65, 12];
    assert.equal(countNear(await canvas(page), impact, 24), 0);
    await page.keyboard.press("Shift+ArrowRight");
    await drawn(page);
    assert.ok(countNear(await canvas(page), impact, 24) > 150);
    await page.getByRole("button", { name: "Arrows at impacts" }).click();
    await drawn(page);
    assert.equal(countNear(await canvas(page), impact, 24), 0);
    assert.match(await page.getByRole("status").textContent(), /impact 1 at t = 0\.314584: floor/);
});

await onPage("moves and zooms the picture", discPage, async (page) => {
    const before = await canvas(page);
    const box = await page.locator("canvas.canvas").boundingBox();
    await page.mouse.move(box.x + 400, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 250, { steps: 4 });
    await page.mouse.up();
    await drawn(page);
    const moved = await canvas(page);
    assert.ok(countChanged(before, moved) > 500);
    await page.mouse.wheel(0, -400);
    await drawn(page);
    assert.ok(countChanged(moved, await canvas(page)) > 500);
    await page.keyboard.press("f");
    await drawn(page);
    assert.ok(countChanged(before, await canvas(page)) < 50, "back to where it was");
});

await onPage("plots chosen quantities and follows clicks in plots", discPage, async (page) => {
    // lengths and angles have plots of their own
    const plots = page.locator(".chart:not([hidden]) canvas");
    assert.equal(await plots.count(), 4);
    assert.ok(await page.getByRole("group", { name: "Coordinates over time: x, y" }).isVisible());
    assert.ok(await page.getByRole("group", { name: "Velocities over time: th'" }).isVisible());
    await page.locator("section", { hasText: "Normal forces" })
        .getByRole("button", { name: "floor", exact: true }).click();
    assert.equal(await plots.count(), 5);
    const over = page.locator(".chart .u-over").first();
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await page.mouse.click(box.x + box.width * 0.75, box.y + 30);
    assert.ok(Math.abs((await time(page)) - 1.5) < 0.02);
    await drawn(page);
    const head = await page.locator(".playhead").first().boundingBox();
    assert.ok(Math.abs(head.x - (box.x + box.width * 0.75)) < 3, `${head.x} for ${box.x + box.width * 0.75}`);
});

await onPage("has an energy ledger that adds up", discPage, async (page) => {
    await page.getByRole("tab", { name: "Energy" }).click();
    await page.keyboard.press("End");
    await drawn(page);
    const value = async (name) => {
        const shown = page.locator(".chip", { hasText: name }).locator(".value");
        return (await shown.count()) ? Number((await shown.textContent()).replace("−", "-")) : 0;
    };
    const sum = (await value("kinetic")) + (await value("potential")) - (await value("impacts")) -
        (await value("friction"));
    // m g y + m/2 (x'^2 + y'^2) + m R^2/4 th'^2 at the start
    assert.ok(Math.abs(sum - (9.81 + 2.5 + 1)) < 0.02, `sum ${sum}`);
    const total = await value("total");
    assert.ok(Math.abs(total - (await value("kinetic")) - (await value("potential"))) < 0.01);
    assert.match(await page.locator(".note").first().textContent(),
                 /initial energy plus what impacts, events, friction and other forces have added/);
});

await onPage("has a phase plane", discPage, async (page) => {
    await page.getByRole("tab", { name: "Phase" }).click();
    await drawn(page);
    const chart = page.getByRole("group", { name: "x' against x" });
    const before = await chart.screenshot();
    await page.getByRole("combobox", { name: "Vertical axis" }).selectOption({ label: "y" });
    await drawn(page);
    const other = page.getByRole("group", { name: "y against x" });
    assert.ok(countChanged(before, await other.screenshot()) > 300);
    const dot = await page.locator(".dot").boundingBox();
    await page.keyboard.press("End");
    await drawn(page);
    const moved = await page.locator(".dot").boundingBox();
    assert.ok(Math.hypot(dot.x - moved.x, dot.y - moved.y) > 20);
    const box = await other.boundingBox();
    assert.ok(Math.abs(box.width - box.height) < 60, "square");
    const line = await other.screenshot();
    await page.getByRole("checkbox", { name: "dots" }).check();
    await drawn(page);
    assert.ok(countChanged(line, await other.screenshot()) > 100, "dots differ from a line");
    await page.getByRole("spinbutton", { name: "last" }).fill("0.5");
    await page.keyboard.press("Tab");
    const from = await page.evaluate(() => window.carom.tabs.panes[2].curves[0].t[0]);
    assert.ok(from >= 1.5 - 1e-9 && from < 1.51, `the last half from ${from}`);
    // an angle can go round
    assert.ok(!(await page.getByRole("checkbox", { name: "modulo" }).isVisible()));
    await page.getByRole("spinbutton", { name: "last" }).fill("");
    await page.getByRole("combobox", { name: "Horizontal axis" }).selectOption({ label: "th" });
    await page.getByRole("checkbox", { name: "modulo" }).check();
    const most = await page.evaluate(() =>
        Math.max(...window.carom.tabs.panes[2].curves[0].x.map(Math.abs)));
    assert.ok(most <= Math.PI + 1e-6 && most > 3, `angles up to ${most}`);
});

await onPage("lists impacts, each a way there", discPage, async (page) => {
    await page.getByRole("tab", { name: "Impacts" }).click();
    const rows = page.getByRole("listitem").getByRole("button");
    assert.ok((await rows.count()) > 5);
    await rows.nth(2).click();
    assert.ok(Math.abs((await time(page)) - 0.836364) < 1e-5);
    await drawn(page);
    assert.equal(await page.locator('.impact-row[aria-current="true"]').count(), 1);
});

await onPage("shows the values under the pointer, and enlarges a plot", discPage, async (page) => {
    const over = page.locator(".chart .u-over").first();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 40);
    await drawn(page);
    const shown = await page.locator(".readout:visible").first().textContent();
    assert.match(shown, /^t (1|0\.99\d*)x 0\.7\d+y 0\.3\d+$/);
    await over.dblclick();
    const large = page.locator(".chart.enlarged");
    assert.equal(await large.count(), 1);
    await drawn(page);
    const size = await large.locator(".u-over").boundingBox();
    assert.ok(size.width > 1000 && size.height > 450, `${size.width} x ${size.height}`);
    const [around, whole] = [await large.boundingBox(), await large.locator(".u-wrap").boundingBox()];
    assert.ok(whole.y + whole.height <= around.y + around.height && whole.x + whole.width <= around.x + around.width,
        "with its axes");
    await page.keyboard.press("Escape");
    assert.equal(await large.count(), 0);
    await page.getByRole("button", { name: "Enlarge this plot" }).nth(1).press("Enter");
    assert.equal(await large.count(), 1);
});

await onPage("has a panel that can be widened", discPage, async (page) => {
    const width = async () => (await page.locator(".side").boundingBox()).width;
    const chart = async () => (await page.locator(".chart .u-over").first().boundingBox()).width;
    const [before, plot] = [await width(), await chart()];
    const edge = await page.getByRole("separator").boundingBox();
    await page.mouse.move(edge.x + 5, 400);
    await page.mouse.down();
    await page.mouse.move(edge.x - 195, 400, { steps: 4 });
    await page.mouse.up();
    await drawn(page);
    assert.ok(Math.abs((await width()) - before - 200) < 8, `${before} to ${await width()}`);
    assert.ok((await chart()) > plot + 150, "plots grow");
    await page.getByRole("separator").press("ArrowRight");
    assert.ok((await width()) < before + 190);
    await page.getByRole("separator").dblclick();
    assert.equal(await width(), before);
});

await onPage("keeps the time in its address", discPage, async (page) => {
    await page.evaluate(() => window.carom.player.seek(0.8));
    await page.waitForFunction(() => location.hash === "#t=0.8");
    await page.evaluate(() => { location.hash = "#t=1.25"; });
    await page.waitForFunction(() => window.carom.player.t === 1.25);
});

await onPage("saves pictures and a film", discPage, async (page) => {
    const menu = page.getByLabel("Save a picture or a film");
    const save = async (name) => {
        await menu.click();
        const [download] = await Promise.all([page.waitForEvent("download"),
            page.getByRole("button", { name }).click()]);
        const path = join(folder, download.suggestedFilename());
        await download.saveAs(path);
        return { path, bytes: readFileSync(path) };
    };
    await page.keyboard.press("Shift+ArrowRight");
    await drawn(page);
    const png = await save("Picture (PNG)");
    assert.match(png.path, /disc-thrown-into-a-corner-t0\.314584\.png$/);
    assert.ok(countNear(png.bytes, [31, 95, 196]) > 300, "the disc");
    assert.ok(countNear(png.bytes, [194, 65, 12], 24) > 100, "the arrow");
    const svg = await save("Picture (SVG)");
    const text = svg.bytes.toString("utf8");
    assert.match(text, /^<svg xmlns=/);
    assert.match(text, />0\.5<\/text>/); // numbers of the grid are texts
    assert.match(text, /<circle [^>]*stroke="#1f5fc4"/);
    await page.evaluate(() => window.carom.player.setSpeed(2));
    const film = await save("Film (WebM)");
    assert.equal(film.bytes.readUInt32BE(0), 0x1a45dfa3, "EBML");
    assert.ok(film.bytes.length > 5000, `${film.bytes.length} bytes`);
    assert.equal(await page.evaluate(() => window.carom.player.playing), false);
});

await onPage("follows a body", discPage, async (page) => {
    await page.getByRole("combobox", { name: "Follow a body" }).selectOption({ index: 1 });
    const centre = () => page.evaluate(() => {
        const { view } = window.carom.stage.looks.plane;
        return [view.x, view.y];
    });
    await page.evaluate(() => window.carom.player.seek(0.2));
    await drawn(page);
    const [x, y] = await centre();
    assert.ok(Math.abs(x - 0.6) < 1e-3 && y > 0.5 && y < 0.7, `${x}, ${y}`);
    await page.getByRole("combobox", { name: "Follow a body" }).selectOption({ index: 0 });
    assert.notDeepEqual(await centre(), [x, y]);
});

/** A copy of a page with its data changed as an object. */
function changed(name, page, change) {
    const path = join(folder, `${name}.html`);
    writeFileSync(path, readFileSync(page, "utf8").replace(/(id="carom-data">)([^]*?)(<\/script>)/,
        (_, before, data, after) => {
            const json = JSON.parse(data);
            change(json);
            return before + JSON.stringify(json).replaceAll("<", "\\u003c") + after;
        }));
    return path;
}

const stopped = changed("stopped", discPage, ({ traces: [trace] }) => {
    trace.end = "stopped";
    trace.message = "the 7th impact has no outcome";
    trace.scene = "carom: 1\n# <the scene>\n";
    trace.parameters = { m: 2 };
    trace.set = ["m=2"];
    trace.accumulations = [{ contact: "floor", t_first: 0.3, t_limit: 1.6, impacts: 40 }];
});
await onPage("says that a run ended early, and what it was", stopped, async (page) => {
    assert.match(await page.getByRole("note").textContent(),
                 /ended early at t = 2: the 7th impact has no outcome/);
    await page.getByRole("tab", { name: "Scene" }).click();
    const text = await page.getByRole("tabpanel", { name: "Scene" }).textContent();
    for (const part of ["# <the scene>", "m=2", "floor: 40 impacts before t = 1.6"])
        assert.ok(text.includes(part), part);
    const slider = await page.locator(".scrubber").boundingBox();
    await page.mouse.move(slider.x + slider.width / 2, slider.y + 20);
    assert.match(await page.getByRole("slider").getAttribute("title"), /impacts of floor accumulate/);
});

const placed = changed("placed", discPage, ({ traces: [trace] }) => {
    // floor and wall with places that the drawing does not tell: above the disc
    const numbers = (rows) => {
        const list = new Float32Array(rows * 8);
        for (let k = 0; k < rows; k++) list.set([2, 1.5, 0, 1, 0, 0, 1, 0], 8 * k);
        return Buffer.from(list.buffer).toString("base64");
    };
    trace.contacts = [{ name: "floor", friction: 0.5, at: 2, toward: 2 },
                      { name: "wall", friction: 0, at: 2, toward: 2 }];
    trace.at = { columns: 8, names: [], data: numbers(trace.rows) };
    trace.impacts.at = { columns: 8, names: [], data: numbers(trace.impacts.detailed) };
});
await onPage("marks contacts where the scene says they are", placed, async (page) => {
    await page.keyboard.press("Shift+ArrowRight");
    const [arrow] = await page.evaluate(() => window.carom.stage.looks.plane.pictures[0].findArrows(0));
    assert.deepEqual([arrow.at, arrow.direction], [{ x: 2, y: 1.5 }, { x: 0, y: 1 }]);
    assert.equal((await page.evaluate(() =>
        window.carom.stage.looks.plane.pictures[0].findArrows(0))).length, 1, "none without impulse");
    await page.keyboard.press("End"); // at rest on the floor: its force and the friction cone
    await drawn(page);
    assert.ok(countNear(await canvas(page), [21, 128, 61], 24) > 100, "the force is green");
});

const half = makePage("half", makeTrace("half", `carom: 1
title: one of two contacts says where it is
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  contacts:
    floor: {gap: y, restitution: 1, at: [x, 0], toward: [0, 1]}
    wall: {gap: 1 - x, restitution: 1}
initial: {x: 0, y: 0.1, x': 1, y': 1}
draw:
  - {circle: [x - 0.1, y + 0.1], radius: 0.1}
  - {line: [1, -0.2, 1, 2]}
run: {until: 2}
`)).page;
await onPage("marks a contact by what is drawn where it does not say its place", half, async (page) => {
    const [arrow] = await page.evaluate(() => window.carom.stage.looks.plane.pictures[0].findArrows(0));
    assert.ok(Math.abs(arrow.at.x - 1) < 0.02 && arrow.direction.x < -0.9, JSON.stringify(arrow));
});

const three = makePage("three", disc, hard, makeTrace("smooth", "disc_corner_motion.yaml", "--law", "newton")).page;
await onPage("leaves no place empty side by side", three, async (page) => {
    await page.getByRole("button", { name: "Side by side" }).click();
    await drawn(page);
    const { panels, width, height } = await page.evaluate(() => {
        const { panels, canvas } = window.carom.stage;
        return { panels, width: canvas.clientWidth, height: canvas.clientHeight };
    });
    assert.equal(panels.length, 3);
    const area = panels.reduce((sum, panel) => sum + panel.width * panel.height, 0);
    assert.ok(area > 0.99 * width * height, `${area} of ${width * height}`);
});

await onPage("names the struck contacts first, the rest as a number", makePage("row",
    makeTrace("row", "column_motion.yaml")).page, async (page) => {
    const list = page.getByRole("list", { name: "Contacts" });
    await page.keyboard.press("Shift+ArrowRight");
    await drawn(page);
    assert.match(await list.getByRole("listitem").first().textContent(), /impact/);
    const described = await page.evaluate(() => document.querySelector(".impact-card").textContent);
    assert.doesNotMatch(described, / 0[,;]/);
});

await onPage("compares two traces, overlaid and side by side", comparePage, async (page) => {
    assert.equal(await page.getByRole("checkbox").count(), 2);
    await page.getByRole("button", { name: "Arrows at impacts" }).click();
    await page.evaluate(() => window.carom.player.seek(1));
    await drawn(page);
    const both = await canvas(page);
    const blue = [31, 95, 196];
    const red = [194, 65, 12];
    assert.ok(countNear(both, blue) > 200 && countNear(both, red) > 200, "two colours");
    await page.getByRole("button", { name: "Side by side" }).click();
    await drawn(page);
    assert.ok(countChanged(both, await canvas(page)) > 1000);
    await page.getByRole("button", { name: "Overlaid" }).click();
    await page.getByRole("checkbox", { name: "hard" }).click();
    await drawn(page);
    const one = await canvas(page);
    assert.ok(countNear(one, blue) > 200 && countNear(one, red) < 100, "one colour");
    assert.ok(await page.getByRole("checkbox", { name: "disc" }).isDisabled(), "the last one stays");
});

await onPage("is light and dark", discPage, async (page) => {
    const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: "light" });
    assert.equal(await shade(), "rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    await drawn(page);
    assert.equal(await shade(), "rgb(20, 23, 27)");
    assert.ok(countNear(await canvas(page), [16, 19, 23], 12) > 100000, "the stage is dark");
    await page.getByRole("button", { name: "Dark or light" }).click();
    assert.equal(await shade(), "rgb(255, 255, 255)");
    await page.evaluate(() => localStorage.clear());
});

await onPage("finds contacts that do not say where they are", makePage("bare", makeTrace("bare", bareCradle)).page,
    async (page) => {
        const arrows = await page.evaluate(() => {
            const picture = window.carom.stage.looks.plane.pictures[0];
            return picture.findArrows(picture.trace.impacts.t.findIndex((t) => t > 0)); // at 0 strings are pulled
        });
        const places = arrows.map(({ at }) => [at.x, at.y].map((x) => Math.round(x * 1e4) / 1e4)).sort();
        assert.deepEqual(places, [[0.06, -0.2], [0.1, -0.2], [0.14, -0.2], [0.18, -0.2]],
            "between every two balls, also where both stay at rest");
        assert.ok(await page.getByRole("group", { name: "Coordinates over time: x1, y1, x2" }).isVisible());
    });

await onPage("keeps apart what is not measured alike, whatever it is called",
    makePage("apart", makeTrace("apart", sliderAndAngle)).page, async (page) => {
        for (const name of ["s", "a"])
            assert.ok(await page.getByRole("group", { name: `Coordinates over time: ${name}`, exact: true }).isVisible(), name);
    });

await onPage("fits a small window", discPage, async (page) => {
    await page.setViewportSize({ width: 900, height: 600 });
    await drawn(page);
    const [stage, tools] = [await page.locator(".stage").first().boundingBox(), await page.locator(".tools").boundingBox()];
    assert.ok(tools.y + tools.height <= stage.y + stage.height, "tools are not cut");
});

await onPage("fits a phone", discPage, async (page) => {
    await page.setViewportSize({ width: 360, height: 640 });
    await drawn(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${wide} pixels wide`);
    for (const name of ["Play", "Repeat", "Next impact (Shift + →)"])
        assert.ok(await page.getByRole("button", { name }).isVisible(), name);
});

await onPage("shows three motions on a phone", three, async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Side by side" }).click();
    await drawn(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels wide`);
    const box = (selector) => page.locator(selector).first().boundingBox();
    const [legend, stage, tools] = [await box(".legend"), await box(".stage canvas"), await box(".tools")];
    assert.ok(legend.y + legend.height <= stage.y + 1, "the names stand over the picture, not on it");
    const titles = await page.locator(".panel-title:not([hidden])").evaluateAll((all) => all.map((span) => {
        const range = document.createRange();
        range.selectNodeContents(span);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        return { left, right, top, bottom, text: span.textContent };
    }));
    assert.equal(titles.length, 3);
    for (const { left, right, top, bottom, text } of titles) {
        assert.ok(left >= 0 && right <= 390 && bottom <= stage.y + stage.height, `${text} is cut`);
        assert.ok(right <= tools.x || bottom <= tools.y || top >= tools.y + tools.height, `${text} is covered`);
    }
});

await onPage("fits a phone held sideways", discPage, async (page) => {
    await page.setViewportSize({ width: 844, height: 390 });
    await drawn(page);
    const stage = await page.locator("canvas.canvas").boundingBox();
    assert.ok(stage.height > 240 && stage.width > 380, `${stage.width} x ${stage.height}`);
    const slider = await page.getByRole("slider", { name: "Time" }).boundingBox();
    assert.ok(slider.width > 200, `slider ${slider.width}`);
    assert.ok(await page.getByRole("button", { name: "Play" }).isVisible());
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 844, `${wide} pixels wide`);
    await page.setViewportSize({ width: 1000, height: 700 });
    await drawn(page);
    assert.ok((await page.getByRole("slider", { name: "Time" }).boundingBox()).width > 500);
});

await onPage("names everything that can be operated", comparePage, async (page) => {
    for (const tab of ["Plots", "Energy", "Phase", "Impacts", "Scene"]) {
        await page.getByRole("tab", { name: tab }).click();
        const nameless = await page.evaluate(() =>
            [...document.querySelectorAll("button, select, input, summary, canvas:not([aria-hidden]), [role=img], [role=group], [role=tabpanel]")]
                .filter((element) => !(element.getAttribute("aria-label") ||
                    element.getAttribute("aria-labelledby") || element.textContent.trim() ||
                    element.closest("label")?.textContent.trim()))
                .map((element) => element.outerHTML.slice(0, 100)));
        assert.deepEqual(nameless, []);
    }
});

await onPage("opens where the browser does not know base64", discPage, async (page) => {
    assert.equal(await page.evaluate(() => "fromBase64" in Uint8Array), false);
    const { t, y } = await page.evaluate(() => {
        const trace = window.carom.traces[0];
        return { t: trace.t[trace.rows - 1], y: trace.position.values[1] };
    });
    assert.deepEqual([t, y], [2, 1]);
}, { before: () => delete Uint8Array.fromBase64 });

await onPage("works without WebGL, but for the picture", discPage, async (page) => {
    await page.getByText("shows no WebGL").waitFor();
    await page.keyboard.press("End");
    assert.equal(await time(page), 2);
    assert.ok((await page.locator(".chart canvas").count()) >= 2);
}, {
    broken: true,
    expected: [/WebGL context/],
    before: () => {
        const known = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return kind.startsWith("webgl") ? null : known.call(this, kind, ...rest);
        };
    },
});

await onPage("leaves trails, and hides them", discPage, async (page) => {
    await page.evaluate(() => window.carom.player.seek(0.8));
    await drawn(page);
    const before = await canvas(page);
    await page.getByRole("button", { name: "Trails" }).click();
    await drawn(page);
    assert.ok(countChanged(before, await canvas(page)) > 200);
});

const body = makePage("body", makeTrace("body", "rigid_body.yaml")).page;
await onPage("shows a rigid body in space, from all sides", body, async (page) => {
    assert.equal(await page.evaluate(() => window.carom.stage.spatial), true);
    const before = await canvas(page);
    const box = await page.locator("canvas.canvas").boundingBox();
    await page.mouse.move(box.x + 300, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 420, box.y + 260, { steps: 4 });
    await page.mouse.up();
    await drawn(page);
    const turned = await canvas(page);
    assert.ok(countChanged(before, turned) > 1000);
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Shift+ArrowRight");
    await drawn(page);
    const space = await canvas(page);
    assert.ok(countChanged(turned, space) > 500);
    await page.getByRole("button", { name: "Drawing" }).click();
    await drawn(page);
    const flat = await canvas(page);
    assert.ok(countChanged(space, flat) > 1000);
    await page.mouse.move(box.x + 300, box.y + 300);
    await page.mouse.wheel(0, -300);
    await drawn(page);
    assert.ok(countChanged(flat, await canvas(page)) > 500);
});

await onPage("keeps its buttons beside the title on a phone", body, async (page) => {
    for (const width of [390, 360]) {
        await page.setViewportSize({ width, height: 844 });
        await drawn(page);
        const tops = await page.locator(".head .icon").evaluateAll((all) =>
            all.map((icon) => Math.round(icon.getBoundingClientRect().top)));
        const title = await page.getByRole("heading", { level: 1 }).boundingBox();
        assert.equal(new Set(tops).size, 1, `at ${width}: ${tops}`);
        assert.ok(Math.abs(tops[0] - title.y) < 20, `at ${width}: ${tops[0]} beside ${title.y}`);
        const [time, speed] = [await page.locator(".time").boundingBox(), await page.getByRole("combobox", { name: "Speed" }).boundingBox()];
        assert.ok(time.x + time.width <= speed.x + 1, `at ${width} the time is covered`);
    }
});

await onPage("fills the outlines of bodies in the plane", makePage("tower", makeTrace("tower", "overhang.yaml", "--until", "0.02")).page,
    async (page) => {
        for (const name of ["Arrows", "Friction cones"])
            await page.getByRole("button", { name: new RegExp(name) }).click();
        await drawn(page);
        const picture = await canvas(page);
        for (const color of [[31, 95, 196], [201, 72, 10]]) { // with 0.28 of the colour over the stage
            const filled = color.map((c, k) => 0.28 * c + 0.72 * [247, 249, 251][k]);
            assert.ok(countNear(picture, filled, 10) > 500, `${color}: ${countNear(picture, filled, 10)}`);
        }
    });

await onPage("walls between the eye and the bodies hide nothing",
    makePage("walls", makeTrace("walls", "pile_of_boxes.yaml", "--until", "0.02")).page, async (page) => {
        const sides = await page.evaluate(() => window.carom.stage.looks.space.actors[0].roles
            .filter(({ body }) => body.fixed).map(({ figure }) => figure.skin.side));
        assert.deepEqual([...new Set(sides)], [0], "only their front is drawn");
    });

const solids = changed("solids", discPage, ({ traces: [trace] }) => {
    const points = [0, 0, 0, 0.4, 0, 0, 0, 0.4, 0, 0, 0, 0.4];
    const shapes = [
        { kind: "plane", normal: [0, 0, 1] }, { kind: "box", size: [0.4, 0.3, 0.2] },
        { kind: "sphere", size: [0.2] }, { kind: "capsule", size: [0.4, 0.1] },
        { kind: "cylinder", size: [0.4, 0.15] }, { kind: "hull", points },
        { kind: "mesh", points, triangles: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], at: [0, 0, 0.2] },
        { kind: "heights", rows: 3, columns: 3, size: [0.2, 0.2], heights: [0, 0, 0, 0, 0.1, 0, 0, 0, 0] },
    ];
    trace.shapes = [];
    trace.draw = trace.impacts.draw = trace.impacts.kick = { columns: 0, names: [], data: "" };
    trace.bodies = shapes.map((shape, k) => ({ name: shape.kind, fixed: k === 0, shapes: [shape],
                                               colour: k === 2 ? "purple" : null,
                                               ropes: k === 3 ? [{ at: [0, 0, 0.2], to: null, there: [0, 0, 2] },
                                                                 { at: [0, 0, 0], to: 2, there: [0, 0, 0] }] : [] }));
    const list = new Float32Array(trace.rows * 7 * shapes.length);
    for (let row = 0; row < trace.rows; row++)
        shapes.forEach((_, k) => {
            const angle = k ? (0.4 + 0.01 * row) / 2 : 0;
            list.set([k ? 0.6 * (k - 4) : 0, 0, k ? 0.4 : 0, Math.cos(angle), Math.sin(angle), 0, 0],
                     7 * (row * shapes.length + k));
        });
    trace.pose = { columns: 7 * shapes.length, names: [], data: Buffer.from(list.buffer).toString("base64") };
});
await onPage("shows bodies in space from their shapes", solids, async (page) => {
    assert.equal(await page.evaluate(() => window.carom.stage.spatial), true);
    const before = await canvas(page);
    assert.ok(countNear(before, [128, 0, 128], 60) > 100, "its own colour");
    await page.keyboard.press("End");
    await drawn(page);
    assert.ok(countChanged(before, await canvas(page)) > 1000, "they turn");
    await page.getByRole("combobox", { name: "Follow a body" }).selectOption({ label: "capsule" });
    await drawn(page);
    const target = await page.evaluate(() => window.carom.stage.looks.space.controls.target.x);
    assert.ok(Math.abs(target + 0.6) < 1e-6, `the capsule at ${target}`);
    const ropes = await page.evaluate(() => window.carom.stage.looks.space.actors[0].ropes
        .map(({ line }) => [...line.geometry.getAttribute("position").array]));
    assert.deepEqual(ropes[0].slice(3), [0, 0, 2], "a rope to the world");
    assert.ok(Math.abs(ropes[1][0] + 0.6) < 1e-6 && Math.abs(ropes[1][3] + 1.2) < 1e-6, "and one to a body");
    if (process.env.CAROM_SHOTS) await page.screenshot({ path: join(process.env.CAROM_SHOTS, "solids.png") });
});

const shaken = makePage("shaken", makeTrace("shaken", shakenCube)).page;
/** A click where a body is drawn, as the eye of the stage sees it. */
const clickOn = async (page, body) => {
    const at = await page.evaluate((k) => {
        const { space } = window.carom.stage.looks;
        const place = space.actors[0].placeOf(k).clone().project(space.camera);
        const box = window.carom.stage.canvas.getBoundingClientRect();
        return [box.left + (place.x + 1) / 2 * box.width, box.top + (1 - place.y) / 2 * box.height];
    }, body);
    await page.mouse.click(...at);
    await drawn(page);
};
await onPage("a body is picked to read its state", shaken, async (page) => {
    const card = page.getByRole("region", { name: "The picked body" });
    assert.equal(await card.isVisible(), false);
    await page.evaluate(() => window.carom.player.seek(0.2));
    await drawn(page);
    await clickOn(page, 1);
    assert.equal(await card.getByRole("heading").textContent(), "cube");
    const state = await card.locator("dt").allTextContents();
    const values = (await card.locator("dd").allTextContents()).map((text) => Number(text.replace("−", "-")));
    assert.deepEqual(state.slice(0, 9), ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy"]);
    assert.ok(state.some((name) => name.startsWith("cube/table:")), "contact forces");
    const truth = await page.evaluate(() => [...window.carom.stage.looks.space.actors[0].placeOf(1).toArray()]);
    for (const k of [0, 2]) assert.ok(Math.abs(values[k] - truth[k]) < 1e-4, `${values[k]} for ${truth[k]}`);
    await page.evaluate(() => window.carom.player.seek(0.4));
    await drawn(page);
    assert.notDeepEqual((await card.locator("dd").allTextContents())[0], String(values[0]), "it goes with the time");
    await card.getByRole("button", { name: "Close" }).click();
    assert.equal(await card.isVisible(), false);
    if (process.env.CAROM_SHOTS) await page.screenshot({ path: join(process.env.CAROM_SHOTS, "shaken.png") });
});
await onPage("the floor that is drawn moves with its body, and shadows lie on it", shaken, async (page) => {
    const heights = [];
    for (const t of [0, 0.16]) {
        await page.evaluate((at) => window.carom.player.seek(at), t);
        await drawn(page);
        heights.push(await page.evaluate(() => window.carom.stage.looks.space.floor.position.z));
    }
    assert.ok(Math.abs(heights[0]) < 1e-6 && Math.abs(heights[1] - 0.02 * Math.sin(1.6)) < 1e-4, `${heights}`);
    const before = await canvas(page);
    await page.evaluate(() => {
        window.carom.stage.looks.space.actors[0].shadows.visible = false;
        window.carom.stage.invalidate();
    });
    await drawn(page);
    assert.ok(countChanged(before, await canvas(page)) > 300, "the shadow");
});
await onPage("friction cones of bodies on request", shaken, async (page) => {
    await page.evaluate(() => window.carom.player.seek(0.2));
    await drawn(page);
    const before = await canvas(page);
    const button = page.getByRole("button", { name: "Friction cones" });
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    await button.click();
    await drawn(page);
    assert.ok(countChanged(before, await canvas(page)) > 500, "cones");
    const opening = await page.evaluate(() => {
        const { scale } = window.carom.stage.looks.space.actors[0].cones.cones[0];
        return scale.x / scale.z;
    });
    assert.ok(Math.abs(opening - 0.5) < 1e-6, `tan of half the angle is ${opening}`);
    if (process.env.CAROM_SHOTS) await page.screenshot({ path: join(process.env.CAROM_SHOTS, "cones.png") });
});

const plain = makePage("plain", makeTrace("plain", noDrawing)).page;
await onPage("draws something without `draw`", plain, async (page) => {
    const before = await canvas(page);
    await page.keyboard.press("End");
    await drawn(page);
    assert.ok(countChanged(before, await canvas(page)) > 50);
});

const csv = join(folder, "disc.csv");
carom("run", join(root, "scenes/disc_corner_motion.yaml"), "-o", csv);
await onPage("opens a CSV trace", makePage("csv", csv).page, async (page) => {
    await page.keyboard.press("Shift+ArrowRight");
    assert.ok(Math.abs((await time(page)) - 0.314584) < 1e-5);
});

/** Milliseconds of processor time that a frame costs the page's own process while it plays: others may be
 * at work on this machine, and what is drawn in software here is drawn by the graphics card elsewhere. */
async function frameCost(page) {
    const watch = await browser.context.newCDPSession(page);
    await watch.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () => 1000 * (await watch.send("Performance.getMetrics")).metrics
        .find(({ name }) => name === "ProcessTime").value;
    await page.evaluate(() => window.carom.player.playing || window.carom.player.toggle());
    const start = await spent();
    const { frames, seconds } = await page.evaluate(async () => {
        const { stage } = window.carom;
        const [first, start] = [stage.frames, performance.now()];
        const enough = () => stage.frames >= first + (performance.now() > start + 5000 ? 3 : 20);
        while (!enough()) await new Promise(requestAnimationFrame);
        return { frames: stage.frames - first, seconds: (performance.now() - start) / 1000 };
    });
    const cost = (await spent() - start) / frames;
    console.log(`        ${cost.toFixed(1)} ms of work a frame; ${(frames / seconds).toFixed(1)} frames a second here`);
    return cost;
}

/** Frames a second, the best of 8 seconds: others may be at work on this machine. */
const frameRate = (page) => page.evaluate(async () => {
    const { player, stage } = window.carom;
    if (!player.playing) player.toggle();
    let best = 0;
    const end = performance.now() + 8000;
    while (best < 30 && performance.now() < end) {
        const [frames, start] = [stage.frames, performance.now()];
        while (stage.frames < frames + 20) await new Promise(requestAnimationFrame);
        best = Math.max(best, (1000 * (stage.frames - frames)) / (performance.now() - start));
    }
    return best;
});

const hundred = makePage("hundred", makeTrace("hundred", hundredBodies)).page;
await onPage("keeps 30 frames a second with 100 bodies", hundred, async (page) => {
    const rate = await frameRate(page);
    assert.ok(rate >= 30, `${rate} frames a second`);
    const cost = await frameCost(page);
    assert.ok(cost > 0 && cost <= 1000 / 30, `${cost} ms of work a frame`);
});

const thousand = makePage("thousand", makeTrace("thousand", thousandBodies)).page;
/** Where a body of a crowd is drawn, and which one a ray through it meets first, by the geometry of balls and boxes
 * alone; null where that is decided by less than the roughness of their surfaces. */
const firstHit = (page, body) => page.evaluate((k) => {
    const { space } = window.carom.stage.looks;
    const [actor, { camera }] = [space.actors[0], space];
    const eye = camera.position;
    const d = actor.placeOf(k).clone().sub(eye).normalize();
    const hits = [];
    let clear = true;
    actor.trace.bodies.forEach(({ name, fixed, solids: [solid] }, i) => {
        if (fixed) return;
        const { position, quaternion } = actor.places[i];
        const back = quaternion.clone().invert();
        const [o, e] = [eye.clone().sub(position).applyQuaternion(back), d.clone().applyQuaternion(back)];
        const meet = (grown) => {
            if (solid.kind === "sphere") {
                const b = o.dot(e), disc = b * b - o.lengthSq() + (grown * solid.size[0]) ** 2;
                return disc > 0 ? -b - Math.sqrt(disc) : Infinity;
            }
            let [from, to] = [-Infinity, Infinity];
            ["x", "y", "z"].forEach((axis, j) => {
                const h = grown * solid.size[j] / 2;
                const t = [(-h - o[axis]) / e[axis], (h - o[axis]) / e[axis]].sort((p, q) => p - q);
                [from, to] = [Math.max(from, t[0]), Math.min(to, t[1])];
            });
            return from < to ? from : Infinity;
        };
        if ((meet(0.9) === Infinity) !== (meet(1.1) === Infinity)) clear = false;
        hits.push([meet(1), name]);
    });
    hits.sort(([p], [q]) => p - q);
    const at = actor.placeOf(k).clone().project(camera);
    const box = window.carom.stage.canvas.getBoundingClientRect();
    return clear && hits[1][0] - hits[0][0] > 0.02 ? {
        name: hits[0][1], own: actor.trace.bodies[k].name,
        at: [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height],
    } : null;
}, body);
await onPage("in a crowd the nearest body under the pointer is picked", thousand, async (page) => {
    const card = page.getByRole("region", { name: "The picked body" });
    await page.evaluate(() => window.carom.player.seek(0.1));
    await drawn(page);
    let [tried, behind] = [0, 0];
    for (let k = 1; k <= 1000 && (tried < 4 || behind < 2); k += 41) {
        const hit = await firstHit(page, k);
        if (!hit) continue;
        await page.mouse.click(...hit.at);
        await drawn(page);
        assert.equal(await card.getByRole("heading").textContent(), hit.name, `a click at ${hit.own}`);
        tried++;
        behind += hit.name !== hit.own;
    }
    assert.ok(tried >= 4 && behind >= 2, `${tried} bodies, ${behind} of them hidden`);
});
await onPage("1000 bodies in space move in as many frames as the machine draws, and stand in full", thousand, async (page) => {
    await page.getByRole("button", { name: "Repeat" }).click();
    const state = () => page.evaluate(() => {
        const { stage } = window.carom;
        return { width: stage.canvas.width, css: stage.canvas.clientWidth, level: stage.quality.level };
    });
    const full = await state();
    assert.equal(full.level, 0);
    const rate = await frameRate(page);
    const moving = await state();
    console.log(`        ${rate.toFixed(1)} frames a second, ${moving.width} of ${full.width} points across`);
    assert.ok(rate >= 30 || moving.level === 4, `${rate} frames a second at level ${moving.level}`);
    assert.equal(moving.css, full.css);
    await page.evaluate(() => window.carom.player.playing && window.carom.player.toggle());
    await drawn(page);
    assert.deepEqual(await state(), full, "what stands still is drawn in full");
});
await onPage("a frame of 1000 bodies in space takes the page less than a thirtieth of a second, drawing by software aside", thousand, async (page) => {
    await page.getByRole("button", { name: "Repeat" }).click();
    const cost = await frameCost(page);
    assert.ok(cost > 0 && cost <= 1000 / 30, `${cost} ms of work a frame`);
    if (process.env.CAROM_SHOTS) await page.screenshot({ path: join(process.env.CAROM_SHOTS, "thousand.png") });
});

/** Milliseconds from the start of loading until anything and until the picture was there. */
const opening = (page) => page.evaluate(() =>
    ["first-contentful-paint", "carom-drawn"].map((name) =>
        Math.round(performance.getEntriesByName(name)[0].startTime)));

const long = makeTrace("long", longRun(530000));
const longPage = makePage("long", long);
await onPage("shows a trace of 100 MB without freezing, and says it is thinned", longPage.page,
    async (page) => {
        assert.ok(statSync(long).size > 100e6);
        assert.ok(statSync(longPage.page).size > 8e6);
        assert.match(longPage.said, /of 530001 rows/);
        let [paint, picture] = await opening(page);
        for (let k = 0; k < 4 && !(paint < 1000 && picture < 2000); k++) { // the machine has other work
            await page.reload();
            await settle(page);
            [paint, picture] = await opening(page);
        }
        console.log(`        first paint after ${paint} ms, the picture after ${picture} ms`);
        assert.ok(paint < 1000 && picture < 2000, `${paint} ms, ${picture} ms`);
        assert.match(await page.getByRole("note").textContent(), /of 530,001 rows/);
        for (const tab of ["Energy", "Phase", "Impacts", "Plots"]) {
            let took = Infinity;
            for (let k = 0; k < 4 && took >= 1500; k++) {
                await page.getByRole("tab", { name: "Scene" }).click();
                await drawn(page);
                const start = performance.now();
                await page.getByRole("tab", { name: tab }).click();
                await page.evaluate(() => new Promise(requestAnimationFrame));
                took = performance.now() - start;
            }
            assert.ok(took < 1500, `${tab} took ${took} ms`);
        }
        const slowest = await page.evaluate(async () => {
            window.carom.player.toggle();
            const slowestOf = async (count) => {
                let [last, worst] = [performance.now(), 0];
                for (let k = 0; k < count; k++) {
                    const now = await new Promise(requestAnimationFrame);
                    worst = Math.max(worst, now - last);
                    last = now;
                }
                return worst;
            };
            let best = Infinity;
            for (let k = 0; k < 10 && best >= 500; k++) best = Math.min(best, await slowestOf(20));
            return best;
        });
        console.log(`        slowest frame ${slowest.toFixed(0)} ms`);
        assert.ok(slowest < 500, `a frame took ${slowest} ms`);
    });

/** A copy of a page with its data changed. */
function damaged(name, change) {
    const path = join(folder, `${name}.html`);
    writeFileSync(path, change(readFileSync(discPage, "utf8")));
    return path;
}
const cases = [
    ["no data", (html) => html.replace(/(id="carom-data">)[^]*?(<\/script>)/, "$1null$2"),
     /There is no trace in this page/],
    ["an empty list", (html) => html.replace(/(id="carom-data">)[^]*?(<\/script>)/, '$1{"traces":[]}$2'),
     /There is no trace in this page/],
    ["a page that is cut off", (html) => html.slice(0, html.indexOf('"velocity":{"columns"') + 300),
     /cut off or damaged/],
    ["data that are cut off", (html) => html.replace(/"velocity":\{"columns"[^]*?(<\/script>)/, "$1"),
     /cut off or damaged/],
    ["numbers that are cut off", (html) => html.replace(/("position":\{[^{}]*"data":")[^"]{100}/, "$1"),
     /disc\.h5: position is incomplete/],
    ["numbers that are no base64", (html) => html.replace(/("position":\{[^{}]*"data":")..../, "$1!*?#"),
     /disc\.h5: position is damaged/],
    ["another format", (html) => html.replace(/(id="carom-data">)[^]*?(<\/script>)/, '$1{"a":1}$2'),
     /There is no trace in this page/],
];
for (const [name, change, message] of cases)
    await onPage(`says what is wrong: ${name}`, damaged(name.replaceAll(" ", "-"), change),
        async (page) => {
            const alert = page.getByRole("alert");
            await alert.waitFor();
            assert.match(await alert.textContent(), message);
            assert.match(await alert.textContent(), /carom view/);
        }, { broken: true });

await browser.close();
cleanUp();
finish();
