import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// The script goes behind what can be painted while the rest is read, and before the data: a page that is cut off
// there can still say so.
const scriptBeforeData = {
    name: "script-before-data",
    enforce: "post",
    generateBundle(_, bundle) {
        for (const file of Object.values(bundle)) {
            if (!file.fileName.endsWith(".html")) continue;
            const [script] = file.source.match(/<script type="module"[^]*?<\/script>\n?/);
            const data = '<script type="application/json"';
            file.source = file.source.replace(script, () => "").replace(data, () => script + data);
        }
    },
};

// One file that loads nothing: script and style are put into index.html. CAROM_PAGE_DIR builds
// elsewhere, to compare with the page kept in the repository.
export default defineConfig({
    base: "./",
    plugins: [viteSingleFile({ removeViteModuleLoader: true }), scriptBeforeData],
    build: {
        target: "es2022",
        outDir: process.env.CAROM_PAGE_DIR ?? "dist",
        emptyOutDir: true,
        modulePreload: false,
        chunkSizeWarningLimit: 1000,
    },
});
