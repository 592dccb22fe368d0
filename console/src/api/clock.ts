// The gateway's clock: real time, or in the sandbox ahead of it. Moving it may need an operator.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import { CLOCK_PATH, may, type SignedIn, useSignedIn } from "./session.ts";

type Now = { readonly now: string };
const READING_MS = 10_000;

/** Whether the clock can be read by this person, or by an operator's token that was pasted. */
export const readsClock = (who: SignedIn | undefined): boolean =>
  may(who, "operator_read") || who?.operatorToken !== undefined;

/** The sandbox's time. Fails where this person may not read it. */
export function useClock({ enabled }: { readonly enabled: boolean }) {
  return useQuery({
    queryKey: ["clock"],
    queryFn: async ({ signal }) => new Date((await ask<Now>(CLOCK_PATH, { signal, endsSession: false })).now),
    refetchInterval: ({ state }) => (state.status === "error" ? false : READING_MS),
    retry: false,
    enabled,
  });
}

/** Resolves when everything that falls due on the way is done. */
export function useMoveClock() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (to: Date) =>
      ask<Now>(CLOCK_PATH, { method: "POST", json: { now: to.toISOString() }, endsSession: false }),
    onSettled: () => queries.invalidateQueries(),
  });
}

/** The time that due dates are compared with. Who may not read the clock goes by this device's. */
export function useNow(): Date {
  const clock = useClock({ enabled: readsClock(useSignedIn()) });
  return clock.data ?? new Date();
}
