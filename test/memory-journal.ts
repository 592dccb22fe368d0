// The contract of the journal in memory, as simple as can be: for simulations of thousands of histories. It passes the same
// suite as the one in PostgreSQL (test/conformance/journal.ts).

import type { Clock } from "../src/clock.ts";
import type {
  Concluded,
  Conclusion,
  EventPlace,
  Journal,
  KeptResponse,
  KeyClaim,
  KeyedResponse,
  OpeningIntent,
  Remedy,
  SealedCard,
  StoredKey,
} from "../src/journal/journal.ts";
import type { Backlog } from "../src/journal/nodes.ts";
import { type Attempt, LAST_ATTEMPTS_KEPT, type UnresolvedEvent } from "../src/journal/unresolved.ts";
import { type RepeatLimit, withinLimits } from "../src/payment/going-on.ts";
import type { FirstOutcome, LateFailure, Outcome } from "../src/payment/outcome.ts";
import { type Event, isCharge, type Transaction, withEvent } from "../src/payment/transaction.ts";

export interface MemoryNode {
  readonly id: number;
  readonly journal: Journal;
  readonly backlog: Backlog;
}

export interface StoredTransaction {
  readonly number: number;
  readonly transaction: Transaction;
}

export interface MemoryInstallation {
  addMerchant(id: string): void;
  /** A further node, which counts as alive until it is declared dead. */
  join(clock: Clock): MemoryNode;
  declareDead(node: number): void;
  /** In the order of their numbers. */
  transactionsOf(merchantId: string): readonly StoredTransaction[];
  /** Events that wait for a resolver. */
  readonly unresolved: number;
  /** What the attempts to resolve an event came to, in words. */
  historyOf(transactionId: string, sequence: number): readonly string[];
}

interface Row {
  readonly number: number;
  readonly opened: OpeningIntent;
  readonly events: Map<number, { readonly event: Event; readonly node: number }>;
  readonly outcomes: Map<number, FirstOutcome>;
  readonly lateFailures: Map<number, LateFailure>;
}

interface NodeRow {
  dead: boolean;
  clearBefore: Date;
}

interface Waiting {
  readonly event: UnresolvedEvent;
  readonly dueAt: Date;
  readonly lease: { readonly by: number; readonly until: Date } | null;
  readonly history: readonly Attempt[];
}

class Records {
  readonly merchants = new Map<string, { transactions: number; newestAt: Date }>();
  readonly transactions = new Map<string, Row>();
  readonly keys = new Map<string, Omit<StoredKey, "response">>();
  readonly answers = new Map<string, KeptResponse>();
  readonly sealedCards = new Map<string, SealedCard>();
  readonly unresolved = new Map<string, Waiting>();
  readonly nodes = new Map<number, NodeRow>();
}

export function memoryInstallation(): MemoryInstallation {
  const records = new Records();
  let nodes = 0;
  return {
    addMerchant: (id) => void records.merchants.set(id, { transactions: 0, newestAt: new Date(0) }),
    join: (clock) => {
      const id = ++nodes;
      records.nodes.set(id, { dead: false, clearBefore: clock.now() });
      return { id, journal: journalOf(records, clock, id), backlog: backlogOf(records, id) };
    },
    declareDead: (node) => {
      const row = records.nodes.get(node);
      if (row) row.dead = true;
    },
    transactionsOf: (merchantId) =>
      [...records.transactions.values()]
        .filter(({ opened }) => opened.merchantId === merchantId)
        .map((row) => ({ number: row.number, transaction: whole(row) }))
        .sort((a, b) => a.number - b.number),
    get unresolved() {
      return records.unresolved.size;
    },
    historyOf: (transactionId, sequence) =>
      [...records.unresolved.values()]
        .filter(({ event }) => event.transactionId === transactionId && event.sequence === sequence)
        .flatMap(({ history }) => history.map(({ said }) => said)),
  };
}

