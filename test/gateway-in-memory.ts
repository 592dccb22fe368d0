// A gateway for tests: the real use cases and the real simulator, a processor's books around it, a journal in memory, a
// clock that is moved by hand. Nothing of ours is mocked; what can be disturbed is the line and the journal.

import { v7 as uuidv7 } from "uuid";
import { cardKeys } from "../src/gateway/card-keys.ts";
import { type ChargeRequest, charge } from "../src/gateway/charge.ts";
import { checkoutTokens } from "../src/gateway/checkout-tokens.ts";
import { failingProcessors } from "../src/gateway/failing-processors.ts";
import { type FollowUpCall, followUp, transactionTurns } from "../src/gateway/follow-up.ts";
import { inFlight } from "../src/gateway/in-flight.ts";
import type { Parts } from "../src/gateway/parts.ts";
import { type ProcessorQueues, processorQueues } from "../src/gateway/processor-queues.ts";
import { processorsAtWork, type Records } from "../src/gateway/processors-at-work.ts";
import { beginDue, heartbeat, takeOver } from "../src/gateway/resolve.ts";
import type { End, Render, Result } from "../src/gateway/result.ts";
import { retryQueue } from "../src/gateway/retry-queue.ts";
import { reverse } from "../src/gateway/reverse.ts";
import type { Journal, KeyClaim } from "../src/journal/journal.ts";
import type { Backlog } from "../src/journal/nodes.ts";
import { defaultTerms } from "../src/payment/account-terms.ts";
import { cardNumber } from "../src/payment/card.ts";
import type { FollowUpRequest } from "../src/payment/follow-up.ts";
import { amountOf } from "../src/payment/money.ts";
import type { ProcessorRecord } from "../src/payment/processor-record.ts";
import { NO_RULES, type Routing } from "../src/payment/routing-rules.ts";
import { defaultSchedule } from "../src/payment/settlement.ts";
import type { FollowUpType, Transaction } from "../src/payment/transaction.ts";
import { simulatorKind } from "../src/processors/simulator/simulator.ts";
import { type Acquirer, type Asker, acquirer } from "./acquirer.ts";
import { processorParts } from "./conformance/processor-parts.ts";
import { type HandClock, handClock } from "./hand-clock.ts";
import { type MemoryInstallation, memoryInstallation } from "./memory-journal.ts";
import { at } from "./transactions.ts";

export interface Installation {
  readonly clock: HandClock;
  readonly memory: MemoryInstallation;
  readonly books: Acquirer;
  readonly merchantId: string;
  readonly records: ProcessorRecord[];
  /** A further node. @param around what its journal is to be wrapped in @param answers instead of {@link render} */
  join(around?: (journal: Journal) => Journal, answers?: Render): Node;
}

export interface Node {
  readonly id: number;
  readonly parts: Parts;
  readonly backlog: Backlog;
  /** What was logged, as `level message`. */
  readonly logged: readonly string[];
  charge(given?: Partial<ChargeRequest> & { readonly claim?: KeyClaim; readonly digits?: string }): Promise<Result>;
  followUp(type: FollowUpType, id: string, given?: Partial<FollowUpRequest> & Called): Promise<Result>;
  reverse(id: string, given?: Called): Promise<Result>;
  find(id: string): Promise<Transaction>;
  /** One round of the resolver, after a heartbeat. @returns how many events were tried */
  resolve(): Promise<number>;
}

interface Called {
  readonly claim?: KeyClaim;
}

/**
 * @param asker how each node reaches its processors
 * @param routing the merchant's rules
 */
export function installation(
  records: readonly ProcessorRecord[],
  asker?: Asker,
  routing: Routing = NO_RULES,
): Installation {
  const clock = handClock(at("1 12:00"));
  const memory = memoryInstallation();
  const books = acquirer();
  const merchantId = records[0]?.merchantId ?? uuidv7();
  memory.addMerchant(merchantId);
  const kept = [...records];
  return {
    clock,
    memory,
    books,
    merchantId,
    records: kept,
    join: (around = (journal) => journal, answers = render) => {
      const { id, journal, backlog } = memory.join(clock);
      const { log, logged } = collectedLog();
      const kind = {
        ...simulatorKind,
        open: (record: ProcessorRecord) => books.wrap(record.id, simulatorKind.open(record, { clock }), asker),
      };
      const parts: Parts = {
        journal: around(journal),
        processors: processorsAtWork(recordsFrom(kept, routing), new Map([[kind.name, kind]]), processorParts(clock)),
        failing: failingProcessors({ clock, log }),
        clock,
        chancesOf: () => () => 0,
        newId: () => uuidv7(),
        cardKeyOf: cardKeys(Buffer.from("test")),
        checkoutTokens: checkoutTokens(Buffer.from("test")),
        storedCards: { find: async () => undefined },
        fingerprintOf: () => "",
        inFlight: inFlight(),
        retryQueue: retryQueue(log),
        transactionTurns: transactionTurns(),
        halted: () => false,
        log,
      };
      const queues = processorQueues(parts, backlog, render);
      return {
        id,
        parts,
        backlog,
        logged,
        ...operations(parts, merchantId, answers),
        resolve: () => resolve(parts, backlog, queues),
      };
    },
  };
}

