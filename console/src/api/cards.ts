// The cards that the merchant has on file: which there are, one of them, and deleting one.

import { keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../../../packages/client/src/errors.ts";
import type { Card, CardEnvelope, CardList } from "../../../packages/client/src/openapi.ts";
import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

export function useCards(page: number) {
  return useRead({
    queryKey: ["cards", page],
    queryFn: ({ signal }) => ask<CardList>(`/api/cards?page=${page}`, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** Null: it was deleted, or was never there. */
export function useCard(id: string) {
  return useRead({
    queryKey: ["cards", "one", id],
    queryFn: async ({ signal }): Promise<Card | null> => {
      try {
        return (await ask<CardEnvelope>(`/api/cards/${encodeURIComponent(id)}`, { signal })).card;
      } catch (fault) {
        if (fault instanceof ApiError && fault.status === 404) return null;
        throw fault;
      }
    },
  });
}

export function useDeleteCard(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => ask<null>(`/api/cards/${id}`, { method: "DELETE" }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["cards"] }),
  });
}
