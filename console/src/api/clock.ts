// The gateway's clock: real time, or in the sandbox ahead of it. Moving it may need an operator.

import { useInterval } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "./ask.ts";
import { useRead } from "./read.ts";
import { CLOCK_PATH, isSandbox, may, type SignedIn, useSignedIn } from "./session.ts";
import { askSettlement } from "./settlement.ts";

type Now = { readonly now: string };
const READING_MS = 10_000;

/** Whether the clock can be read by this person, or by an operator's token that was pasted. */
export const readsClock = (who: SignedIn | undefined): boolean =>
  may(who, "operator_read") || who?.operatorToken !== undefined;

/** The sandbox's time. Fails where this person may not read it. */
export function useClock({ enabled }: { readonly enabled: boolean }) {
  return useRead({
    queryKey: ["clock"],
    queryFn: async ({ signal }) => new Date((await ask<Now>(CLOCK_PATH, { signal, endsSession: false })).now),
    refetchInterval: ({ state }) => (state.status === "error" ? false : READING_MS),
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

/** How far the sandbox's clock is ahead of this device's: everybody who may read payments may know it. In live mode it is not. */
function useAheadMs(): { readonly data?: number | undefined; readonly isPending: boolean } {
  const who = useSignedIn();
  const sandbox = isSandbox(who);
  const ahead = useRead({
    queryKey: ["settlement", "ahead"],
    queryFn: async ({ signal }) => {
      const askedMs = Date.now(); // `as_of` is from before all is added up, which may take seconds
      return new Date((await askSettlement(signal)).as_of).getTime() - askedMs;
    },
    staleTime: READING_MS,
    // Somebody may move it.
    refetchInterval: READING_MS,
    // An operator has to look at a merchant first.
    enabled: sandbox && (who?.kind === "token" || who?.merchantId !== undefined),
  });
  return sandbox ? ahead : { isPending: false };
}

/** The gateway's time; undefined until it is known. Who may not read payments goes by this device's. */
export function useGatewayNow(): Date | undefined {
  const { data: aheadMs = 0, isPending } = useAheadMs();
  const [deviceMs, setDeviceMs] = useState(Date.now);
  useInterval(() => setDeviceMs(Date.now()), READING_MS, { autoInvoke: true });
  return isPending ? undefined : new Date(deviceMs + aheadMs);
}

/** The time that due dates are compared with. */
export const useNow = (): Date => useGatewayNow() ?? new Date();
