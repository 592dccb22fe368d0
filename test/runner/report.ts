// What a run prints: failures as they come, how far it is, and in the end the slowest files and the count.

import type { Report } from "./shard.ts";

const SLOWEST = 10;
const MOST_LINES = 100;
const EVERY_MS = { terminal: 500, pipe: 30_000 };

export interface Progress {
  started(name: string): void;
  ended(name: string, reports: readonly Report[]): void;
  /** Prints the end. @returns how many failed */
  conclude(): number;
}

interface ProgressOptions {
  /** How many there are. */
  readonly jobs: number;
  /** The command that draws the same again. */
  readonly again: string;
  /** What was not run, in words: nobody is to think that it passed. */
  readonly leftOut: readonly string[];
  readonly out: NodeJS.WriteStream;
}

export function progressOf({ jobs, again, leftOut, out }: ProgressOptions): Progress {
  const startedAt = performance.now();
  const reports: Report[] = [];
  const inFlight = new Set<string>();
  let done = 0;
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const counts = () => {
    const failed = reports.reduce((sum, { failures }) => sum + failures.length, 0);
    return { passed: reports.reduce((sum, { passed }) => sum + passed, 0), failed };
  };
  const clear = () => out.isTTY && out.write("\r\x1b[K");
  const show = () => {
    const { passed, failed } = counts();
    const line = `${seconds()} s: ${done} of ${jobs} done, ${passed} passed, ${failed} failed; ${[...inFlight].join(", ")}`;
    clear();
    out.write(out.isTTY ? line.slice(0, out.columns - 1) : `${line}\n`);
  };
  const timer = setInterval(show, out.isTTY ? EVERY_MS.terminal : EVERY_MS.pipe);
  return {
    started: (name) => void inFlight.add(name),
    ended(name, added) {
      inFlight.delete(name);
      done++;
      reports.push(...added);
      const told = added.flatMap((report) => failuresInWords(report, again)).join("");
      if (told === "") return;
      clear();
      out.write(told);
    },
    conclude() {
      clearInterval(timer);
      clear();
      const { passed, failed } = counts();
      const slowest = reports.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
      const cpuMs = reports.reduce((sum, report) => sum + (report.cpuMs ?? 0), 0);
      out.write(`\nThe slowest of ${seconds()} s, and their part of ${inSeconds(cpuMs, 0)} s of processor time:\n`);
      for (const { ms, cpuMs, name } of slowest)
        out.write(
          `${inSeconds(ms).padStart(7)} s ${cpuMs === undefined ? " ".repeat(9) : `${inSeconds(cpuMs).padStart(7)} s`}  ${name}\n`,
        );
      for (const line of leftOut) out.write(`\n${line}\n`);
      out.write(`\n${passed} passed, ${failed} failed\n`);
      return failed;
    },
  };
}

const inSeconds = (ms: number, places = 1): string => (ms / 1000).toFixed(places);

function failuresInWords({ name, failures, notes }: Report, again: string): string[] {
  if (failures.length === 0) return [];
  const told = failures.map(({ path, line, text }) => {
    const place = line === undefined ? name : `${name}:${line}`;
    return `\n✖ ${[place, ...path].join(" > ")}\n${indented(shortened(text))}\n`;
  });
  const said = notes.trim() === "" ? "" : `  What ${name} said meanwhile:\n${indented(notes.trim())}\n`;
  return [...told, said, `  Again: ${again} ${name}\n`];
}

/** A difference of a long list is told by its beginning and the place of the assertion. */
function shortened(text: string): string {
  const lines = text.split("\n");
  if (lines.length <= MOST_LINES) return text;
  const left = [...lines.slice(0, MOST_LINES / 2), "…", ...lines.slice(-MOST_LINES / 2)];
  return left.join("\n");
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, "    ");
