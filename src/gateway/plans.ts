// Plans: a merchant has an order charged to a card on file in several payments. Here a plan is made; each payment's charge is made of it
// here, too. When it is charged: settlement/plan-charges.ts.

import type { KeyClaim, StoredResponse } from "../journal/journal.ts";
import { findPlan, insertPlan } from "../journal/plan-rows.ts";
import { claimKeyOfRecord, insertResponseOfRecord } from "../journal/record-keys.ts";
import { audited } from "../merchants/audit.ts";
import type { Backoffice } from "../merchants/backoffice.ts";
import { shownInAudit } from "../merchants/plans/change-plan.ts";
import { fareParts } from "../payment/fare-parts.ts";
import type { Instrument } from "../payment/instrument.ts";
import type { Amount } from "../payment/money.ts";
import type { Plan, PlanPayment } from "../payment/plan.ts";
import { type Refusal, type Refused, refuse, refuseAll } from "../payment/refusal.ts";
import { chooseProcessor, type Routable } from "../payment/routing.ts";
import type { Initiation } from "../payment/stored-credential.ts";
import type { EchoedFields, Passenger } from "../payment/transaction.ts";
import type { CardCaller } from "./cards-on-file.ts";
import type { ChargeRequest } from "./charge.ts";
import type { Parts } from "./parts.ts";
import { presentedCard } from "./presented-card.ts";
import type { Result } from "./result.ts";

export interface PlanOffice {
  readonly parts: Pick<Parts, "journal" | "processors" | "storedCards" | "vault" | "clock" | "newId">;
  readonly office: Pick<Backoffice, "sql" | "clock" | "auditKey">;
}

export interface PlanRequest {
  readonly cardId: string;
  readonly merchantTransactionId: string;
  readonly processorId: string | undefined;
  readonly currency: string | undefined;
  readonly total: Amount;
  readonly fields: EchoedFields;
  readonly passengers: readonly Omit<Passenger, "id">[] | null;
  readonly payments: readonly PlanPayment[];
}

/** Nothing is charged yet, also where a payment is due at once. */
export async function createPlan(
  plans: PlanOffice,
  caller: CardCaller & { readonly cardNumbersForbidden?: boolean },
  asked: PlanRequest,
  claim: KeyClaim | null,
  render: (plan: Plan) => StoredResponse,
): Promise<Result> {
  const { parts, office } = plans;
  const { merchantId, userId, author } = caller;
  const before = await replayed(plans, merchantId, claim, render);
  if (before !== undefined) return before;
  const card = { cardId: asked.cardId, cvv: undefined };
  const presented = await presentedCard(parts, caller, { ...asked, card, meta: null }, claim);
  if (presented.kind === "refused") return presented;
  const { instrument, request } = presented;
  const currency = await currencyOf(parts, merchantId, request, instrument);
  if (typeof currency !== "string") return currency;
  const now = parts.clock.now();
  const processorId = request.processorId ?? null;
  const plan: Plan = {
    ...{ merchantId, userId, id: parts.newId(), createdAt: now, updatedAt: now, canceledAt: null },
    ...{ ...asked, processorId, currency },
  };
  const response = render(plan);
  const written = await audited(office, author, async (sql) => {
    if (claim !== null && !(await claimKeyOfRecord(sql, plan, claim))) return { result: "key-taken" as const };
    await insertPlan(sql, plan);
    if (claim !== null) await insertResponseOfRecord(sql, plan, { key: claim.key, ...response });
    const entry = { action: "plan.create", merchantId, subject: ["plan", plan.id], after: shownInAudit(plan) } as const;
    return { result: "made" as const, entry };
  });
  if (written === "made") return { kind: "responded", response, replayed: false };
  return (await replayed(plans, merchantId, claim, render)) ?? refuse("key-in-use");
}

/** What an earlier request with this key was answered. Where that was erased with a payer's data: the plan as it is now. */
async function replayed(
  { parts: { journal }, office: { sql } }: PlanOffice,
  merchantId: string,
  claim: KeyClaim | null,
  render: (plan: Plan) => StoredResponse,
): Promise<Result | undefined> {
  const key = claim && (await journal.findKey(merchantId, claim.key));
  if (!claim || !key) return undefined;
  if (!key.requestHash.equals(claim.requestHash)) return refuse("key-of-another-request");
  const { response } = key;
  if (response !== null && "body" in response) return { kind: "responded", response, replayed: true };
  const plan = await findPlan(sql, merchantId, key.transactionId);
  return plan === undefined ? refuse("plan-unknown") : { kind: "responded", response: render(plan), replayed: true };
}

