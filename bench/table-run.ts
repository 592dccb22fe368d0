// `npm run bench -- --table`: measures the table, prints it with what was met and what it was the last time, keeps it, and says what
// got worse since.

import { newFolder } from "./data.ts";
import { lineOf } from "./figure.ts";
import { launchGateway } from "./gateway.ts";
import { comparison, type Kept, keep, lastKept } from "./kept.ts";
import { machineFacts, quietness, shownMachine } from "./machine.ts";
import { measureTable, type TablePlan, USED_BY_OTHERS } from "./table.ts";
import type { Undo } from "./undo.ts";

const KIND = "table";

/** @param against the file of a result to compare with, if not the last one */
export async function tellTable(
  undo: Undo,
  workers: number,
  plan: TablePlan,
  against: string | undefined,
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
  const others = figures.find(({ what }) => what === USED_BY_OTHERS)?.value ?? 0;
  for (const line of ["", ...quietness(others), ...comparison(before, now)]) say(line);
  say(keep(KIND, now));
}
