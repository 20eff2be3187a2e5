// Pages for the tests come from the program itself: carom run, then carom view.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const folder = mkdtempSync(join(tmpdir(), "carom-page-"));
const program = process.env.CAROM ?? join(root, "build/carom");

export function cleanUp() {
    rmSync(folder, { recursive: true, force: true });
}

export function carom(...options) {
    // 3: the run ended early, its trace is whole up to there
    try {
        return execFileSync(program, options, { stdio: ["ignore", "pipe", "pipe"] }).toString();
    } catch (problem) {
        if (problem.status === 3) return String(problem.stdout);
        throw new Error(`carom ${options.join(" ")}: ${problem.stderr}`);
    }
}

/** The trace of a scene of the repository, or of a scene as text. */
export function makeTrace(name, scene, ...options) {
    const trace = join(folder, `${name}.h5`);
    let path = join(root, "scenes", scene);
    if (scene.includes("\n")) {
        path = join(folder, `${name}.yaml`);
        writeFileSync(path, scene);
    }
    carom("run", path, "-o", trace, "--force", ...options);
    return trace;
}

export function makePage(name, ...traces) {
    const page = join(folder, `${name}.html`);
    const said = carom("view", ...traces, "--out", page, "--no-open");
    return { page, said };
}
