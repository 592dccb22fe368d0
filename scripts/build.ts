// Compiles src/ to dist/ for the npm package, and adds the console: Node does not strip types under node_modules. Types are checked by
// `npm run check`.

import { execFileSync } from "node:child_process";
import { cpSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildConsole } from "./console.ts";

const ROOT = join(import.meta.dirname, "..");
const COMPILER = join(ROOT, "node_modules/typescript/bin/tsc");

rmSync(join(ROOT, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [COMPILER, "-p", "tsconfig.build.json"], { cwd: ROOT, stdio: "inherit" });
// What the gateway reads when it runs, such as migrations.
for (const file of globSync("src/**/*.*", { cwd: ROOT }).filter((path) => !path.endsWith(".ts")))
  cpSync(join(ROOT, file), join(ROOT, file.replace(/^src/, "dist")));
await buildConsole();
cpSync(join(ROOT, "console/dist"), join(ROOT, "dist/console"), { recursive: true });
