// Where money stands in the settlement day, now.

import type { SettlementEnvelope } from "../../../packages/client/src/openapi.ts";
import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

const LIVE_MS = 15_000;

export const askSettlement = async (signal: AbortSignal) =>
  (await ask<SettlementEnvelope>("/api/settlement", { signal })).settlement;

export function useSettlement() {
  return useRead({
    queryKey: ["settlement"],
    queryFn: ({ signal }) => askSettlement(signal),
    refetchInterval: LIVE_MS,
  });
}
