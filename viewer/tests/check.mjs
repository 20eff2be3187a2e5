// Tests one after the other, each with a line, and a closing line.
let passed = 0;
let failed = 0;

export async function test(name, body) {
    const start = performance.now();
    try {
        await body();
        passed++;
        console.log(`ok      ${name} (${Math.round(performance.now() - start)} ms)`);
    } catch (problem) {
        failed++;
        console.log(`FAILED  ${name}\n        ${problem.stack ?? problem}`);
    }
}

export function finish() {
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed ? 1 : 0;
}