const nameOf = (...parts: readonly (string | number)[]): string => parts.join(" ");
const placeName = ({ merchantId, transactionId, sequence }: EventPlace): string =>
  nameOf(merchantId, transactionId, sequence);

function whole({ opened, events, outcomes, lateFailures }: Row): Transaction {
  const { cardKey: _, newCard: __, ...plain } = opened;
  const outcomeOf = (sequence: number): Outcome | null => {
    const [first, failure] = [outcomes.get(sequence), lateFailures.get(sequence)];
    if (failure && first?.kind === "approved") return { kind: "failed-after-all", ...failure, approval: first };
    return first ?? null;
  };
  return [...events.values()]
    .map(({ event }) => ({ ...event, outcome: outcomeOf(event.sequence) }))
    .sort((a, b) => a.sequence - b.sequence)
    .reduce(withEvent, plain);
}

function journalOf(records: Records, clock: Clock, node: number): Journal {
  const rowOf = (merchantId: string, transactionId: string): Row => {
    const row = records.transactions.get(nameOf(merchantId, transactionId));
    if (row === undefined) throw new Error(`no transaction ${transactionId}`);
    return row;
  };
  const claimKey = (merchantId: string, transactionId: string, sequence: number, claim: KeyClaim | null): boolean => {
    if (claim === null) return true;
    const name = nameOf(merchantId, claim.key);
    if (records.keys.has(name)) return false;
    records.keys.set(name, { ...claim, transactionId, sequence });
    return true;
  };
  const addEvent = (merchantId: string, transactionId: string, event: Event): boolean => {
    const { events } = rowOf(merchantId, transactionId);
    if (events.has(event.sequence)) return false;
    events.set(event.sequence, { event: { ...event, outcome: null }, node });
    return true;
  };
  const keepAnswer = (merchantId: string, { key, ...answer }: KeyedResponse): KeptResponse => {
    const name = nameOf(merchantId, key);
    const kept = records.answers.get(name) ?? answer;
    records.answers.set(name, kept);
    return kept;
  };
  const owe = (place: EventPlace, remedy: Remedy, dueAt: Date): void => {
    const name = placeName(place);
    const { merchantId, transactionId, sequence } = place;
    const event = rowOf(merchantId, transactionId).events.get(sequence)?.event;
    if (event && !records.unresolved.has(name)) records.unresolved.set(name, waiting(place, event, remedy, dueAt));
  };

  const mayBeTried = (
    merchantId: string,
    transactionId: string,
    limits: readonly RepeatLimit[],
    now: Date,
  ): boolean => {
    const { cardKey } = rowOf(merchantId, transactionId).opened;
    if (cardKey === undefined) return false;
    const ofCard = [...records.transactions.values()].filter(
      ({ opened }) => opened.merchantId === merchantId && opened.cardKey?.equals(cardKey),
    );
    const tries = ofCard.flatMap(({ events, outcomes }) =>
      [...events.values()].filter(({ event }) => isCharge(event) && inVain(outcomes.get(event.sequence))),
    );
    return withinLimits(
      limits,
      tries.map(({ event: { createdAt, amount } }) => ({ at: createdAt, amount })),
      now,
    );
  };
  const conclude = (conclusion: Conclusion): Concluded => {
    const { merchantId, transactionId, sequence, outcome, keyedResponse, remedy, next, limits } = conclusion;
    const { outcomes } = rowOf(merchantId, transactionId);
    const mine = records.nodes.has(node) && !records.unresolved.has(placeName(conclusion));
    if (outcome.kind === "not-sent" && !mine) return outcomes.has(sequence) ? "already-concluded" : "taken-over";
    if (outcomes.has(sequence)) return "already-concluded";
    outcomes.set(sequence, outcome);
    if (remedy !== null) owe(conclusion, remedy, outcome.at);
    const within = limits === undefined || mayBeTried(merchantId, transactionId, limits, outcome.at);
    const goesOn = next !== undefined && within && addEvent(merchantId, transactionId, next);
    if (keyedResponse !== null && !goesOn) keepAnswer(merchantId, keyedResponse);
    if (next === undefined || goesOn) return "concluded";
    return within ? "conflict" : "limit-reached";
  };

  return {
    open: async (intent, claim, sealedCard = null) => {
      const merchant = records.merchants.get(intent.merchantId);
      if (merchant === undefined) throw new Error(`no merchant ${intent.merchantId}`);
      if (!claimKey(intent.merchantId, intent.id, 1, claim)) return "key-taken";
      merchant.transactions++;
      if (clock.now() > merchant.newestAt) merchant.newestAt = clock.now();
      const createdAt = merchant.newestAt;
      const event = { ...intent.events[0], createdAt };
      const row = {
        number: merchant.transactions,
        opened: { ...intent, createdAt },
        events: new Map(),
        outcomes: new Map(),
        lateFailures: new Map(),
      };
      records.transactions.set(nameOf(intent.merchantId, intent.id), row);
      addEvent(intent.merchantId, intent.id, event);
      if (sealedCard !== null) records.sealedCards.set(nameOf(intent.merchantId, intent.id), sealedCard);
      return { createdAt };
    },
    append: async (merchantId, transactionId, event, claim) => {
      const taken = claim !== null && records.keys.has(nameOf(merchantId, claim.key));
      if (taken || !addEvent(merchantId, transactionId, event)) return "conflict";
      claimKey(merchantId, transactionId, event.sequence, claim);
      return "appended";
    },
    appendEnded: async (event, conclusion) => {
      if (!addEvent(conclusion.merchantId, conclusion.transactionId, event)) return "conflict";
      conclude(conclusion);
      return "appended";
    },
    conclude: async (conclusion) => conclude(conclusion),
    failLate: async ({ merchantId, transactionId, sequence }, failure) => {
      const { lateFailures } = rowOf(merchantId, transactionId);
      if (!lateFailures.has(sequence)) lateFailures.set(sequence, failure);
    },
    defer: async (place, remedy, dueAt, keyedResponse) => {
      const row = rowOf(place.merchantId, place.transactionId);
      if (!row.outcomes.has(place.sequence)) owe(place, remedy, dueAt);
      if (keyedResponse !== null) keepAnswer(place.merchantId, keyedResponse);
    },
    openChallenge: async (place, challenge, dueAt, keyedResponse) => {
      const { outcomes, events } = rowOf(place.merchantId, place.transactionId);
      const there = events.get(place.sequence);
      if (!outcomes.has(place.sequence) && there && !records.unresolved.has(placeName(place))) {
        owe(place, "await", dueAt);
        events.set(place.sequence, { ...there, event: { ...there.event, challenge } });
      }
      if (keyedResponse !== null) keepAnswer(place.merchantId, keyedResponse);
    },
    find: async (merchantId, transactionId) => {
      const row = records.transactions.get(nameOf(merchantId, transactionId));
      return row && whole(row);
    },
    findSealedCard: async (merchantId, transactionId) => records.sealedCards.get(nameOf(merchantId, transactionId)),
    findKey: async (merchantId, key) => {
      const stored = records.keys.get(nameOf(merchantId, key));
      return stored && { ...stored, response: records.answers.get(nameOf(merchantId, key)) ?? null };
    },
    storeResponse: async (merchantId, response) => keepAnswer(merchantId, response),
  };
}

