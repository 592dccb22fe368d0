// What the console reads, and how fresh it is kept. While the page is hidden nothing is asked: a session that nobody looks at ends.

import { keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query";
import { queryOf, type Search } from "../../../packages/client/src/lists.ts";
import type {
  AvailableProcessorList,
  BatchEnvelope,
  BatchSummaryList,
  FollowUp,
  Sale,
  Transaction,
  TransactionEnvelope,
  TransactionList,
} from "../../../packages/client/src/openapi.ts";
import { ask } from "./ask.ts";
import { newKey } from "./new-key.ts";
import { useRead } from "./read.ts";

/** How soon a new transaction shows by itself. */
const LIVE_MS = 4_000;
const SLOW_MS = 30_000;

const TRANSACTIONS = "/api/transactions";

export function useTransactions(search: Search, page: number) {
  return useRead({
    queryKey: ["transactions", search, page],
    queryFn: ({ signal }) => ask<TransactionList>(`${TRANSACTIONS}?${queryOf(search, page)}`, { signal }),
    // Older pages stand still; on the first one new ones appear.
    refetchInterval: page === 1 ? LIVE_MS : false,
    placeholderData: keepPreviousData,
  });
}

export function useTransaction(id: string) {
  return useRead({
    queryKey: ["transaction", id],
    queryFn: async ({ signal }) =>
      (await ask<TransactionEnvelope>(`${TRANSACTIONS}/${encodeURIComponent(id)}`, { signal })).transaction,
    refetchInterval: LIVE_MS,
  });
}

export type FollowUpName = "capture" | "void" | "refund" | "reversal";

export interface FollowUpAsked {
  readonly operation: FollowUpName;
  readonly fields: FollowUp;
  /** One a click: a click that is sent twice is done once. */
  readonly idempotencyKey: string;
}

export function useFollowUp(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ operation, fields, idempotencyKey }: FollowUpAsked) =>
      unwrapped(
        await ask<Answered>(`${TRANSACTIONS}/${id}/${operation}`, { method: "POST", json: fields, idempotencyKey }),
      ),
    onSuccess: (transaction) => queries.setQueryData(["transaction", id], transaction),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["transaction", id] }),
        queries.invalidateQueries({ queryKey: ["transactions"] }),
      ]),
  });
}

type Answered = Transaction | TransactionEnvelope;

/** Follow-ups of a transaction with airline data come without the envelope. */
const unwrapped = (body: Answered): Transaction => ("transaction" in body ? body.transaction : body);

export type ChargeAsked = Partial<Record<keyof Sale, string>> & { readonly operation: "sale" | "auth" };

export function useCharge() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ operation, ...fields }: ChargeAsked) =>
      (
        await ask<TransactionEnvelope>(`${TRANSACTIONS}/${operation}`, {
          method: "POST",
          json: fields,
          idempotencyKey: newKey(),
        })
      ).transaction,
    onSettled: () => queries.invalidateQueries({ queryKey: ["transactions"] }),
  });
}

export function useProcessors() {
  return useRead({
    queryKey: ["processors"],
    queryFn: async ({ signal }) => (await ask<AvailableProcessorList>("/api/processors", { signal })).processors,
    staleTime: SLOW_MS,
  });
}

export function useBatches(page: number) {
  return useRead({
    queryKey: ["batches", page],
    queryFn: ({ signal }) => ask<BatchSummaryList>(`/api/batches?page=${page}`, { signal }),
    placeholderData: keepPreviousData,
  });
}

/**
 * @param wanted false: not asked for yet
 * @param staleMs a list has many, and each is added up from all that is in it
 */
export function useBatch(id: string, wanted = true, staleMs = SLOW_MS) {
  return useRead({
    queryKey: ["batch", id],
    queryFn: async ({ signal }) =>
      (await ask<BatchEnvelope>(`/api/batches/${encodeURIComponent(id)}`, { signal })).batch,
    enabled: wanted,
    staleTime: staleMs,
  });
}