/**
 * The currency of the processors that could take each payment now; or why none could.
 * @param asked with what the card brings
 */
async function currencyOf(
  parts: Pick<Parts, "processors">,
  merchantId: string,
  asked: PlanRequest,
  instrument: Instrument,
): Promise<string | Refused> {
  const records = await parts.processors.of(merchantId);
  const routing = await parts.processors.routingOf(merchantId);
  const refusals: Refusal[] = [];
  let currency: string | undefined;
  for (const payment of asked.payments) {
    const request = { ...asked, currency: currency ?? asked.currency };
    const initiation = initiationOf(asked, payment);
    const route = chooseProcessor({ ...routable(request, payment, instrument), initiation }, records, {
      chance: () => 0,
      routing,
    });
    if (route.kind === "refused") refusals.push(...route.refusals.map((refusal) => inFieldsOf(payment, refusal)));
    else currency ??= route.candidates[0].record.currency;
  }
  if (currency !== undefined && asked.passengers !== null && refusals.length === 0)
    refusals.push(...withoutPart(asked, asked.passengers, currency));
  const once = [...new Map(refusals.map((refusal) => [`${refusal.name} ${refusal.field}`, refusal])).values()];
  return refuseAll(once) ?? currency ?? refuse("no-processor-in-rotation", "processor_id");
}

/** A payment that is too small to have a part of every fare. */
function withoutPart(
  { payments }: PlanRequest,
  passengers: readonly Omit<Passenger, "id">[],
  currency: string,
): readonly Refusal[] {
  const amounts = payments.map(({ amount }) => amount);
  if (fareParts(passengers, amounts, currency) !== undefined) return [];
  const smallest = payments.reduce((least, one) => (one.amount < least.amount ? one : least));
  return [{ name: "payment-too-small", field: amountField(smallest) }];
}

const amountField = ({ isRest, number }: PlanPayment): string => (isRest ? "total" : `payments.${number - 1}.amount`);

const OF_REQUEST: ReadonlySet<string> = new Set(["processor_id", "currency", "document_number"]);

/** A plan has one field for all that its card brings. */
function inFieldsOf(payment: PlanPayment, refusal: Refusal): Refusal {
  const { field } = refusal;
  if (field === "amount") return { ...refusal, field: amountField(payment) };
  return OF_REQUEST.has(field) || field.startsWith("passenger_transport") ? refusal : { ...refusal, field: "card_id" };
}

const routable = (
  { processorId, currency, passengers, fields }: PlanRequest,
  { amount }: PlanPayment,
  instrument: Instrument,
): Routable => ({
  ...{ processorId, currency, brand: instrument.brand, hasCvv: false, meta: null, threeDSecure: null },
  ...{ firstName: fields.first_name, lastName: fields.last_name, country: fields.country },
  documentNumber: fields.document_number,
  amounts: [{ field: "amount", amount }],
  number: instrument.kind === "card" ? instrument.number : undefined,
  passengers: passengers?.length ?? 0,
});

/**
 * The merchant initiates it by what the payer agreed to: nobody is there who could enter a CVV or pass a challenge. What comes before a rest is a
 * deposit; all else is an installment.
 */
const initiationOf = ({ payments }: Pick<Plan, "payments">, { number }: PlanPayment): Initiation => ({
  initiator: "merchant",
  reason: number === 1 && payments.length > 1 && payments.at(-1)?.isRest ? "deposit" : "installment",
});

/** A payment as it is charged. */
export function chargeOfPayment(plan: Plan, payment: PlanPayment): ChargeRequest {
  const { cardId, merchantTransactionId, currency, fields, passengers, payments } = plan;
  const amounts = payments.map(({ amount }) => amount);
  return {
    type: "sale",
    amount: payment.amount,
    processorId: plan.processorId ?? undefined,
    card: { cardId, cvv: undefined },
    merchantTransactionId,
    ipAddress: null,
    fields: { ...fields, currency },
    meta: null,
    threeDSecure: null,
    passengers: passengers && (fareParts(passengers, amounts, currency)?.[payment.number - 1] ?? null),
    initiation: initiationOf(plan, payment),
    ofPlan: { planId: plan.id, payment: payment.number },
    ...(payment.transactionId !== null && { id: payment.transactionId }),
  };
}
