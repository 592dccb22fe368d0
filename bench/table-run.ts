// `npm run bench -- --table`: measures the table, prints it with what was met and what it was the last time, keeps it, and says what
// got worse since. `--write` puts it into bench/README.md in place of the one that is there.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "./data.ts";
import { type Figure, lineOf, tableOf } from "./figure.ts";
import { launchGateway } from "./gateway.ts";
import { comparison, type Kept, keep, lastKept } from "./kept.ts";
import { machineFacts, quietness, shownMachine } from "./machine.ts";
import { replaceMarked } from "./marked.ts";
import { measureTable, type TablePlan, USED_BY_OTHERS } from "./table.ts";
import type { Undo } from "./undo.ts";

const KIND = "table";
const PAGE = join(import.meta.dirname, "README.md");

/** @param against the file of a result to compare with, if not the last one @param write whether the page gets the table */
export async function tellTable(
  undo: Undo,
  workers: number,
  plan: TablePlan,
  against: string | undefined,
  write: boolean,
  say: (line: string) => void,
): Promise<void> {
  const [at, machine] = [new Date().toISOString(), machineFacts(newFolder(undo))];
  const settings = { RATE_LIMIT_PER_MINUTE: "0", WORKERS: String(workers) };
  const launched = await undo.started(launchGateway(["src/main.ts"], newFolder(undo), [], settings));
  const figures = await measureTable(undo, await launched.ready, plan, say);
  const now: Kept = { at, machine, workers, plan: { ...plan }, figures };
  const before = lastKept(KIND, now, against);
  const earlier = new Map(before?.figures.map(({ what, value }) => [what, value]));
  const { rounds, secondsAPoint } = plan;
  say(`\n${shownMachine(machine)}; WORKERS=${workers}; medians of ${rounds} rounds of ${secondsAPoint} s\n`);
  for (const figure of figures) say(lineOf(figure, earlier.get(figure.what)));
  for (const line of ["", ...quietness(usedByOthers(figures)), ...comparison(before, now)]) say(line);
  say(keep(KIND, now));
  if (!write) return;
  writeFileSync(PAGE, replaceMarked(readFileSync(PAGE, "utf8"), "table", sectionOf(now)));
  say(`written: ${PAGE}`);
}

const usedByOthers = (figures: readonly Figure[]): number =>
  figures.find(({ what }) => what === USED_BY_OTHERS)?.value ?? 0;

/** The table as the page has it, with what it was measured on. */
export function sectionOf({ at, machine, workers, plan, figures }: Kept): string {
  const measured = `${plan.rounds} round${plan.rounds === 1 ? "" : "s"} of ${plan.secondsAPoint} s`;
  const busy = quietness(usedByOthers(figures)).map((line) => ` **${line}**`);
  return [
    `Measured on ${at.slice(0, 10)}: ${shownMachine(machine)}; \`WORKERS=${workers}\`; medians of ${measured}.${busy.join("")}`,
    "",
    ...tableOf(figures),
  ].join("\n");
}
