// The gateway's clock: real time, or in the sandbox ahead of it. Moving it may need an operator.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ask } from "./ask.ts";

type Now = { readonly now: string };
const CLOCK = "/operator/clock";
const READING_MS = 10_000;

/** The sandbox's time. Fails where this person may not read it. */
export function useClock({ enabled }: { readonly enabled: boolean }) {
  return useQuery({
    queryKey: ["clock"],
    queryFn: async ({ signal }) => new Date((await ask<Now>(CLOCK, { signal, endsSession: false })).now),
    refetchInterval: ({ state }) => (state.status === "error" ? false : READING_MS),
    retry: false,
    enabled,
  });
}

/** Resolves when everything that falls due on the way is done. */
export function useMoveClock() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (to: Date) => ask<Now>(CLOCK, { method: "POST", json: { now: to.toISOString() }, endsSession: false }),
    onSettled: () => queries.invalidateQueries(),
  });
}
