// Brings node_modules in line with package-lock.json: silent when all is in place, one line when `npm ci` has to run.
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { follow } from "./follow.mjs";
import { holdLock } from "./install-lock.mjs";
import { packagesForThisMachine } from "./this-machine.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

const NEEDED_HERE = new Set(packagesForThisMachine.map((name) => `node_modules/${name}`));

/**
 * True when everything is there: always in the npm package, which has no lock file. Two starts at once do not get in each
 * other's way: one installs, the other waits.
 */
export async function installMissing({ forDevelopers }) {
  if (isComplete(forDevelopers)) return true;
  const release = await holdLock(root, () => say("Another start is installing what is missing; waiting for it …"));
  try {
    return isComplete(forDevelopers) || (await runNpm(forDevelopers));
  } finally {
    release();
  }
}

/** Compares what the lock file wants with npm's own note of what it has installed, written when an install is done. */
function isComplete(forDevelopers) {
  const wanted = packagesOf("package-lock.json");
  const installed = packagesOf("node_modules/.package-lock.json");
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const found = installed[path];
    if (found === undefined) {
      if (NEEDED_HERE.has(path)) return false;
      return entry.optional || entry.devOptional || (entry.dev && !forDevelopers);
    }
    const same = found.version === entry.version && found.integrity === entry.integrity;
    return same && existsSync(join(root, path, "package.json"));
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), "utf8")).packages ?? {};
  } catch {
    return {}; // not there, or cut short
  }
}

async function runNpm(forDevelopers) {
  say("Installing what is missing (npm ci) …");
  const output = [];
  // NODE_ENV=production would leave out what only developers need. No package here needs its install script.
  const include = forDevelopers ? ["--include=dev", "--include=optional"] : ["--include=optional"];
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
  const [program, ...before] = npm();
  try {
    const { code, signal } = await follow(program, [...before, "ci", ...include, ...quiet], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      onOutput: (bytes) => output.push(bytes),
    });
    if (code === 0) return true;
    process.stderr.write(Buffer.concat(output));
    say(`npm ci failed${signal === null ? "" : ` (${signal})`}; what it said stands above.`);
  } catch (error) {
    say(`npm could not be started (${error.message}). Install npm, or run: npm ci`);
  }
  return false;
}

/** The npm that runs this script, if one does, else the one that the shell would find. */
function npm() {
  const running = process.env.npm_execpath ?? "";
  return basename(running) === "npm-cli.js" ? [process.execPath, running] : ["npm"];
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
