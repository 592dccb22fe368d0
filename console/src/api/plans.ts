// Plans of the merchant that is looked at, and what may be changed of one.

import { keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Plan, PlanEnvelope, PlanList } from "../../../packages/client/src/openapi.ts";
import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

/** Payments fall due by themselves. */
const LIVE_MS = 10_000;

export function usePlans(filters: Readonly<Record<string, string>>, page: number) {
  const query = new URLSearchParams({ ...filters, page: String(page) });
  return useRead({
    queryKey: ["plans", filters, page],
    queryFn: ({ signal }) => ask<PlanList>(`/api/plans?${query}`, { signal }),
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
}

export function usePlan(id: string) {
  return useRead({
    queryKey: ["plans", id],
    queryFn: async ({ signal }): Promise<Plan> =>
      (await ask<PlanEnvelope>(`/api/plans/${encodeURIComponent(id)}`, { signal })).plan,
    refetchInterval: LIVE_MS,
  });
}

/** Cancels what is not charged, or moves one payment. Both do no harm if they are sent again. */
export function usePlanChange<Input = void>(id: string, request: (input: Input) => object | "cancel") {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => {
      const json = request(input);
      const asked = json === "cancel" ? ({ method: "DELETE" } as const) : ({ method: "PATCH", json } as const);
      return ask<PlanEnvelope>(`/api/plans/${encodeURIComponent(id)}`, asked);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["plans"] }),
  });
}
