// The step at which a gateway is to kill itself stands in a file of its data folder, which all its processes read. Who dies there takes
// the file away, so that no other dies of it; who was killed by others before finds it when it starts again.

import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Arming, failPoints } from "./fail-points.ts";

const ARMED_FILE = "armed.json";
/** A line for each time that one of its processes killed itself. */
const DEATHS_FILE = "deaths.txt";
const LOOK_EVERY_MS = 10;

/** @param arming null: at none */
export function arm(dataFolder: string, arming: Arming | null): void {
  const file = join(dataFolder, ARMED_FILE);
  if (arming === null) rmSync(file, { force: true });
  else {
    // Nobody reads a half of it.
    writeFileSync(`${file}.new`, JSON.stringify(arming));
    renameSync(`${file}.new`, file);
  }
}

/** The fail points of this process, which dies at the one that is armed. */
export function armedIn(dataFolder: string): ReturnType<typeof failPoints> {
  const file = join(dataFolder, ARMED_FILE);
  const points = failPoints((point) => {
    rmSync(file, { force: true });
    appendFileSync(join(dataFolder, DEATHS_FILE), `${point}\n`);
    process.kill(process.pid, "SIGKILL");
  });
  let known = "";
  const look = () => {
    const text = textOf(file);
    if (text === known) return;
    known = text;
    points.arm(text === "" ? null : (JSON.parse(text) as Arming));
  };
  look();
  setInterval(look, LOOK_EVERY_MS).unref();
  return points;
}

/** The steps at which processes of this gateway have killed themselves, one for each time. */
export const deathsIn = (dataFolder: string): readonly string[] =>
  textOf(join(dataFolder, DEATHS_FILE)).split("\n").slice(0, -1);

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (fault) {
    if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return "";
    throw fault;
  }
}
