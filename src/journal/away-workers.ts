// Workers of Citus that do not answer. Nothing more is sent for their merchants until they do: each write would wait for as long as a write
// may, and other merchants' behind it. Each process finds out by itself, by the first write that fails.

import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "./database.ts";
import { JournalUnavailable } from "./journal.ts";
import { ANSWER_WITHIN_MS, answersInTime, askWorkerOf, workersOf } from "./merchants-worker.ts";

/** After which a worker that did not answer is asked again. */
const PAUSE_MS = 1_000;

export interface AwayWorkers {
  /** What was sent for this merchant has failed: its worker must answer before anything more is sent there. */
  suspect(merchantId: string): void;
  /** Before anything is sent for this merchant. @throws JournalUnavailable if its worker does not answer in time */
  mustAnswer(sql: Sql, merchantId: string): Promise<void>;
}

/** What is asked at the coordinator. */
export interface WorkerQuestions {
  /** By merchant. */
  readonly workersOf: (sql: Sql, merchants: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Whether the merchant's worker does. */
  readonly answers: (sql: Sql, merchantId: string) => Promise<boolean>;
}

interface Suspicion {
  /** Shared by all who want to know. */
  answer: Promise<boolean> | undefined;
  /** When it is asked again; before the first answer undefined. */
  againAt: number | undefined;
}

/** @param now epoch milliseconds @param answerWithinMs so long whoever wants to send something waits at most */
export function awayWorkers(
  ask: WorkerQuestions = CITUS,
  now: () => number = Date.now,
  answerWithinMs = ANSWER_WITHIN_MS,
): AwayWorkers {
  const merchants = new Set<string>();
  const workers = new Map<number, Suspicion>();

  const answered = (worker: number, suspicion: Suspicion, sql: Sql, merchantId: string): Promise<boolean> => {
    suspicion.answer ??= ask
      .answers(sql, merchantId)
      .then((there) => {
        if (there) workers.delete(worker);
        else suspicion.againAt = now() + PAUSE_MS;
        return there;
      })
      .finally(() => {
        suspicion.answer = undefined;
      });
    return suspicion.answer;
  };

  /** @param late when it is not waited for any longer: the question goes on, and nobody asks it a second time */
  const isThere = async (sql: Sql, merchantId: string, late: Promise<undefined>): Promise<boolean> => {
    const suspected = [...merchants];
    const places = await Promise.race([ask.workersOf(sql, [merchantId, ...suspected]), late]);
    if (places === undefined) return false;
    for (const one of suspected) {
      const worker = places.get(one);
      if (merchants.delete(one) && worker !== undefined && !workers.has(worker))
        workers.set(worker, { answer: undefined, againAt: undefined });
    }
    const worker = places.get(merchantId);
    const suspicion = worker === undefined ? undefined : workers.get(worker);
    if (worker === undefined || suspicion === undefined) return true;
    const { answer, againAt } = suspicion;
    // Of one that was silent already, a single write finds out whether it is back.
    if (againAt !== undefined && (answer !== undefined || now() < againAt)) return false;
    const there = await Promise.race([answered(worker, suspicion, sql, merchantId), late]);
    if (there === undefined) suspicion.againAt = now() + PAUSE_MS;
    return there === true;
  };

  return {
    suspect: (merchantId) => void merchants.add(merchantId),
    mustAnswer: async (sql, merchantId) => {
      if (merchants.size === 0 && workers.size === 0) return;
      const waiting = new AbortController();
      const late = sleep(answerWithinMs, undefined, { signal: waiting.signal }).catch(() => undefined);
      try {
        if (!(await isThere(sql, merchantId, late))) throw new JournalUnavailable("the merchant's worker is away");
      } finally {
        waiting.abort();
      }
    },
  };
}

const CITUS: WorkerQuestions = {
  workersOf,
  answers: (sql, merchantId) => answersInTime(sql, (one) => askWorkerOf(one, merchantId, "select 1")),
};
