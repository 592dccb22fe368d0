// Makes dist/ of src/ for the npm package, and adds the console: Node does not strip types under node_modules.

import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildConsole } from "./console.ts";

const ROOT = join(import.meta.dirname, "..");

rmSync(join(ROOT, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [join(ROOT, "bin/bundle.mjs"), join(ROOT, "dist")], { cwd: ROOT, stdio: "inherit" });
await buildConsole();
cpSync(join(ROOT, "console/dist"), join(ROOT, "dist/console"), { recursive: true });
