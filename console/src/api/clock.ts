// The gateway's clock: real time, or in the sandbox ahead of it. Moving it needs an operator, so who has pasted a merchant's token
// names an operator's token beside it.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { send } from "../../../packages/client/src/send.ts";
import { ask } from "./ask.ts";
import { signedIn } from "./session.ts";

type Now = { readonly now: string };

let operatorToken: string | undefined;

export const operatorTokenIsKnown = (): boolean => operatorToken !== undefined;
export const rememberOperatorToken = (token: string): void => {
  operatorToken = token === "" ? undefined : token;
};

const READING_MS = 10_000;

/** The sandbox's time. Fails where this person may not read it. */
export function useClock({ enabled }: { readonly enabled: boolean }) {
  return useQuery({
    queryKey: ["clock", operatorTokenIsKnown()],
    queryFn: async () => new Date((await askClock({ method: "GET" })).now),
    refetchInterval: READING_MS,
    retry: false,
    enabled,
  });
}

/** Resolves when everything that falls due on the way is done. */
export function useMoveClock() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (to: Date) => askClock({ method: "POST", json: { now: to.toISOString() } }),
    onSettled: () => queries.invalidateQueries(),
  });
}

const askClock = (call: { readonly method: "GET" | "POST"; readonly json?: object }): Promise<Now> => {
  const path = "/operator/clock";
  if (signedIn()?.kind !== "token") return ask<Now>(path, { ...call, endsSession: false });
  const connection = { url: "", token: operatorToken ?? "", timeoutMs: 120_000, retryForMs: 0 };
  return send<Now>({ ...connection, fetch: (...request) => fetch(...request) }, { ...call, path });
};
