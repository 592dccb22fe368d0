// Workers of Citus that do not answer. Nothing more is sent for their merchants until they do: each write would wait for as long as a write
// may, and other merchants' behind it. Each process finds out by itself, by the first write that fails.

import { codeOf, type Sql } from "./database.ts";
import { JournalUnavailable } from "./journal.ts";
import { askWorkerOf, WorkerAway, workersOf } from "./merchants-worker.ts";

/** After which a worker that did not answer is asked again. */
const PAUSE_MS = 1_000;
/** In which a worker answers that is there. */
const ANSWER_WITHIN_MS = 2_000;

export interface AwayWorkers {
  /** What was sent for this merchant has failed: its worker must answer before anything more is sent there. */
  suspect(merchantId: string): void;
  /** Before anything is sent for this merchant. @throws JournalUnavailable if its worker does not answer */
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

/** @param now epoch milliseconds */
export function awayWorkers(ask: WorkerQuestions = CITUS, now: () => number = Date.now): AwayWorkers {
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

  return {
    suspect: (merchantId) => void merchants.add(merchantId),
    mustAnswer: async (sql, merchantId) => {
      if (merchants.size === 0 && workers.size === 0) return;
      const suspected = [...merchants];
      const places = await ask.workersOf(sql, [merchantId, ...suspected]);
      for (const one of suspected) {
        const worker = places.get(one);
        if (merchants.delete(one) && worker !== undefined && !workers.has(worker))
          workers.set(worker, { answer: undefined, againAt: undefined });
      }
      const worker = places.get(merchantId);
      const suspicion = worker === undefined ? undefined : workers.get(worker);
      if (worker === undefined || suspicion === undefined) return;
      const { answer, againAt } = suspicion;
      // Of one that was silent already, a single write finds out whether it is back.
      const isAway = againAt !== undefined && (answer !== undefined || now() < againAt);
      if (isAway || !(await answered(worker, suspicion, sql, merchantId)))
        throw new JournalUnavailable("the merchant's worker is away");
    },
  };
}

/** 57014: stopped by the statement's time limit. */
const QUERY_CANCELED = "57014";

const CITUS: WorkerQuestions = {
  workersOf,
  answers: (sql, merchantId) =>
    sql
      .begin(async (one) => {
        await one.unsafe(`set local statement_timeout = ${ANSWER_WITHIN_MS}`);
        await askWorkerOf(one, merchantId, "select 1");
        return true;
      })
      .catch((fault: unknown) => {
        if (fault instanceof WorkerAway || codeOf(fault) === QUERY_CANCELED) return false;
        throw fault;
      }),
};
