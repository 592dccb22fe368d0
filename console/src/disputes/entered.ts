// The fields of a dispute as an operator types them, and the request that they become. Pure.

import type { Dispute } from "../../../packages/client/src/openapi.ts";
import { fieldsOfState } from "../words/disputes.ts";
import { amountSent } from "../words/typed.ts";

export type Entered = Readonly<
  Record<
    | "transaction_id"
    | "amount"
    | "amount_withdrawn"
    | "fee"
    | "fee_currency"
    | "stage"
    | "state"
    | "reason_code"
    | "reason"
    | "respond_by"
    | "processor_dispute_id",
    string
  >
>;

export const EMPTY: Entered = {
  transaction_id: "",
  amount: "",
  amount_withdrawn: "",
  fee: "",
  fee_currency: "",
  stage: "chargeback",
  state: "needs_response",
  reason_code: "",
  reason: "",
  respond_by: "",
  processor_dispute_id: "",
};

export const enteredOf = (dispute: Dispute): Entered => ({
  transaction_id: dispute.transaction_id,
  amount: dispute.amount,
  amount_withdrawn: dispute.amount_withdrawn,
  fee: dispute.fee ?? "",
  fee_currency: dispute.fee_currency ?? "",
  stage: dispute.stage,
  state: dispute.status === "ended" ? (dispute.outcome ?? "closed") : dispute.status,
  reason_code: dispute.reason_code ?? "",
  reason: dispute.reason ?? "",
  respond_by: dispute.respond_by?.slice(0, 10) ?? "",
  processor_dispute_id: dispute.processor_dispute_id ?? "",
});

const AMOUNTS: ReadonlySet<string> = new Set(["amount", "amount_withdrawn", "fee"]);

/** A fee and its currency are one thing. */
const FEE: ReadonlySet<string> = new Set(["fee", "fee_currency"]);

/** What is otherwise than before. An empty date takes it away; other empty fields say nothing. */
export function bodyOf(entered: Entered, before: Entered): object {
  const { state, respond_by, ...texts } = entered;
  const otherFee = texts.fee !== before.fee || texts.fee_currency !== before.fee_currency;
  const changed = Object.entries(texts).filter(
    ([name, value]) =>
      value.trim() !== "" && (value !== before[name as keyof typeof texts] || (otherFee && FEE.has(name))),
  );
  return {
    ...Object.fromEntries(changed.map(([name, value]) => [name, AMOUNTS.has(name) ? amountSent(value) : value.trim()])),
    ...(state !== before.state && fieldsOfState(state)),
    ...(respond_by !== before.respond_by && { respond_by: respond_by === "" ? null : `${respond_by}T23:59:59Z` }),
  };
}
