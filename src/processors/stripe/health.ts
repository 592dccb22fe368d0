// Whether Stripe answers, and takes the key.

import type { Health } from "../processor.ts";
import type { StripeApi } from "./api.ts";

/** A harmless look at the account's balance, which restricted keys may be denied: that is an answer, too. */
export async function healthOf(api: StripeApi, signal: AbortSignal): Promise<Health> {
  const answer = await api.raw("/v1/balance", {}, signal);
  if (answer.kind !== "answered") return { reachable: false, detail: answer.why };
  if (answer.status === 401) return { reachable: false, detail: "Stripe does not know the secret_key" };
  return { reachable: answer.status < 500, detail: `HTTP ${answer.status}` };
}
