// Where a merchant's charge would go, and why: for the operator. Asks no processor and writes nothing.

import {
  type Backoffice,
  type Done,
  done,
  type Invalid,
  invalid,
  type Unknown,
  unknown,
} from "../merchants/backoffice.ts";
import { findMerchant } from "../merchants/merchants.ts";
import { RoutingTry, type TriedRoute } from "../merchants/route-try-schema.ts";
import { AMOUNT } from "../merchants/routing-schema.ts";
import { parseCardNumber } from "../payment/card.ts";
import { cardBrand } from "../payment/card-brand.ts";
import { chancesOf } from "../payment/draw.ts";
import { type Amount, parseAmount } from "../payment/money.ts";
import { type Drawn, explainRoute } from "../payment/route-explanation.ts";
import type { Routable } from "../payment/routing.ts";
import { newId } from "../uuid.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";
import type { ProcessorAtWork, ProcessorsAtWork } from "./processors-at-work.ts";

/**
 * By the rules as they are now; the draw is that of the transaction's id, or of a new one.
 * @param isFailing whether the record is out of the draw
 */
export async function tryRoute(
  { sql, clock }: Pick<Backoffice, "sql" | "clock">,
  processors: Pick<ProcessorsAtWork, "of" | "routingOf">,
  merchantId: string,
  input: unknown,
  isFailing: (processorId: string) => boolean = () => false,
): Promise<Done<TriedRoute> | Invalid | Unknown> {
  const problems = problemsOf(RoutingTry, input);
  if (!noProblems(problems)) return invalid(problems);
  const given = input as RoutingTry;
  const parsed = parseAmount(given.amount);
  if (!parsed.ok) return invalid({ amount: [`must be ${AMOUNT}`] });
  const merchant = await findMerchant(sql, merchantId);
  if (merchant === undefined) return unknown("merchant", merchantId);
  const id = given.transaction_id?.toLowerCase() ?? newId(clock.now());
  const routing = await processors.routingOf(merchant.id);
  const records = await processors.of(merchant.id);
  const draw = { chance: chancesOf(id), routing, admits: (one: ProcessorAtWork) => !isFailing(one.record.id) };
  const { refused, order, rule, why } = explainRoute(routable(given, parsed.amount), records, draw);
  return done({
    transaction_id: id,
    version: routing.version,
    processor_id: order[0]?.candidate.record.id ?? null,
    rule: rule?.name ?? null,
    order: order.map(show),
    attempts_at_most: order.length > 0 ? Math.min(routing.attemptsAtMost ?? 1, order.length) : 1,
    refused: refused?.refusals.map(({ name }) => name) ?? [],
    why: [...why],
  });
}

const show = ({ candidate: { record }, weight, share }: Drawn<ProcessorAtWork>) => ({
  processor_id: record.id,
  name: record.name,
  weight,
  share: Math.round(share * 10_000) / 10_000,
});

function routable(given: RoutingTry, amount: Amount): Routable {
  const number = parseCardNumber(given.card_start.padEnd(16, "0"));
  const { cvv = true, names = true, document = true } = given;
  return {
    processorId: given.processor_id?.toLowerCase(),
    currency: given.currency,
    brand: number === undefined ? "unknown" : cardBrand(number),
    hasCvv: cvv,
    firstName: names ? ANY_NAME : undefined,
    lastName: names ? ANY_NAME : undefined,
    documentNumber: document ? ANY_CPF : undefined,
    amounts: [{ field: "amount", amount }],
    number,
    country: given.country,
    threeDSecure: null,
    passengers: given.airline ? 1 : 0,
    meta: given.meta === undefined ? null : JSON.stringify(given.meta),
  };
}

const ANY_NAME = "Doe";
const ANY_CPF = "111.444.777-35";
