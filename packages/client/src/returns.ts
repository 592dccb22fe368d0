// Whether it was the gateway that sent a payer back from a challenge: HMAC-SHA-256 over the id and the status.

import { ReturnError } from "./errors.ts";
import { isSigned } from "./hmac.ts";

export interface Return {
  readonly transactionId: string;
  /** Of the charge's event when the payer was sent back: `pending` may end later, by a webhook. */
  readonly status: string;
}

/**
 * What the gateway told when it sent the payer back.
 * @param address that the payer came to, or its query
 * @param secret `fgret_…`
 * @throws ReturnError if the gateway did not sign it
 */
export async function verifyReturn(address: string | URL | URLSearchParams, secret: string): Promise<Return> {
  if (!secret.startsWith("fgret_")) throw new TypeError("secret must be fgret_…");
  const query = new URLSearchParams(String(address).replace(/^[^?]*\?/, ""));
  // The first of each: what is signed is what is given back.
  const [transactionId = "", status = "", signature = ""] = ["transaction_id", "status", "signature"].map(
    (name) => query.get(name) ?? "",
  );
  const bytes = (text: string) => new TextEncoder().encode(text);
  if (!(await isSigned(bytes(`${transactionId}.${status}`), bytes(secret), signature)))
    throw new ReturnError("the signature is missing or wrong");
  return { transactionId, status };
}
