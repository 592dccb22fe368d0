// Which processor takes a charge: the one that was named, or one drawn among those that can (decisions R6, R7, R15), by the
// operator's rules where there are any. Pure: chance comes in as a number.

import type { CardBrand } from "./card-brand.ts";
import { type NamedAmount, notInCurrency } from "./currency.ts";
import { drawInOrder, type Weighted } from "./draw.ts";
import { amountIn, inexpressible, type Limit, type ToExpress } from "./expressible.ts";
import type { ProcessorRecord } from "./processor-record.ts";
import { type Refusal, type Refused, refuse, refuseAll } from "./refusal.ts";
import { decidingRule, NO_RULES, type Routing, type RoutingRule, type RuledCharge } from "./routing-rules.ts";
import type { CardNumber } from "./secret.ts";
import type { Initiation } from "./stored-credential.ts";
import { parseTaxId } from "./tax-id.ts";
import type { ThreeDSecure } from "./three-d-secure.ts";

/** What of a charge bears on the choice. */
export interface Routable {
  readonly processorId: string | undefined;
  readonly currency: string | undefined;
  readonly brand: CardBrand;
  readonly hasCvv: boolean;
  readonly firstName: string | undefined;
  readonly lastName: string | undefined;
  readonly documentNumber: string | undefined;
  readonly amounts: readonly NamedAmount[];
  readonly number: CardNumber | undefined;
  /** Of the billing address. */
  readonly country: string | undefined;
  readonly threeDSecure: ThreeDSecure | null;
  /** How many there are. */
  readonly passengers: number;
  /** The merchant's JSON object, as its text. */
  readonly meta: string | null;
  /** As it was sent. */
  readonly initiation?: Initiation;
}

/** A record and the card brands that its kind and settings let it take. */
export interface Candidate {
  readonly record: ProcessorRecord;
  readonly takes: (brand: CardBrand) => boolean;
  /** What of a charge its processor has no form for. */
  readonly cannotExpress: (charge: ToExpress) => readonly Limit[];
}

/** In the order in which they are to be tried: the next only where nothing was sent to the one before. */
export interface Route<C extends Candidate> {
  readonly kind: "route";
  readonly candidates: readonly [C, ...C[]];
}

/** What decides among those that can take a charge. */
export interface Draw<C extends Candidate> {
  /** From 0 up to, not including, 1. */
  readonly chance: () => number;
  /** The operator's rules. */
  readonly routing?: Routing;
  /** Whether it is in the draw: one that fails is not. */
  readonly admits?: (candidate: C) => boolean;
}

/** @param candidates all records of the merchant */
export function chooseProcessor<C extends Candidate>(
  charge: Routable,
  candidates: readonly C[],
  draw: Draw<C>,
): Route<C> | Refused {
  if (charge.processorId !== undefined) return namedProcessor(charge, charge.processorId, candidates);
  const eligible = eligibleFor(charge, candidates);
  if ("kind" in eligible) return eligible;
  const [first = eligible[0], ...rest] = drawAmong(choiceAmong(eligible, charge, draw.routing).weighted, draw);
  return { kind: "route", candidates: [first, ...rest] };
}

/** Those that are not in the draw come after all others: if nothing could be sent there, they are better than none. */
export function drawAmong<C extends Candidate>(
  weighted: readonly Weighted<C>[],
  { chance, admits = () => true }: Draw<C>,
): C[] {
  const order = drawInOrder(weighted, chance);
  const out = order.filter((one) => !admits(one));
  return out.length === 0 ? order : [...order.filter((one) => !out.includes(one)), ...out];
}

function namedProcessor<C extends Candidate>(
  charge: Routable,
  id: string,
  candidates: readonly C[],
): Route<C> | Refused {
  const candidate = candidates.find(({ record }) => record.id === id);
  if (candidate === undefined) return refuse("processor-unknown", "processor_id");
  if (!candidate.record.enabled) return refuse("processor-disabled", "processor_id");
  const refusals = missingFields(charge, candidate.record);
  if (!candidate.takes(charge.brand)) refusals.unshift({ name: "brand-not-taken", field: "card_number" });
  const { currency } = candidate.record;
  if (charge.currency !== undefined && charge.currency !== currency)
    refusals.unshift({ name: "currency-differs", field: "currency", currency });
  else refusals.push(...notInCurrency(charge.amounts, currency), ...unexpressed(charge, candidate));
  return refuseAll(refusals) ?? { kind: "route", candidates: [candidate] };
}

