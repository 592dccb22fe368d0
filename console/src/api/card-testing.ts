// A merchant's settings against card testing, and what was slowed and refused.

import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

export interface CardTesting {
  readonly enabled: boolean;
  readonly cards_per_range: number;
  readonly window_minutes: number;
  readonly small_amount: string;
  readonly without_declines: boolean;
}

export interface CardTestingReport {
  readonly signal: "range" | "address" | "token";
  readonly shown: string;
  readonly cards: number;
  readonly declined: number;
  readonly slowed: number;
  readonly refused: number;
  readonly first_at: string;
  readonly newest_at: string;
}

const LIVE_MS = 15_000;

export function useCardTesting(merchantId: string) {
  return useRead({
    queryKey: ["setup", "card-testing", merchantId],
    queryFn: async ({ signal }) =>
      (await ask<{ readonly card_testing: CardTesting }>(`/operator/merchants/${merchantId}/card-testing`, { signal }))
        .card_testing,
  });
}

export function useCardTestingReports(merchantId: string) {
  return useRead({
    queryKey: ["setup", "card-testing-reports", merchantId],
    queryFn: async ({ signal }) =>
      (
        await ask<{ readonly card_testing: readonly CardTestingReport[] }>(
          `/operator/merchants/${merchantId}/card-testing/reports`,
          { signal },
        )
      ).card_testing,
    refetchInterval: LIVE_MS,
  });
}
