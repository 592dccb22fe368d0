// How the console is built. `npx vite console` serves it while one works on it, beside a gateway on port 8080.

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const GATEWAY = "http://127.0.0.1:8080";

export default defineConfig({
  base: "/console/",
  // Where a proxy shows the gateway under a path, only the page knows it: scripts and styles find each other from where they are.
  experimental: {
    renderBuiltUrl: (_file, { hostType }) => (hostType === "html" ? undefined : { relative: true }),
  },
  plugins: [react()],
  // Types of the API and its client are the package's, beside this folder.
  server: { proxy: { "/api": GATEWAY, "/operator": GATEWAY, "/openapi.json": GATEWAY }, fs: { allow: [".."] } },
  build: {
    ...{ target: "es2022", sourcemap: false, reportCompressedSize: false, chunkSizeWarningLimit: 1_000 },
    // A page's style that does not come would leave the page without one: all are a file, of which the pages' own are a twentieth.
    cssCodeSplit: false,
    // What two pages share is one file: split by who shares what, it would be a dozen files of some hundred bytes.
    // How long plugins take on a slow machine is nothing that the first start has to say.
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] } },
    },
  },
});