const inVain = (outcome: FirstOutcome | undefined): boolean =>
  outcome?.kind !== "approved" && outcome?.kind !== "not-sent";

function backlogOf(records: Records, node: number): Backlog {
  return {
    heartbeat: async (clearBefore) => void records.nodes.set(node, { dead: false, clearBefore }),
    takeOverFromDeadNodes: async (now) => {
      let found = 0;
      for (const [id, { dead, clearBefore }] of records.nodes) {
        if (!dead) continue;
        found += takeOver(records, id, clearBefore, now);
        for (const [name, one] of records.unresolved)
          if (one.lease?.by === id) records.unresolved.set(name, { ...one, lease: null });
      }
      return found;
    },
    dueProcessors: async (now) => [
      ...new Set(
        [...records.unresolved.values()].filter(({ dueAt }) => dueAt <= now).map(({ event }) => event.processorId),
      ),
    ],
    leaseDue: async (processorId, now, leaseMs, most) => {
      const waitingNow = [...records.unresolved.values()];
      const due = waitingNow
        .filter((one) => one.event.processorId === processorId && one.dueAt <= now && isFree(one, now))
        .filter(
          ({ event }) =>
            !waitingNow.some(
              (other) => !["await", "operator"].includes(other.event.remedy) && isBefore(other.event, event),
            ),
        )
        .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
        .slice(0, most);
      return due.map((one) => {
        const event = { ...one.event, attempts: one.event.attempts + 1 };
        records.unresolved.set(placeName(event), {
          ...one,
          event,
          lease: { by: node, until: new Date(now.getTime() + leaseMs) },
        });
        return event;
      });
    },
    renew: async (place, now, leaseMs) => {
      const one = records.unresolved.get(placeName(place));
      if (one?.lease?.by !== node) return;
      const lease = { by: node, until: new Date(now.getTime() + leaseMs) };
      records.unresolved.set(placeName(place), { ...one, lease });
    },
    putOff: async (place, attempt, dueAt, remedy) => {
      const one = records.unresolved.get(placeName(place));
      if (one === undefined) return;
      const [first, ...rest] = one.history;
      const kept = first === undefined ? [] : [first, ...rest.slice(1 - LAST_ATTEMPTS_KEPT)];
      const history = attempt === null ? one.history : [...kept, attempt];
      const undecided = one.event.undecided + (attempt?.undecided ? 1 : 0);
      const event = { ...one.event, remedy: remedy ?? one.event.remedy, undecided };
      records.unresolved.set(placeName(place), { ...one, event, dueAt, lease: null, history });
    },
    dueAtOnce: async (processorId, now, most) => {
      const putOff = [...records.unresolved]
        .filter(
          ([, { event, dueAt }]) => event.processorId === processorId && event.remedy !== "operator" && dueAt > now,
        )
        .filter(([, one]) => isFree(one, now))
        .sort(([, a], [, b]) => a.dueAt.getTime() - b.dueAt.getTime());
      for (const [name, one] of putOff.slice(0, most ?? putOff.length))
        records.unresolved.set(name, { ...one, dueAt: now });
    },
    resolved: async (place) => void records.unresolved.delete(placeName(place)),
  };
}

