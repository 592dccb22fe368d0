// Tools that foreign steps install for themselves, each at one version, into a folder that stays: the second run finds them there.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../runner/jobs.ts";

const run = promisify(execFile);
const FOLDER = join(ROOT, "node_modules/.cache/faregate/foreign");
/** A first install downloads and compiles. */
const LONGEST_MS = 8 * 60_000;

/** The program of a Go module, built once. @param version of the module, `v1.2.3` */
export async function goProgram(module: string, version: string): Promise<string> {
  const name = module.split("/").at(-1) ?? module;
  const folder = join(FOLDER, `${name}-${version}`);
  const program = join(folder, name);
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    await run("go", ["install", `${module}@${version}`], {
      env: { ...process.env, GOBIN: folder },
      timeout: LONGEST_MS,
    });
  }
  return program;
}

/** The folder of a Go module's source, in Go's own cache. */
export async function goModule(module: string, version: string): Promise<string> {
  const { stdout } = await run("go", ["mod", "download", "-json", `${module}@${version}`], { timeout: LONGEST_MS });
  const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
  return Dir;
}

/** A Python that has these packages, in an environment of its own. @param packages with their versions, `name==1.2.3` */
export async function pythonWith(name: string, ...packages: readonly string[]): Promise<string> {
  const folder = join(FOLDER, `python-${[name, ...packages].join("-").replaceAll(/[^\w.-]/g, "_")}`);
  const python = join(folder, "bin/python");
  const installed = join(folder, "installed");
  if (!existsSync(installed)) {
    await run("python3", ["-m", "venv", "--clear", folder], { timeout: LONGEST_MS });
    await run(python, ["-m", "pip", "install", "--quiet", ...packages], { timeout: LONGEST_MS });
    mkdirSync(installed);
  }
  return python;
}
