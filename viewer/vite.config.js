import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One file that loads nothing: script and style are put into index.html. CAROM_PAGE_DIR builds
// elsewhere, to compare with the page kept in the repository.
export default defineConfig({
    base: "./",
    plugins: [viteSingleFile({ removeViteModuleLoader: true })],
    build: {
        target: "es2022",
        outDir: process.env.CAROM_PAGE_DIR ?? "dist",
        emptyOutDir: true,
        modulePreload: false,
        chunkSizeWarningLimit: 1000,
    },
});
