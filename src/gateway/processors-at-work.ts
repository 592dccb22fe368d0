// The open connections to processors: one for each record, opened at its first use, opened anew when its settings change, and
// closed after an hour without use. Which records there are is merchants' business; how a kind speaks is processors'.

import { type Capabilities, withinTerms } from "../payment/account-terms.ts";
import type { Terms } from "../payment/actions.ts";
import type { CardBrand } from "../payment/card-brand.ts";
import type { ToExpress } from "../payment/expressible.ts";
import { LONGEST_TRYING_MS } from "../payment/going-on.ts";
import type { ConditionalFields, ProcessorRecord } from "../payment/processor-record.ts";
import type { Candidate } from "../payment/routing.ts";
import type { Routing } from "../payment/routing-rules.ts";
import { DEFAULT_TIMEOUT_MS, type ProcessorKinds, type ProcessorParts } from "../processors/kind.ts";
import type { Processor } from "../processors/processor.ts";
import { unopenedProcessor } from "./unopened-processor.ts";

export interface ProcessorAtWork extends Candidate {
  readonly processor: Processor;
  /** What the processor can do and the record's terms allow. */
  readonly capabilities: Capabilities;
  readonly timeoutMs: number;
}

/** For a transaction whose card number is kept, if its processor wants it. */
export const termsOf = ({
  capabilities,
  processor: { keepsCardNumber },
  record: { schedule },
}: ProcessorAtWork): Terms => ({
  capabilities,
  schedule,
  cardNumber: keepsCardNumber ? "kept" : "not wanted",
});

/** Where records come from, fresh within a second. */
export interface Records {
  /** All of the merchant, also those that are not enabled. */
  processorsOf(merchantId: string): Promise<readonly ProcessorRecord[]>;
  /** The rules among them. */
  routingOf(merchantId: string): Promise<Routing>;
  /** Makes it look anew. */
  forget(merchantId: string): void;
}

export interface ProcessorsAtWork {
  of(merchantId: string): Promise<readonly ProcessorAtWork[]>;
  routingOf(merchantId: string): Promise<Routing>;
  find(merchantId: string, processorId: string): Promise<ProcessorAtWork>;
  /** A question that a caller waits for was answered by this record's processor. */
  answered(processorId: string): void;
  /** How often it was, on this node. */
  answers(processorId: string): number;
  close(): Promise<void>;
}

/**
 * An operation asks the processors that it found when it began: a charge for so long, if its intent waits for its turn and others decline
 * it first.
 */
const HELD_FOR_MS = 2 * LONGEST_TRYING_MS;
/** Its own question, and those of its reversal: a void, an inquiry, a refund. */
const MOST_QUESTIONS = 4;

/** A merchant that charges nothing for so long keeps no connection, and no place in memory. */
const IDLE_MS = 3_600_000;

interface Open {
  readonly settings: string;
  readonly atWork: ProcessorAtWork;
  /** By the process's own clock. */
  usedMs: number;
}

