// `npm run bench -- --workers 2 --nodes 2`: measures scale.ts, prints a column for each subject and how they compare, keeps it, and says
// what got worse since the last time.

import { newFolder } from "./data.ts";
import { type Figure, lineOf, shown } from "./figure.ts";
import { comparison, type Kept, keep, lastKept } from "./kept.ts";
import { machineFacts, quietness, shownMachine } from "./machine.ts";
import { table } from "./report.ts";
import { MEASURES, measureScale, type Scale, type ScalePlan } from "./scale.ts";
import type { Undo } from "./undo.ts";

const KIND = "scale";

/** @param against the file of a result to compare with, if not the last one */
export async function tellScale(
  undo: Undo,
  plan: ScalePlan,
  against: string | undefined,
  say: (line: string) => void,
): Promise<void> {
  const [at, machine] = [new Date().toISOString(), machineFacts(newFolder(undo))];
  const scale = await measureScale(undo, plan, say);
  const { rounds, secondsAPoint, workers } = plan;
  const now: Kept = { at, machine, workers, plan: { ...plan }, figures: figuresOf(scale) };
  const before = lastKept(KIND, now, against);
  say(`\n${shownMachine(machine)}; medians of ${rounds} rounds of ${secondsAPoint} s`);
  say(
    "Gateways, database and the sender of the load share these cores. The nodes do too: they show what a database shared costs.\n",
  );
  for (const line of columnsOf(scale)) say(line);
  say("");
  for (const figure of scale.comparisons) say(lineOf(figure));
  const others = Math.max(...[...scale.bySubject.values()].map((values) => values["most others"] ?? 0));
  for (const line of ["", ...quietness(others), ...comparison(before, now)]) say(line);
  say(keep(KIND, now));
}

function columnsOf({ bySubject }: Scale): readonly string[] {
  return table([
    ["", ...bySubject.keys(), ""],
    ...MEASURES.map(({ name, what, unit }) => [
      what,
      ...[...bySubject.values()].map((values) => shown(values[name] ?? Number.NaN)),
      unit,
    ]),
  ]);
}

/** All under names of their own. */
function figuresOf({ bySubject, comparisons }: Scale): readonly Figure[] {
  const ofSubjects = [...bySubject].flatMap(([subject, values]) =>
    MEASURES.map(({ name, what, unit, better }): Figure => {
      return {
        what: `${subject}: ${name.split(" ")[0]}: ${what.trim()}`,
        value: values[name] ?? Number.NaN,
        unit,
        better,
      };
    }),
  );
  return [...ofSubjects, ...comparisons];
}
