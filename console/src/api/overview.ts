// What a period came to.

import { keepPreviousData } from "@tanstack/react-query";
import type { Overview } from "../../../packages/client/src/openapi.ts";
import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

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
  return useRead({
    queryKey: ["overview", asked],
    queryFn: ({ signal }) => askOverview(asked ?? NOTHING, signal),
    enabled: asked !== undefined,
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
}

const NOTHING: Asked = { from: "2000-01-01", to: "2000-01-01", currency: "USD" };