/** Opens nothing before it is asked for. */
export function processorsAtWork(
  { processorsOf: recordsOf, routingOf, forget }: Records,
  kinds: ProcessorKinds,
  parts: ProcessorParts,
  { heldForMs = HELD_FOR_MS, idleMs = IDLE_MS } = {},
): ProcessorsAtWork {
  const open = new Map<string, Open>();
  const answers = new Map<string, number>();
  // Records come from a cache, so the same object means the same settings.
  let known = new WeakMap<ProcessorRecord, Open>();

  /** Where one cannot be opened, the merchant's others go on. */
  const opened = (record: ProcessorRecord): Processor => {
    const kind = kinds.get(record.kind);
    const standIn = (why: string): Processor => {
      parts.log.warn({ processor: record.id, why }, "nothing is sent to a processor record that cannot be opened");
      return unopenedProcessor(kind, record, why);
    };
    if (kind === undefined) return standIn(`it is of the kind ${record.kind}, which this version does not know`);
    if (record.unopened !== undefined)
      return standIn(`secrets of its record cannot be opened, set them again: ${record.unopened.join(", ")}`);
    try {
      return kind.open(record, parts);
    } catch (fault) {
      return standIn(fault instanceof Error ? fault.message : "its settings do not fit");
    }
  };

  /** What was asked of them before their records changed is still answered. */
  const replaced = new Set<Processor>();
  const closeLater = ({ processor, timeoutMs }: ProcessorAtWork): void => {
    replaced.add(processor);
    const close = () => void (replaced.delete(processor) && processor.close());
    setTimeout(close, heldForMs + MOST_QUESTIONS * timeoutMs).unref();
  };

  const atWork = (record: ProcessorRecord): ProcessorAtWork => {
    const same = known.get(record);
    if (same !== undefined) {
      same.usedMs = performance.now();
      return same.atWork;
    }
    const { currency, terms, unopened } = record;
    const settings = JSON.stringify([record.kind, currency, terms, record.settings, unopened]);
    const before = open.get(record.id);
    const unchanged = before?.settings === settings;
    const timeoutMs = timeoutOf(record);
    const processor = unchanged ? before.atWork.processor : opened(record);
    if (before && !unchanged) closeLater(before.atWork);
    const now = { settings, atWork: workOf(record, processor, timeoutMs), usedMs: performance.now() };
    open.set(record.id, now);
    known.set(record, now);
    return now.atWork;
  };

  const closeIdle = (): void => {
    const idle = [...open].filter(([, { usedMs }]) => performance.now() - usedMs >= idleMs);
    if (idle.length === 0) return;
    // Those that are still open are known again at their next use.
    known = new WeakMap();
    for (const [processorId, { atWork: unused }] of idle) {
      open.delete(processorId);
      answers.delete(processorId);
      closeLater(unused);
    }
  };
  const sweep = setInterval(closeIdle, idleMs / 4).unref();

  return {
    of: async (merchantId) => (await recordsOf(merchantId)).map(atWork),
    routingOf,
    find: async (merchantId, processorId) => {
      const look = async () => (await recordsOf(merchantId)).find(({ id }) => id === processorId);
      let record = await look();
      if (record === undefined) {
        // Events name it, so it is there: another node has it since a moment ago.
        forget(merchantId);
        record = await look();
      }
      if (record === undefined) throw new Error(`processor ${processorId} of merchant ${merchantId} is gone`);
      return atWork(record);
    },
    answered: (processorId) => void answers.set(processorId, (answers.get(processorId) ?? 0) + 1),
    answers: (processorId) => answers.get(processorId) ?? 0,
    close: async () => {
      clearInterval(sweep);
      const all = [...replaced, ...[...open.values()].map(({ atWork: { processor } }) => processor)];
      replaced.clear();
      await Promise.all(all.map((processor) => processor.close()));
    },
  };
}

/**
 * Made where nothing else is at hand: what a function beside `takes` used would be kept as long as this is, and through it all that
 * were there before, two a second for each record.
 */
const workOf = (record: ProcessorRecord, processor: Processor, timeoutMs: number): ProcessorAtWork => ({
  record: { ...record, requires: together(record.requires, processor.requires) },
  takes: (brand: CardBrand) => processor.takes(brand),
  cannotExpress: (asked: ToExpress) => processor.cannotExpress(asked),
  processor,
  capabilities: withinTerms(record.terms, processor.capabilities),
  timeoutMs,
});

function timeoutOf({ settings }: ProcessorRecord): number {
  const timeout = settings.timeout_ms;
  return typeof timeout === "number" ? timeout : DEFAULT_TIMEOUT_MS;
}

/** What the operator demands and what the processor's nature does. */
const together = (a: ConditionalFields, b: ConditionalFields): ConditionalFields => ({
  cvv: [...new Set([...a.cvv, ...b.cvv])],
  names: a.names || b.names,
  document: a.document || b.document,
});

/** Asks the harmless question whether the processor answers now. @param stopping nobody waits for the answer any more */
export const isReachable = (
  { processor, timeoutMs }: Pick<ProcessorAtWork, "processor" | "timeoutMs">,
  stopping?: AbortSignal,
): Promise<boolean> => {
  const deadline = AbortSignal.timeout(timeoutMs);
  return processor.health(stopping === undefined ? deadline : AbortSignal.any([deadline, stopping])).then(
    ({ reachable }) => reachable,
    () => false,
  );
};
