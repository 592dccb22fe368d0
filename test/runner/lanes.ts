// Lanes that work off one queue of jobs: whichever is free takes the next. So no list of who does what has to be kept.

import type { Job } from "./jobs.ts";
import type { Report, Shard } from "./shard.ts";

export interface LanesOptions {
  readonly lanes: number;
  openShard(lane: string, env?: NodeJS.ProcessEnv): Shard;
  onStart(job: Job): void;
  onEnd(job: Job, reports: readonly Report[]): void;
}

/**
 * @param jobs in the order in which they are begun. Those that want the machine to themselves come last, one by one. The patient ones
 * have a lane of their own beside them, or beside all where nothing is alone: they take what the others leave of the machine. The
 * foreign ones have a lane beside the tests: their tools do the same, and need nothing of the machine while something is alone.
 */
export async function runJobs(jobs: readonly Job[], options: LanesOptions): Promise<void> {
  const { alone = [], patient = [], foreign = [], any = [] } = Object.groupBy(jobs, ({ place }) => place ?? "any");
  const runPatient = () => runInLanes(patient, { ...options, lanes: 1 }, "patient");
  const runTests = () =>
    Promise.all([runInLanes(any, options), runInLanes(foreign, { ...options, lanes: 1 }, "foreign")]);
  if (alone.length === 0) {
    await Promise.all([runTests(), runPatient()]);
  } else {
    await runTests();
    await Promise.all([runInLanes(alone, { ...options, lanes: 1 }), runPatient()]);
  }
}

async function runInLanes(jobs: readonly Job[], options: LanesOptions, prefix = ""): Promise<void> {
  const queue = [...jobs];
  const lanes = Math.min(options.lanes, jobs.length);
  await Promise.all(Array.from({ length: lanes }, (_, nth) => runLane(queue, `${prefix}${nth + 1}`, options)));
}

async function runLane(queue: Job[], lane: string, { openShard, onStart, onEnd }: LanesOptions): Promise<void> {
  const shard = openShard(lane);
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    onStart(job);
    onEnd(job, await reportsOf(job, shard, (env) => openShard(`${lane}-own`, env)));
  }
  await shard.close();
}

async function reportsOf(job: Job, shard: Shard, openAnother: (env: NodeJS.ProcessEnv) => Shard) {
  try {
    return await job.run(shard, openAnother);
  } catch (fault) {
    const failure = { path: [], line: undefined, text: fault instanceof Error ? `${fault.stack}` : String(fault) };
    return [{ name: job.name, passed: 0, failures: [failure], notes: "", ms: 0 }];
  }
}
