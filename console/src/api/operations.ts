// What operators look at beside one merchant's records: what is in doubt, what processors told that fits nothing, and the audit log.

import { keepPreviousData } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

export interface UnresolvedEvent {
  readonly merchant_id: string;
  readonly transaction_id: string;
  readonly merchant_transaction_id: string;
  readonly event_id: string;
  readonly event_type: "sale" | "auth" | "capture" | "void" | "refund";
  readonly request_id: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly processor_id: string;
  readonly remedy: "reverse" | "repeat" | "await" | "operator";
  readonly given_up: boolean;
  readonly attempts: number;
  readonly since: string;
  readonly due_at: string;
  readonly in_flight: boolean;
  readonly last_said: string | null;
  readonly history: readonly { readonly at: string; readonly said: string }[];
}

export interface ProcessorMessage {
  readonly merchant_id: string;
  readonly processor_id: string;
  readonly id: string;
  readonly kind: string;
  readonly transaction_id: string | null;
  readonly said: string;
  readonly received_at: string;
  readonly why: string | null;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly source: string;
  readonly action: string;
  readonly subject: string;
  readonly outcome: "done" | "refused";
  readonly before: Fields | null;
  readonly after: Fields | null;
}
export type Fields = Readonly<Record<string, unknown>>;

export interface AuditChain {
  readonly broken: string | null;
  readonly entries: number | null;
  readonly last: number | null;
  readonly hash: string | null;
  readonly begun: string | null;
}

interface Meta {
  readonly last_page: number;
  readonly total: number;
}

type Filters = Readonly<Record<string, string>>;

/** What is in doubt changes by itself. */
const LIVE_MS = 4_000;
const SLOW_MS = 30_000;

const queryOf = (filters: Filters) => new URLSearchParams(filters).toString();

export function useUnresolved(filters: Filters, page: number) {
  return useRead({
    queryKey: ["setup", "unresolved", filters, page],
    queryFn: ({ signal }) =>
      ask<{ readonly unresolved: readonly UnresolvedEvent[]; readonly meta: Meta }>(
        `/operator/unresolved?${queryOf({ ...filters, page: String(page) })}`,
        { signal },
      ),
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
}

/** Those that changed nothing and are for a person to look at, the newest fifty. */
export function useKeptMessages(filters: Filters) {
  return useRead({
    queryKey: ["setup", "notifications", filters],
    queryFn: ({ signal }) =>
      ask<{ readonly notifications: readonly ProcessorMessage[]; readonly meta: Meta }>(
        `/operator/notifications?${queryOf({ ...filters, result: "kept" })}`,
        { signal },
      ),
    refetchInterval: SLOW_MS,
    placeholderData: keepPreviousData,
  });
}

/** What concerns one merchant, or without one all that there is. */
export function useAuditLog(filters: Filters, merchantId?: string) {
  const log = merchantId === undefined ? "audit-log" : `merchants/${merchantId}/audit-log`;
  return useRead({
    queryKey: ["setup", log, filters],
    queryFn: async ({ signal }) =>
      (await ask<{ readonly entries: readonly AuditEntry[] }>(`/operator/${log}?${queryOf(filters)}`, { signal }))
        .entries,
    placeholderData: keepPreviousData,
  });
}

export function useAuditChain() {
  return useRead({
    queryKey: ["setup", "audit-chain"],
    queryFn: async ({ signal }) =>
      (await ask<{ readonly chain: AuditChain }>("/operator/audit-log/chain", { signal })).chain,
    refetchInterval: SLOW_MS,
  });
}
