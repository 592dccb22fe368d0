// The merchants, for operators: they look at one at a time.

import { ask } from "./ask.ts";
import { useRead } from "./read.ts";

export interface Merchant {
  readonly id: string;
  readonly name: string;
  readonly refuse_card_like_identifiers: boolean;
  readonly require_ip_address: boolean;
  readonly card_numbers: "allowed" | "forbidden";
  readonly verify_cards: boolean;
  readonly created_at: string;
}

export function useMerchants({ enabled }: { readonly enabled: boolean }) {
  return useRead({
    queryKey: ["merchants"],
    queryFn: async ({ signal }) =>
      (await ask<{ readonly merchants: readonly Merchant[] }>("/operator/merchants", { signal })).merchants,
    enabled,
  });
}
