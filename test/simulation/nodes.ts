// The nodes of a simulated installation: the real use cases on the house's journal, with a line to the processors and a
// way to the database where others come between, where both can be disturbed, and where a node can be killed.

import { cardKeys } from "../../src/gateway/card-keys.ts";
import { checkoutTokens } from "../../src/gateway/checkout-tokens.ts";
import { failingProcessors } from "../../src/gateway/failing-processors.ts";
import { transactionTurns } from "../../src/gateway/follow-up.ts";
import { idempotencyKeys, type Keys } from "../../src/gateway/idempotency.ts";
import { inFlight } from "../../src/gateway/in-flight.ts";
import type { Log } from "../../src/gateway/log.ts";
import type { Parts } from "../../src/gateway/parts.ts";
import { type ProcessorQueues, processorQueues } from "../../src/gateway/processor-queues.ts";
import { processorsAtWork } from "../../src/gateway/processors-at-work.ts";
import type { Render } from "../../src/gateway/result.ts";
import { retryQueue } from "../../src/gateway/retry-queue.ts";
import { type Journal, JournalUnavailable, JournalUncertain } from "../../src/journal/journal.ts";
import type { ProcessorRecord } from "../../src/payment/processor-record.ts";
import { simulatorKind } from "../../src/processors/simulator/simulator.ts";
import type { Acquirer, Asker, Line } from "../acquirer.ts";
import { processorParts } from "../conformance/processor-parts.ts";
import { recordsFrom } from "../gateway-in-memory.ts";
import type { Chance } from "./chance.ts";
import type { House, HouseNode } from "./house.ts";
import type { Turns } from "./turns.ts";

export interface SimulatedNode extends HouseNode {
  readonly parts: Parts;
  readonly queues: ProcessorQueues;
  /** Its end of the lines to the processors. */
  readonly asker: Asker;
  readonly keys: Keys;
  /** It was killed, or taken for dead, once: what it asked may have come to something else. */
  doubtful: boolean;
  /** What it has asked of the journal has ended: of a node that was killed, its last words have arrived. */
  heard(): Promise<void>;
}

/** What disturbs the installation at present. */
export interface Weather {
  chance: Chance;
  noise: 0 | 1 | 2 | 3;
  databaseAway: boolean;
}

const LINES: Readonly<Record<Weather["noise"], readonly [Line, ...Line[]]>> = {
  0: ["answers"],
  1: ["answers", "answers", "answers", "answers", "answers", "loses answer", "loses question", "refuses", "breaks"],
  2: ["answers", "answers", "loses answer", "loses question", "refuses"],
  3: ["refuses", "refuses", "answers"],
};

/** The last event, so that an answer can be traced to it. */
export const render: Render = ({ transaction, kind }) => ({
  status: 0,
  body: JSON.stringify({ transaction: transaction.id, event: transaction.events.at(-1)?.id, end: kind }),
});

export async function joinNode(
  house: House,
  books: Acquirer,
  records: readonly ProcessorRecord[],
  turns: Turns,
  weather: Weather,
  newId: () => string,
): Promise<SimulatedNode> {
  const { id, journal, backlog } = await house.join();
  const way = () => turns.way(id);
  const asker: Asker = { line: () => weather.chance.pick(LINES[weather.noise]), way };
  const kind = {
    ...simulatorKind,
    open: (record: ProcessorRecord) => books.wrap(record.id, simulatorKind.open(record, house), asker),
  };
  const atWork = new Set<Promise<unknown>>();
  const parts: Parts = {
    journal: exposed(journal, way, weather, atWork),
    processors: processorsAtWork(recordsFrom(records), new Map([[kind.name, kind]]), processorParts(house.clock)),
    failing: failingProcessors({ clock: house.clock, log: SILENT }),
    clock: house.clock,
    chancesOf: () => () => weather.chance.next(),
    newId,
    cardKeyOf: cardKeys(Buffer.from("simulation")),
    checkoutTokens: checkoutTokens(Buffer.from("simulation")),
    storedCards: { find: async () => undefined },
    fingerprintOf: () => "",
    inFlight: inFlight(),
    retryQueue: retryQueue(SILENT),
    transactionTurns: transactionTurns(),
    halted: () => false,
    log: SILENT,
  };
  return {
    id,
    journal,
    backlog,
    parts,
    queues: processorQueues(parts, backlog, render),
    asker,
    keys: idempotencyKeys(),
    doubtful: false,
    heard: async () => {
      while (atWork.size > 0) await Promise.allSettled(atWork);
    },
  };
}

/** Others come between on the way to the journal and back, and at times its database is away. */
function exposed(journal: Journal, way: () => Promise<void>, weather: Weather, atWork: Set<Promise<unknown>>): Journal {
  const reached = async <T>(call: () => Promise<T>): Promise<T> => {
    await way();
    const work = call();
    atWork.add(work);
    const result = await work.finally(() => atWork.delete(work));
    await way();
    return result;
  };
  const written = <T>(call: () => Promise<T>): Promise<T> =>
    reached(async () => {
      const trouble = weather.databaseAway ? weather.chance.below(6) : 3;
      if (trouble === 0) throw new JournalUnavailable("away");
      if (trouble === 1) throw new JournalUncertain("lost");
      const result = await call();
      if (trouble === 2) throw new JournalUncertain("done and lost");
      return result;
    });
  return {
    open: (intent, claim, sealedCard) => written(() => journal.open(intent, claim, sealedCard)),
    append: (merchantId, id, event, claim) => written(() => journal.append(merchantId, id, event, claim)),
    appendEnded: (event, conclusion) => written(() => journal.appendEnded(event, conclusion)),
    conclude: (conclusion) => written(() => journal.conclude(conclusion)),
    failLate: (place, failure) => written(() => journal.failLate(place, failure)),
    defer: (place, remedy, dueAt, response) => written(() => journal.defer(place, remedy, dueAt, response)),
    openChallenge: (place, challenge, dueAt, response) =>
      written(() => journal.openChallenge(place, challenge, dueAt, response)),
    find: (merchantId, id) => reached(() => journal.find(merchantId, id)),
    findSealedCard: (merchantId, id) => reached(() => journal.findSealedCard(merchantId, id)),
    findKey: (merchantId, key) => reached(() => journal.findKey(merchantId, key)),
    storeResponse: (merchantId, response) => written(() => journal.storeResponse(merchantId, response)),
  };
}

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
