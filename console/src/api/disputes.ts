// Disputes of the merchant that is looked at, and what an operator says of one.

import { keepPreviousData } from "@tanstack/react-query";
import type { Dispute, DisputeEnvelope, DisputeList } from "../../../packages/client/src/openapi.ts";
import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

export function useDisputes(filters: Readonly<Record<string, string>>, page: number) {
  const query = new URLSearchParams({ ...filters, page: String(page) });
  return useRead({
    queryKey: ["disputes", filters, page],
    queryFn: ({ signal }) => ask<DisputeList>(`/api/disputes?${query}`, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useDispute(id: string) {
  return useRead({
    queryKey: ["disputes", id],
    queryFn: async ({ signal }): Promise<Dispute> =>
      (await ask<DisputeEnvelope>(`/api/disputes/${encodeURIComponent(id)}`, { signal })).dispute,
  });
}