/** All that can take a charge that names none, in one currency; or why there is none. */
export function eligibleFor<C extends Candidate>(
  charge: Routable,
  candidates: readonly C[],
): readonly [C, ...C[]] | Refused {
  const inRotation = candidates.filter(({ record }) => record.enabled && record.inRotation);
  if (inRotation.length === 0) return refuse("no-processor-in-rotation", "processor_id");
  const inCurrency = inRotation.filter(
    ({ record }) => charge.currency === undefined || charge.currency === record.currency,
  );
  if (inCurrency.length === 0) return refuse("currency-differs", "currency");
  const taking = inCurrency.filter(({ takes }) => takes(charge.brand));
  if (taking.length === 0) return refuse("brand-not-taken", "card_number");
  const [first, ...others] = taking.filter(({ record }) => missingFields(charge, record).length === 0);
  // What would have made a choice possible, each field once.
  if (first === undefined) return refuseOnce(taking.flatMap(({ record }) => missingFields(charge, record)));
  const { currency } = first.record;
  if (others.some(({ record }) => record.currency !== currency)) return refuse("currency-ambiguous", "currency");
  const notThere = refuseAll(notInCurrency(charge.amounts, currency));
  if (notThere !== undefined) return notThere;
  const [able, ...othersAble] = [first, ...others].filter((one) => unexpressed(charge, one).length === 0);
  if (able === undefined) return refuseOnce([first, ...others].flatMap((one) => unexpressed(charge, one)));
  return [able, ...othersAble];
}

/** Each field once. */
function refuseOnce(refusals: readonly Refusal[]): Refused {
  const once = [...new Map(refusals.map((refusal) => [refusal.field, refusal])).values()];
  return refuseAll(once) ?? refuse("no-processor-in-rotation", "processor_id");
}

/** Among whom is drawn: those of the rule that decides, or all alike. */
export interface Choice<C extends Candidate> {
  readonly rule: RoutingRule | undefined;
  readonly weighted: readonly Weighted<C>[];
}

export function choiceAmong<C extends Candidate>(
  eligible: readonly [C, ...C[]],
  charge: Routable,
  routing: Routing = NO_RULES,
): Choice<C> {
  const { currency } = eligible[0].record;
  const byId = (id: string) => eligible.find(({ record }) => record.id === id);
  const decided = decidingRule(routing, ruled(charge, currency), (id) => byId(id) !== undefined);
  if (decided === undefined) return { rule: undefined, weighted: eligible.map((item) => ({ item, weight: 1 })) };
  const weighted = decided.processors.flatMap(({ item: id, weight }) => {
    const item = byId(id);
    return item === undefined ? [] : [{ item, weight }];
  });
  return { rule: decided.rule, weighted };
}

/** @param currency of the processors that can take it */
export const ruled = (charge: Routable, currency: string): RuledCharge => {
  const { brand, number, country, amounts, passengers, meta } = charge;
  return { currency, brand, number, country, airline: passengers > 0, meta, amount: amountIn(amounts) };
};

/** A refusal for each value that this candidate's processor has no form for. */
export function unexpressed<C extends Candidate>(charge: Routable, { record, cannotExpress }: C): readonly Refusal[] {
  const { amounts, threeDSecure, passengers, initiation } = charge;
  const express = {
    ...{ currency: record.currency, amount: amountIn(amounts), threeDSecure, passengers },
    ...(initiation && { initiation }),
  };
  return inexpressible(cannotExpress(express), express);
}

/** The conditional fields of this record that the charge lacks. */
export function missingFields(charge: Routable, { requires }: ProcessorRecord): Refusal[] {
  const refusals: Refusal[] = [];
  // Nobody may store a CVV, so the merchant has none (PCI DSS 3.3.1).
  const mayLackCvv = charge.initiation?.initiator === "merchant";
  if (requires.cvv.includes(charge.brand) && !charge.hasCvv && !mayLackCvv)
    refusals.push({ name: "cvv-required", field: "card_cvv" });
  if (requires.names) {
    if (!longEnough(charge.firstName)) refusals.push({ name: "name-required", field: "first_name" });
    if (!longEnough(charge.lastName)) refusals.push({ name: "name-required", field: "last_name" });
  }
  const document = charge.documentNumber ?? "";
  if (requires.document && parseTaxId(document) === undefined) {
    const rightInCapitals = parseTaxId(document.toUpperCase()) !== undefined;
    refusals.push({ name: "document-required", field: "document_number", ...(rightInCapitals && { rightInCapitals }) });
  }
  return refusals;
}

/** Specification 4.1: two characters at least. */
const longEnough = (name: string | undefined): boolean => name !== undefined && [...name].length >= 2;
