// What the set-up pages read and change. Shapes are those of the operator's paths in the OpenAPI document, as far as they are shown.

import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { type Asked, ask } from "./ask.ts";
import { askNow, faultOf, useRead } from "./read.ts";

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly created_at: string;
}

export interface Token {
  readonly id: string;
  readonly user_id: string;
  readonly scopes: readonly ("charge" | "follow_up" | "read" | "cards")[];
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly rate_limit_per_minute: number | null;
  readonly created_at: string;
}

export interface ProcessorRecord {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly currency: string;
  readonly enabled: boolean;
  readonly in_rotation: boolean;
  readonly requires: { readonly cvv: readonly string[]; readonly names: boolean; readonly document: boolean };
  readonly settlement: {
    readonly auto_capture_at: string | null;
    readonly cutoff_at: string;
    readonly settled_at: string;
    readonly visible_at: string;
  };
  /** Of its kind; secrets as dots. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly event_types: readonly string[] | null;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
}

export interface Delivery {
  readonly id: string;
  readonly type: string;
  /** Null: of a test. */
  readonly transaction_id: string | null;
  readonly timestamp: string;
  readonly status: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  readonly last_answer: string | null;
}

type Shown = {
  readonly users: readonly User[];
  readonly tokens: readonly Token[];
  readonly processors: readonly ProcessorRecord[];
  readonly webhooks: readonly Webhook[];
};

/** All of one kind that a merchant has. */
export function useSetup<Kind extends keyof Shown>(kind: Kind, merchantId: string) {
  return useRead({
    queryKey: ["setup", kind, merchantId],
    queryFn: async ({ signal }) =>
      (await ask<Pick<Shown, Kind>>(`/operator/merchants/${merchantId}/${kind}`, { signal }))[kind],
  });
}

const LIVE_MS = 4_000;

export function useDeliveries(webhookId: string) {
  return useRead({
    queryKey: ["setup", "deliveries", webhookId],
    queryFn: async ({ signal }) =>
      (
        await ask<{ readonly deliveries: readonly Delivery[] }>(`/operator/webhooks/${webhookId}/deliveries`, {
          signal,
        })
      ).deliveries,
    refetchInterval: LIVE_MS,
  });
}

interface ToldOf {
  /** Newest first; undefined while they are read. */
  readonly told: readonly { readonly webhook: Webhook; readonly delivery: Delivery }[] | undefined;
  readonly error: unknown;
  readonly again: () => void;
}

/** What all of a merchant's endpoints were told about one transaction. */
export function useDeliveriesOf(merchantId: string, transactionId: string): ToldOf {
  const queries = useQueryClient();
  const endpoints = useSetup("webhooks", merchantId);
  const webhooks = endpoints.data ?? [];
  const query = new URLSearchParams({ transaction_id: transactionId });
  const lists = useQueries({
    queries: webhooks.map(({ id }) => ({
      queryKey: ["setup", "deliveries", id, transactionId],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
        (
          await ask<{ readonly deliveries: readonly Delivery[] }>(`/operator/webhooks/${id}/deliveries?${query}`, {
            signal,
          })
        ).deliveries,
      refetchInterval: LIVE_MS,
    })),
  });
  const read = endpoints.data !== undefined && lists.every(({ data }) => data !== undefined);
  const told = webhooks.flatMap((webhook, index) =>
    (lists[index]?.data ?? []).map((delivery) => ({ webhook, delivery })),
  );
  return {
    told: read ? told.toSorted((one, other) => (one.delivery.id < other.delivery.id ? 1 : -1)) : undefined,
    error: endpoints.error ?? lists.map(faultOf).find((fault) => fault !== null) ?? null,
    again: () => void Promise.all([endpoints.refetch(), askNow(queries, { queryKey: ["setup", "deliveries"] })]),
  };
}

/** A change, after which what is shown is read again. */
export function useChange<Answer, Input = void>(request: (input: Input) => Asked & { readonly path: string }) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => {
      const { path, ...asked } = request(input);
      return ask<Answer>(`/operator/${path}`, asked);
    },
    onSettled: () =>
      Promise.all(
        ["setup", "processors", "merchants", "disputes", "transaction"].map((kind) =>
          queries.invalidateQueries({ queryKey: [kind] }),
        ),
      ),
  });
}
