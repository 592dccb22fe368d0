// A merchant's routing: its rules, and where a charge would go by them.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Routing } from "../routing/rules.ts";
import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

const pathOf = (merchantId: string) => `/operator/merchants/${merchantId}/routing`;
const keyOf = (merchantId: string) => ["setup", "routing", merchantId];

type WithRouting = { readonly routing: Routing };

export function useRouting(merchantId: string) {
  return useRead({
    queryKey: keyOf(merchantId),
    queryFn: async ({ signal }) => (await ask<WithRouting>(pathOf(merchantId), { signal })).routing,
  });
}

interface RulesChange {
  readonly rules: readonly object[];
  readonly attempts_at_most: number;
  readonly version: number;
}

/** All rules at once, if nobody else has changed them since `version`. */
export function useRulesChange(merchantId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (json: RulesChange) =>
      (await ask<WithRouting>(pathOf(merchantId), { method: "PATCH", json })).routing,
    onSuccess: (routing) => queries.setQueryData(keyOf(merchantId), routing),
    onSettled: () => queries.invalidateQueries({ queryKey: ["setup"] }),
  });
}

export interface TriedRoute {
  readonly transaction_id: string;
  readonly processor_id: string | null;
  readonly rule: string | null;
  readonly order: readonly {
    readonly processor_id: string;
    readonly name: string;
    readonly weight: number;
    readonly share: number;
  }[];
  readonly refused: readonly string[];
  readonly why: readonly string[];
}

/** Nothing is charged and nothing stored, so it is asked again like any other question. */
export function useTry(merchantId: string, charge: object | undefined) {
  return useRead({
    queryKey: [...keyOf(merchantId), "try", charge],
    queryFn: async ({ signal }) =>
      (
        await ask<{ readonly route: TriedRoute }>(`${pathOf(merchantId)}/try`, {
          method: "POST",
          json: charge ?? {},
          signal,
        })
      ).route,
    enabled: charge !== undefined,
    refetchOnWindowFocus: false,
  });
}
