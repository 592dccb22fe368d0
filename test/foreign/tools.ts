// Tools that foreign steps install for themselves, each at one version, into a folder that stays: the second run finds them there.
// Compilers and installers run at the lowest priority, so that the tests beside them keep the processors.

import { type ExecFileOptions, execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../runner/jobs.ts";

const FOLDER = join(ROOT, "node_modules/.cache/faregate/foreign");
/** A first install downloads and compiles, and yields to all tests that run beside it. */
const LONGEST_MS = 20 * 60_000;

/** Ends within a bounded time. What it prints is in the fault if it fails. */
export async function run(program: string, parameters: readonly string[], options: ExecFileOptions = {}) {
  return output(program, parameters, options, constants.priority.PRIORITY_LOW);
}

/** As `run`, at the priority of the tests: for what a test waits for within a time limit, such as a container. */
export async function runAtOnce(program: string, parameters: readonly string[], options: ExecFileOptions = {}) {
  return output(program, parameters, options, constants.priority.PRIORITY_NORMAL);
}

async function output(program: string, parameters: readonly string[], options: ExecFileOptions, priority: number) {
  const running = promisify(execFile)(program, [...parameters], {
    timeout: LONGEST_MS,
    maxBuffer: 64 * 1024 * 1024,
    ...options,
    encoding: "utf8",
  });
  const { pid } = running.child;
  if (pid !== undefined && priority !== constants.priority.PRIORITY_NORMAL) setPriority(pid, priority);
  try {
    return await running;
  } catch (fault) {
    const { stdout = "", stderr = "" } = fault as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} failed: ${`${stdout}\n${stderr}`.trim().slice(-3_000)}`, { cause: fault });
  }
}

/** The program of a Go module, built once. @param version of the module, `v1.2.3` */
export async function goProgram(module: string, version: string): Promise<string> {
  const name = module.split("/").at(-1) ?? module;
  const folder = join(FOLDER, `${name}-${version}`);
  const program = join(folder, name);
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    await run("go", ["install", `${module}@${version}`], { env: { ...process.env, GOBIN: folder } });
  }
  return program;
}

/** The folder of a Go module's source, in Go's own cache. */
export async function goModule(module: string, version: string): Promise<string> {
  const { stdout } = await run("go", ["mod", "download", "-json", `${module}@${version}`]);
  const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
  return Dir;
}

/** A Python that has these packages, in an environment of its own. @param packages with their versions, `name==1.2.3` */
export async function pythonWith(name: string, ...packages: readonly string[]): Promise<string> {
  const folder = join(FOLDER, `python-${[name, ...packages].join("-").replaceAll(/[^\w.-]/g, "_")}`);
  const python = join(folder, "bin/python");
  const installed = join(folder, "installed");
  if (!existsSync(installed)) {
    await run("python3", ["-m", "venv", "--clear", folder]);
    await run(python, ["-m", "pip", "install", "--quiet", ...packages]);
    mkdirSync(installed);
  }
  return python;
}

/** A jar from Maven's repository, which stays. @param artifact `group:name:version` */
export async function mavenArtifact(artifact: string): Promise<string> {
  const [, name, version] = artifact.split(":");
  const folder = join(FOLDER, "maven");
  const jar = join(folder, `${name}-${version}.jar`);
  if (!existsSync(jar))
    await run("mvn", ["-q", "-B", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]);
  return jar;
}

/** A folder with the jars that a project needs to compile. @param project with its pom.xml */
export async function mavenDependencies(project: string): Promise<string> {
  const folder = join(project, "jars");
  const parameters = ["-DincludeScope=compile", `-DoutputDirectory=${folder}`];
  await run("mvn", ["-q", "-B", "dependency:copy-dependencies", ...parameters], { cwd: project });
  return folder;
}