const waiting = (place: EventPlace, event: Event, remedy: Remedy, dueAt: Date): Waiting => {
  const { merchantId, transactionId, sequence } = place;
  const { processorId } = event;
  return {
    event: { merchantId, transactionId, sequence, processorId, remedy, attempts: 0, undecided: 0 },
    dueAt,
    lease: null,
    history: [],
  };
};

const isFree = ({ lease }: Waiting, now: Date): boolean => lease === null || lease.until <= now;

const isBefore = (a: EventPlace, b: EventPlace): boolean =>
  a.merchantId === b.merchantId && a.transactionId === b.transactionId && a.sequence < b.sequence;

function takeOver(records: Records, dead: number, clearBefore: Date, now: Date): number {
  let found = 0;
  for (const { opened, events, outcomes } of records.transactions.values())
    for (const { event, node } of events.values()) {
      const place = { merchantId: opened.merchantId, transactionId: opened.id, sequence: event.sequence };
      if (node !== dead || outcomes.has(event.sequence) || event.createdAt < clearBefore) continue;
      if (records.unresolved.has(placeName(place))) continue;
      const remedy = isCharge(event) ? "reverse" : "repeat";
      records.unresolved.set(placeName(place), waiting(place, event, remedy, now));
      found++;
    }
  return found;
}
