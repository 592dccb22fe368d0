// Resolves events: unanswered charges are reversed until the processor confirms, other operations are repeated under their own
// reference until they have an outcome (decisions F1 to F3). This file decides when; attempt.ts makes one attempt,
// processor-queues.ts decides how many at once.

import type { Clock } from "../clock.ts";
import { removeOldChargedCards } from "../journal/charged-cards.ts";
import type { Sql } from "../journal/database.ts";
import { someAreLeftOut } from "../journal/merchants-there.ts";
import { type Backlog, backlogOf } from "../journal/nodes.ts";
import { removeOldKeys } from "../journal/old-keys.ts";
import { removeUnneededCards } from "./card-numbers.ts";
import { every } from "./every.ts";
import { settleNewCards } from "./new-cards.ts";
import type { Parts } from "./parts.ts";
import { type ProcessorQueues, processorQueues } from "./processor-queues.ts";
import type { Render } from "./result.ts";
import { slowerClock } from "./slower-clock.ts";

const EVERY_MS = 1_000;
const REMOVE_KEYS_EVERY_MS = 60_000;
const LOOK_AT_CARDS_EVERY_MS = 60_000;

export interface Resolver {
  stop(): Promise<void>;
}

interface Connections {
  /** Never kept by anything slow: a node whose heartbeats wait is taken for dead. */
  readonly heartbeats: Sql;
  readonly background: Sql;
}

/** @param deadAfterMs unlike the usual: see nodes.ts */
export function startResolver(
  parts: Parts,
  { heartbeats: ofHeartbeats, background: pool }: Connections,
  node: number,
  render: Render,
  deadAfterMs?: number,
): Resolver {
  const backlog = backlogOf(pool, node, deadAfterMs);
  const queues = processorQueues(parts, backlog, render);
  const rounds = new Set<Promise<void>>();
  // Heartbeats wait for nothing else: neither for a processor, nor for what a dead node left.
  const life = backlogOf(ofHeartbeats, node);
  const heartbeats = every(EVERY_MS, parts.log, async () => {
    await heartbeat(parts, life);
    return "pause";
  });
  const takeovers = every(EVERY_MS, parts.log, async () => {
    if (!parts.halted()) await takeOver(parts, backlog);
    return "pause";
  });
  let leftOut = false;
  // Nor does a round wait for those before it.
  const work = every(EVERY_MS, parts.log, async () => {
    if (leftOut !== someAreLeftOut(pool)) {
      leftOut = !leftOut;
      tellWhoWaits(parts, leftOut);
    }
    if (parts.halted()) {
      // Outcomes that are known are written whatever the state; nothing is begun.
      await parts.retryQueue.retry();
      return "pause";
    }
    for (const working of await beginDue(parts, backlog, queues)) {
      const round = working
        .then(() => undefined)
        .catch((fault: unknown) => parts.log.warn({ fault: String(fault) }, "unresolved events could not be read"))
        .finally(() => rounds.delete(round));
      rounds.add(round);
    }
    return "pause";
  });
  const removing = (pauseMs: number, remove: (clock: Clock) => Promise<boolean>) =>
    every(pauseMs, parts.log, async () =>
      !parts.halted() && (await remove(await slowerClock(parts.clock, pool))) ? "at once" : "pause",
    );
  const keys = removing(REMOVE_KEYS_EVERY_MS, (clock) => removeOldKeys(pool, clock.now()));
  const charged = removing(REMOVE_KEYS_EVERY_MS, (clock) => removeOldChargedCards(pool, clock.now()));
  const cards = removing(LOOK_AT_CARDS_EVERY_MS, (clock) => removeUnneededCards({ ...parts, clock }, pool));
  const newCards = removing(LOOK_AT_CARDS_EVERY_MS, () => settleNewCards(parts, pool));
  return {
    stop: async () => {
      queues.stop();
      await Promise.all([takeovers.stop(), work.stop(), keys.stop(), charged.stop(), cards.stop(), newCards.stop()]);
      await Promise.all(rounds);
      // What is in flight is this node's until it has ended.
      await heartbeats.stop();
    },
  };
}

/** Nothing fails where some merchants are left out, so this is said. */
function tellWhoWaits({ log }: Parts, someWait: boolean): void {
  if (someWait) log.warn({}, "a worker of Citus does not answer: what is due for its merchants waits");
  else log.info({}, "all workers of Citus answer again");
}

/** Others see that this node lives. */
export async function heartbeat(parts: Parts, backlog: Pick<Backlog, "heartbeat">): Promise<void> {
  await backlog.heartbeat(parts.inFlight.clearBefore(parts.clock.now()));
}

/** A look for nodes whose heartbeats have stopped. */
export async function takeOver(parts: Parts, backlog: Pick<Backlog, "takeOverFromDeadNodes">): Promise<void> {
  const found = await backlog.takeOverFromDeadNodes(parts.clock.now());
  if (found > 0) parts.log.warn({ events: found }, "events without an outcome were found after a stop");
}

/** One round, which is not waited for. @returns for each processor record how many were tried, when they were */
export async function beginDue(
  parts: Parts,
  backlog: Backlog,
  queues: ProcessorQueues,
): Promise<readonly Promise<number>[]> {
  await parts.retryQueue.retry();
  await queues.probe();
  const processors = await backlog.dueProcessors(parts.clock.now());
  return processors.map((id) => queues.work(id));
}
