// Runs a program of this project under the packaged Node and ends as it ends.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { COMPILED, compileSources } from "./compile.mjs";
import { isConsoleBuilt } from "./console-sources.mjs";
import { follow } from "./follow.mjs";
import { installMissing, root } from "./install.mjs";
import { packagedNode } from "./this-machine.mjs";

/**
 * V8's old generation may grow to four times what was found alive. Under siege the gateway and the process for heavy requests are to
 * stay below 400 MiB, so it grows to 1.45 times. With less than that payments wait for the collector. The young generation has two
 * halves of 16 MiB, whatever the default of a version: with 8 a sale takes a twelfth more CPU.
 *
 * V8 also learns, from a busy moment, to put objects among the old ones that will soon be garbage. Each keeps its request and
 * response in memory until the next full collection: a third of all that was allocated stayed. Without it a health check takes
 * 67 µs of CPU in place of 90, and a sale a tenth less.
 *
 * One thread empties a small young generation sooner than several that wait for each other. With halves of 8 MiB it took 1.0 ms in
 * place of 1.1 on two processors, and where something else kept both busy 1.0 in place of 1.7, at the 90th percentile 1.2 in place of 4.
 *
 * V8's middle compiler, Maglev, gets all that a sale calls at once, and each function that waits for it takes memory that the C
 * library does not give back: 13 to 39 MiB, the more the busier the machine. Without it 5 to 7. The optimizing compiler comes sooner
 * instead, after a third of the calls. A process that was just started pays for it: with one connection, half as much CPU again a sale for
 * the first thousand. The optimizing compiler may also put three to four times as much of what a function calls into the function, since a
 * sale is hundreds of small ones: a twentieth less CPU.
 */
export const NODE_OPTIONS = [
  "--max-semi-space-size=16",
  "--heap-growing-percent=45",
  "--no-allocation-site-pretenuring",
  "--no-parallel-scavenge",
  "--no-maglev",
  "--invocation-count-for-turbofan=1000",
  "--max-inlined-bytecode-size=1500",
  "--max-inlined-bytecode-size-cumulative=4000",
  // By SIGUSR1 Node would open its inspector, to which every local user can connect (src/debugger-signal.ts).
  "--disable-sigusr1",
];

/**
 * Of the C library: with two arenas, and buffers above 128 KiB given back to the system as soon as they are free, a gateway
 * that was sent bodies of a megabyte does not go on holding them.
 */
export const MALLOC = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };

/** `target` is a path within a checkout. Programs outside of src/ also need what only developers need. */
export async function launch(target, args) {
  if (!(await installMissing({ forDevelopers: !target.startsWith("src/") }))) {
    process.exitCode = 1;
    return;
  }
  const node = nodeToRun();
  if (node === undefined) {
    say(`No Node 24 comes with Faregate for ${process.platform}-${process.arch}: start it with Node 24 or later.`);
    process.exitCode = 1;
    return;
  }
  try {
    // Node takes --env-file for its own, also behind the program's name, up to "--".
    const running = follow(node, [...NODE_OPTIONS, "--", await fileOf(target, node), ...args], {
      stdio: "inherit",
      env: { ...MALLOC, ...process.env },
    });
    if (target === "src/main.ts") buildConsole(node);
    const { code, signal } = await running;
    if (signal !== null) process.kill(process.pid, signal);
    process.exitCode = code ?? 1;
  } catch (error) {
    say(`The Node that comes with Faregate does not run on this machine (it needs glibc): ${error.message}`);
    process.exitCode = 1;
  }
}

/** Beside the gateway, which does not wait for it; the npm package comes with the console. It ends by itself, and says so if it fails. */
function buildConsole(node) {
  const script = join(root, "scripts/console.ts");
  if (!existsSync(script) || isConsoleBuilt()) return;
  const build = spawn(node, ["--disable-sigusr1", script], { stdio: ["ignore", "ignore", "inherit"] });
  build.once("error", () => undefined);
  build.once("spawn", () => setPriority(build.pid, constants.priority.PRIORITY_LOW));
  build.unref();
}

/** The gateway and its command line run compiled, which the npm package comes with; where nothing can compile them, as they are. */
async function fileOf(target, node) {
  const source = join(root, target);
  const compiled = (folder) => join(root, target.replace(/^src/, folder).replace(/\.ts$/, ".js"));
  if (!existsSync(source)) return compiled("dist");
  return target.startsWith("src/") && (await compileSources(node)) ? compiled(COMPILED) : source;
}

function nodeToRun() {
  const packaged = packagedNode();
  if (packaged !== undefined && existsSync(packaged)) return packaged;
  return Number(process.versions.node.split(".")[0]) >= 24 ? process.execPath : undefined;
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
