import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// The script goes to the end of the page: what stands before it is painted while the rest is read.
const scriptLast = {
    name: "script-last",
    enforce: "post",
    generateBundle(_, bundle) {
        for (const file of Object.values(bundle)) {
            if (!file.fileName.endsWith(".html")) continue;
            const [script] = file.source.match(/<script type="module"[^]*?<\/script>\n?/);
            file.source = file.source.replace(script, () => "").replace("</body>", () => `${script}</body>`);
        }
    },
};

// One file that loads nothing: script and style are put into index.html. CAROM_PAGE_DIR builds
// elsewhere, to compare with the page kept in the repository.
export default defineConfig({
    base: "./",
    plugins: [viteSingleFile({ removeViteModuleLoader: true }), scriptLast],
    build: {
        target: "es2022",
        outDir: process.env.CAROM_PAGE_DIR ?? "dist",
        emptyOutDir: true,
        modulePreload: false,
        chunkSizeWarningLimit: 1000,
    },
});
