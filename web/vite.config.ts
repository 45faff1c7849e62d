import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../src/tengen/app/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the page's policy allows no data: addresses
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    license: { fileName: "licenses.md" }, // of the packages whose code is in the page
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8000", ws: true } } },
});
