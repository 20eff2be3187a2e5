// Pictures of the page for the documentation: node screenshots.mjs [FOLDER]
import { join } from "node:path";
import { openBrowser, openPage, settle } from "./tests/browser.mjs";
import { carom, cleanUp, folder, makePage, makeTrace, root } from "./tests/program.mjs";

const to = process.argv[2] ?? join(root, "docs/images");
const ball = makeTrace("ball", "bouncing_ball.yaml");
const block = makeTrace("block", "rocking_block.yaml");
const disc = makeTrace("disc", "disc_corner_motion.yaml");
const smooth = makeTrace("smooth", "disc_corner_motion.yaml", "--law", "newton");
const top = makeTrace("top", "spinning_top.yaml");
const cradle = makeTrace("cradle", "cradle_motion.yaml");
const crank = makeTrace("crank", "slider_crank.yaml");
const dominoes = makeTrace("dominoes", "domino_row.yaml");

// a report names its scene as typed: from the folder of the repository
process.chdir(root);
const report = join(folder, "report.html");
carom("impact", "scenes/three_balls.yaml", "--report", report, "--force");
const motion = join(folder, "motion.html");
carom("run", "scenes/disc_corner_motion.yaml", "--report", motion, "--force");

const tab = (name) => (page) => page.getByRole("tab", { name }).click();
const press = (...keys) => async (page) => {
    for (const key of keys) await page.keyboard.press(key);
};
const goTo = (t) => (page) => page.evaluate((at) => window.carom.player.seek(at), t);
const compare = makePage("compare", disc, smooth).page;
const shots = [
    { name: "page", page: makePage("disc", disc).page,
      steps: [press("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")] },
    { name: "page-energy-dark", page: makePage("block", block).page, dark: true,
      steps: [tab("Energy"), goTo(0), press("Shift+ArrowRight")] },
    { name: "page-compare", page: compare, steps: [goTo(1.2)] },
    { name: "page-side-by-side", page: compare,
      steps: [(page) => page.getByRole("button", { name: "Side by side" }).click(), tab("Phase"),
              goTo(1.2)] },
    { name: "page-space", page: makePage("top", top).page, steps: [goTo(1.2)] },
    { name: "page-cradle", page: makePage("cradle", cradle).page,
      steps: [press("Shift+ArrowRight", "Shift+ArrowRight"), goTo(1.8), tab("Phase")] },
    { name: "page-impacts", page: makePage("ball", ball).page,
      steps: [tab("Impacts"), press("Shift+ArrowRight", "Shift+ArrowRight")] },
    { name: "page-phase-dark", page: makePage("crank", crank).page, dark: true,
      steps: [tab("Phase"), press("Shift+ArrowRight")] },
    { name: "bodies", page: makePage("dominoes", dominoes).page, steps: [goTo(0.25)] },
    { name: "page-phone", page: makePage("disc", disc).page, width: 400, height: 800,
      steps: [press("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")] },
    { name: "report_three_balls", page: report, still: true, width: 940, height: 1240, steps: [] },
    { name: "report_disc", page: motion, still: true, width: 1000, height: 1200, steps: [] },
];

const browser = await openBrowser();
for (const shot of shots) {
    const { page } = await openPage(browser.context, shot.page);
    await page.setViewportSize({ width: shot.width ?? 1280, height: shot.height ?? 720 });
    await page.emulateMedia({ colorScheme: shot.dark ? "dark" : "light" });
    if (!shot.still) await settle(page);
    for (const step of shot.steps) await step(page);
    await page.evaluate(() => document.activeElement?.blur());
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(to, `${shot.name}.png`) });
    await page.close();
}
await browser.close();
cleanUp();
