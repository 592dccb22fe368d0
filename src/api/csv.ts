// All matches of a list as CSV: a header, then one line a transaction.

import { csvLines } from "../csv-lines.ts";
import { balances } from "../payment/balances.ts";
import { renderAmount } from "../payment/money.ts";
import { statuses } from "../payment/status.ts";
import { cardIdOf } from "../payment/stored-card.ts";
import { attemptsOf, chargeOf, succeeded, type Transaction, updatedAt } from "../payment/transaction.ts";
import { timestamp } from "./represent.ts";

type Column = readonly [name: string, value: (transaction: Transaction, now: Date) => string | null | undefined];

const money = (which: "authorized" | "captured" | "voided" | "refunded"): Column => [
  which,
  (transaction, now) => renderAmount(balances(transaction, now, "failed")[which]),
];
const field = (name: keyof Transaction["fields"]): Column => [name, ({ fields }) => fields[name]];

const COLUMNS: readonly Column[] = [
  ["id", ({ id }) => id],
  ["created_at", ({ createdAt }) => timestamp(createdAt)],
  ["updated_at", (transaction) => timestamp(updatedAt(transaction))],
  ["merchant_transaction_id", ({ merchantTransactionId }) => merchantTransactionId],
  ["event_type", (transaction) => chargeOf(transaction).type],
  ["success", (transaction) => String(succeeded(chargeOf(transaction)))],
  ["status", (transaction, now) => statuses(transaction, now)[chargeOf(transaction).sequence - 1]],
  ["amount", (transaction) => renderAmount(chargeOf(transaction).amount)],
  ["currency", ({ currency }) => currency],
  money("authorized"),
  money("captured"),
  money("voided"),
  money("refunded"),
  ["processor_id", (transaction) => chargeOf(transaction).processorId],
  ["processor_code", (transaction) => chargeOf(transaction).outcome?.processorResponse.code],
  ["processor_message", (transaction) => chargeOf(transaction).outcome?.processorResponse.message],
  ["processor_transaction_id", (transaction) => chargeOf(transaction).outcome?.processorResponse.transactionId],
  ["auth_code", (transaction) => chargeOf(transaction).outcome?.processorResponse.authCode],
  ["user_id", ({ userId }) => userId],
  ["card_number", ({ card }) => card.mask],
  ["card_brand", ({ card }) => card.brand],
  field("first_name"),
  field("last_name"),
  field("email"),
  field("mobile_phone"),
  field("city"),
  field("state"),
  field("country"),
  field("zip"),
  field("shipping_city"),
  field("shipping_state"),
  field("shipping_zip"),
  ["events", (transaction) => String(transaction.events.length - attemptsOf(transaction).length)],
  ["card_id", cardIdOf],
];

/** Numbers that are names. */
const CODES = [
  ...["merchant_transaction_id", "processor_code", "processor_transaction_id", "auth_code"],
  ...["mobile_phone", "zip", "shipping_zip"],
];

/** All matches, as they are read. */
export const csvOf = (
  portions: AsyncIterable<readonly Transaction[]>,
  now: () => Date,
  forSpreadsheet: boolean,
): AsyncGenerator<string> =>
  csvLines(
    COLUMNS.map(([name]) => name),
    portions,
    (transaction) => Object.fromEntries(COLUMNS.map(([name, value]) => [name, value(transaction, now())])),
    { codes: CODES, forSpreadsheet },
  );
