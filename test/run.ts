// `npm test`: types, lint and the direction of imports, every test, and the black-box checks of a running gateway where they
// lie beside the project, in as many processes at once as suit the machine. Ends in one line, `N passed, N failed`.

import { chmodSync, globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STEPS as FOREIGN, missingFor } from "./foreign/steps.ts";
import { SHARD_BYTES, STEPS, type Wanted, wantedBy } from "./runner/arguments.ts";
import { type Duration, inOrder, readDurations, writeDurations } from "./runner/durations.ts";
import { acceptanceJobs, commandJob, fileJob, foreignJob, type Job, ROOT, runsAlone } from "./runner/jobs.ts";
import { runJobs } from "./runner/lanes.ts";
import { placeFor } from "./runner/place.ts";
import { prepare } from "./runner/preparation.ts";
import { isQuick, NOT_QUICK } from "./runner/quick.ts";
import { progressOf } from "./runner/report.ts";
import { openShard, type Shard } from "./runner/shard.ts";
import { removeFolder } from "./runner/worker-process.ts";
import { SKIPPED_WITHOUT_PROGRAMS } from "./system-programs.ts";

const wanted = readArguments();
const jobs = jobsOf(wanted);
const durations = readDurations();
// What a full run writes may be more than a memory holds.
const folder = mkdtempSync(join(wanted.full ? tmpdir() : placeFor(wanted.shards, SHARD_BYTES), "faregate-run-"));
chmodSync(folder, 0o711);
process.env.TMPDIR = folder;
// What a run begun by a test needs may be there already.
process.env.TEST_RUN_FOLDER ??= folder;
const open = new Set<Shard>();
const preparing = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void breakOff());

const took = new Map<string, Duration>();
const again = `npm ${wanted.full ? "run simulate" : "test"} -- --seed ${wanted.seed}`;
if (wanted.full) console.log(`Seed ${wanted.seed}`);
const leftOut = leftOutOf(wanted, jobs);
const progress = progressOf({ jobs: jobs.length, again, leftOut, out: process.stdout });
await prepare(jobs, preparing.signal);
if (preparing.signal.aborted) await new Promise(() => undefined); // until it is broken off
await runJobs(inOrder(jobs, durations), {
  lanes: wanted.shards,
  openShard: (lane, env) => {
    const shard = openShard({
      folder: join(folder, lane),
      deadlineMs: wanted.deadlineMs,
      env: { ...env, TEST_SEED: `${wanted.seed}`, ...sizeOf(wanted) },
    });
    open.add(shard);
    return shard;
  },
  onStart: ({ name }) => progress.started(name),
  onEnd: ({ name }, reports) => {
    const sum = (what: "ms" | "cpuMs") => Math.round(reports.reduce((all, report) => all + (report[what] ?? 0), 0));
    took.set(name, { ms: sum("ms"), ...(reports.some(({ cpuMs }) => cpuMs !== undefined) && { cpuMs: sum("cpuMs") }) });
    progress.ended(name, reports);
  },
});
await removeFolder(folder);
if (!wanted.full) writeDurations(durations, took);
process.exit(progress.conclude() === 0 && jobs.length > 0 ? 0 : 1);

function readArguments(): Wanted {
  try {
    return wantedBy(process.argv.slice(2));
  } catch (fault) {
    console.error(
      `${fault instanceof Error ? fault.message : fault}\nnpm test -- [${STEPS.join(" | ")} | part of a path] [--quick] [--siege] [--foreign] [--shards N] [--seed N]`,
    );
    process.exit(2);
  }
}

function jobsOf(wanted: Wanted): readonly Job[] {
  const { steps, acceptance } = wanted;
  return [
    ...(steps.has("types")
      ? [
          commandJob("types", "typescript/bin/tsc", "-p", "."),
          commandJob("types of the console", "typescript/bin/tsc", "-p", "console"),
        ]
      : []),
    ...(steps.has("lint")
      ? [
          commandJob("lint", "@biomejs/biome/bin/biome", "ci", "--colors=off", "."),
          commandJob("unused exports", "knip/bin/knip.js", "--no-progress"),
        ]
      : []),
    ...(steps.has("acceptance") ? acceptanceJobs(acceptance) : []),
    ...(steps.has("tests") ? fileJobs(wanted) : []),
    ...(wanted.foreign
      ? FOREIGN.filter((step) => missingFor(step) === undefined).map(({ file }) => foreignJob(file))
      : []),
  ];
}

/** A pattern that matches nothing would pass in silence, so it is a failure. */
function fileJobs({ files, patterns, siege, full, quick }: Wanted): readonly Job[] {
  const all = globSync(files, { cwd: ROOT })
    .sort()
    .filter((file) => !full || hasSizes(file))
    .filter((file) => !quick || isQuick(file));
  const nothing = (patterns.length > 0 ? patterns : [""]).filter((part) => !all.some((file) => file.includes(part)));
  if (nothing.length > 0) {
    for (const part of nothing) console.log(`There is no test file ${part} among ${files}`);
    console.log(`\n0 passed, ${nothing.length} failed`);
    process.exit(1);
  }
  const isNamed = (file: string) => patterns.some((part) => file.includes(part));
  const isMeant = (file: string) =>
    (siege && runsAlone(file)) || (patterns.length > 0 ? isNamed(file) : !runsAlone(file));
  return all.filter(isMeant).map(fileJob);
}

/** Whether it draws more in a full run. */
function hasSizes(file: string): boolean {
  return /\bsized\(/.test(readFileSync(join(ROOT, file), "utf8"));
}

function sizeOf({ full, quick }: Wanted): NodeJS.ProcessEnv {
  return full ? { TEST_SIZE: "full" } : quick ? { TEST_SIZE: "quick" } : {};
}

function leftOutOf(
  { steps, patterns, acceptance, siege, foreign, full, quick }: Wanted,
  jobs: readonly Job[],
): readonly string[] {
  const isRun = (name: string) => jobs.some((job) => job.name === name);
  if (quick) return [NOT_QUICK];
  return [
    ...(steps.has("acceptance") && !isRun("acceptance")
      ? [`The acceptance files were not run: there are none in ${acceptance}.`]
      : []),
    ...(steps.has("tests") && patterns.length === 0 && !siege && !full
      ? [
          "The siege was not run: it takes two minutes and the whole machine. CI runs it; npm test -- --siege does, too.",
        ]
      : []),
    ...(steps.has("tests") && patterns.length === 0 ? SKIPPED_WITHOUT_PROGRAMS : []),
    ...(foreign ? FOREIGN.flatMap(skipped) : []),
  ];
}

function skipped(step: (typeof FOREIGN)[number]): string[] {
  const missing = missingFor(step);
  return missing === undefined ? [] : [`The foreign step ${step.name} was skipped: ${missing}.`];
}

async function breakOff(): Promise<void> {
  preparing.abort();
  await Promise.all([...open].map((shard) => shard.kill()));
  await removeFolder(folder);
  process.exit(130);
}