async function resolve(parts: Parts, backlog: Backlog, queues: ProcessorQueues): Promise<number> {
  await heartbeat(parts, backlog);
  await takeOver(parts, backlog);
  return resolveDue(parts, backlog, queues);
}

/** One round of the resolver, to its end. @returns how many events were tried */
export async function resolveDue(parts: Parts, backlog: Backlog, queues: ProcessorQueues): Promise<number> {
  const tried = await Promise.all(await beginDue(parts, backlog, queues));
  return tried.reduce((all, some) => all + some, 0);
}

function operations(parts: Parts, merchantId: string, render: Render) {
  const call = (transactionId: string, claim: KeyClaim | null = null): FollowUpCall => ({
    merchantId,
    transactionId,
    ipAddress: null,
    claim,
    render,
  });
  const caller = { merchantId, userId: USER };
  return {
    charge: ({ claim, digits = "4111111111111111", ...given }: Parameters<Node["charge"]>[0] = {}) =>
      charge(
        parts,
        caller,
        { ...SALE, card: { ...CARD, number: cardNumber(digits) }, ...given },
        claim ?? null,
        render,
      ),
    followUp: (type: FollowUpType, id: string, { claim, amount, shares }: Partial<FollowUpRequest> & Called = {}) =>
      followUp(parts, call(id, claim), type, { amount, shares }),
    reverse: (id: string, { claim }: Called = {}) => reverse(parts, call(id, claim)),
    find: async (id: string) => {
      const transaction = await parts.journal.find(merchantId, id);
      if (transaction === undefined) throw new Error(`no transaction ${id}`);
      return transaction;
    },
  };
}

const USER = "01970000-0000-7000-8000-00000000000c";
const CARD = { number: cardNumber("4111111111111111"), cvv: undefined, expiryMonth: "12", expiryYear: "2039" };
/** What {@link Node.charge} sends where nothing else is given. */
export const SALE: ChargeRequest = {
  type: "sale",
  amount: amountOf(100n),
  processorId: undefined,
  card: CARD,
  merchantTransactionId: "order 1",
  ipAddress: null,
  fields: {},
  meta: null,
  threeDSecure: null,
  passengers: null,
};

/** As the gateway would read them from its database. */
export const recordsFrom = (records: readonly ProcessorRecord[], routing: Routing = NO_RULES): Records => ({
  processorsOf: async () => records,
  routingOf: async () => routing,
  forget: () => undefined,
});

/** A record of the simulator. */
export const record = (given: Partial<ProcessorRecord> = {}): ProcessorRecord => ({
  id: uuidv7(),
  merchantId: "01970000-0000-7000-8000-00000000000a",
  name: "simulator",
  kind: simulatorKind.name,
  currency: "USD",
  enabled: true,
  inRotation: true,
  requires: { cvv: [], names: false, document: false },
  terms: defaultTerms(given.currency ?? "USD"),
  schedule: defaultSchedule(given.currency ?? "USD"),
  settings: { timeout_ms: 100 },
  ...given,
});

/** The events in words, oldest first: `sale 100 approved`. */
export const inWords = ({ events }: Pick<Transaction, "events">): string[] =>
  events.map(({ type, amount, outcome }) => `${type} ${amount} ${outcome?.kind ?? "pending"}`);

const STATUS_OF_END: Record<End["kind"], number> = {
  approved: 200,
  declined: 200,
  unanswered: 200,
  pending: 202,
  "failed-after-all": 200,
  "action-required": 200,
  "already-settled": 422,
  "not-sent": 503,
};

/** The transaction's id, then its events in words. */
export const render: Render = ({ transaction, kind }) => ({
  status: STATUS_OF_END[kind],
  body: [transaction.id, ...inWords(transaction)].join("\n"),
});

export const idOf = (result: Result): string => {
  if (result.kind === "refused") throw new Error(`refused: ${result.refusals.map(({ name }) => name).join()}`);
  return result.response.body.split("\n")[0] ?? "";
};

/** `200 sale 100 approved, void 100 pending`; of a refusal `operation-in-flight on base`. */
export function resultInWords(result: Result): string {
  if (result.kind === "refused") return result.refusals.map(({ name, field }) => `${name} on ${field}`).join(", ");
  const [, ...events] = result.response.body.split("\n");
  return `${result.replayed ? "replayed " : ""}${result.response.status} ${events.join(", ")}`;
}

function collectedLog() {
  const logged: string[] = [];
  const write = (level: string) => (_: object, message: string) => void logged.push(`${level} ${message}`);
  return { logged, log: { info: write("info"), warn: write("warn"), error: write("error") } };
}
