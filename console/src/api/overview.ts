// What a period came to, and what time it is at the gateway, which in the sandbox may be ahead.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Overview } from "../../../packages/client/src/openapi.ts";
import { dayOf } from "../words/dates.ts";
import { ask } from "./ask.ts";

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly currency: string;
}

const LIVE_MS = 15_000;

async function askOverview(asked: Asked, signal: AbortSignal): Promise<Overview> {
  const query = new URLSearchParams({ ...asked });
  return (await ask<{ readonly overview: Overview }>(`/api/overview?${query}`, { signal })).overview;
}

export function useOverview(asked: Asked | undefined) {
  return useQuery({
    queryKey: ["overview", asked],
    queryFn: ({ signal }) => askOverview(asked ?? NOTHING, signal),
    enabled: asked !== undefined,
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
}

const NOTHING: Asked = { from: "2000-01-01", to: "2000-01-01", currency: "USD" };

/** The gateway's day: everybody who may read payments may read this, but not the clock. */
export function useGatewayDay() {
  return useQuery({
    queryKey: ["overview", "day"],
    queryFn: async ({ signal }) => {
      const today = dayOf(new Date());
      return new Date((await askOverview({ from: today, to: today, currency: "USD" }, signal)).as_of);
    },
    refetchInterval: LIVE_MS,
  });
}
