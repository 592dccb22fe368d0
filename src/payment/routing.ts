// Which processor takes a charge: the one that was named, or one drawn among those that can (decisions R6, R7, R15).
// Pure: chance comes in as a number.

import type { CardBrand } from "./card-brand.ts";
import { type NamedAmount, notInCurrency } from "./currency.ts";
import type { ProcessorRecord } from "./processor-record.ts";
import { type Refusal, type Refused, refuse, refuseAll } from "./refusal.ts";
import { parseTaxId } from "./tax-id.ts";

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
}

/** A record and the card brands that its kind and settings let it take. */
export interface Candidate {
  readonly record: ProcessorRecord;
  readonly takes: (brand: CardBrand) => boolean;
}

/** In the order in which they are to be tried: the next only where nothing was sent to the one before. */
export interface Route<C extends Candidate> {
  readonly kind: "route";
  readonly candidates: readonly [C, ...C[]];
}

/**
 * @param candidates all records of the merchant
 * @param chance from 0 up to, not including, 1
 */
export function chooseProcessor<C extends Candidate>(
  charge: Routable,
  candidates: readonly C[],
  chance: () => number,
): Route<C> | Refused {
  return charge.processorId === undefined
    ? drawProcessor(charge, candidates, chance)
    : namedProcessor(charge, charge.processorId, candidates);
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
  if (charge.currency !== undefined && charge.currency !== candidate.record.currency)
    refusals.unshift({ name: "currency-differs", field: "currency" });
  else refusals.push(...notInCurrency(charge.amounts, candidate.record.currency));
  return refuseAll(refusals) ?? { kind: "route", candidates: [candidate] };
}

function drawProcessor<C extends Candidate>(
  charge: Routable,
  candidates: readonly C[],
  chance: () => number,
): Route<C> | Refused {
  const inRotation = candidates.filter(({ record }) => record.enabled && record.inRotation);
  if (inRotation.length === 0) return refuse("no-processor-in-rotation", "processor_id");
  const inCurrency = inRotation.filter(
    ({ record }) => charge.currency === undefined || charge.currency === record.currency,
  );
  if (inCurrency.length === 0) return refuse("currency-differs", "currency");
  const taking = inCurrency.filter(({ takes }) => takes(charge.brand));
  if (taking.length === 0) return refuse("brand-not-taken", "card_number");
  const complete = taking.filter(({ record }) => missingFields(charge, record).length === 0);
  // What would have made a choice possible, each field once.
  if (complete.length === 0) {
    const missing = taking.flatMap(({ record }) => missingFields(charge, record));
    const once = [...new Map(missing.map((refusal) => [refusal.field, refusal])).values()];
    return refuseAll(once) ?? refuse("no-processor-in-rotation", "processor_id");
  }
  if (new Set(complete.map(({ record }) => record.currency)).size > 1) return refuse("currency-ambiguous", "currency");
  const [first, ...rest] = shuffled(complete, chance);
  const refused = first && refuseAll(notInCurrency(charge.amounts, first.record.currency));
  if (refused) return refused;
  return first ? { kind: "route", candidates: [first, ...rest] } : refuse("no-processor-in-rotation", "processor_id");
}

/** The conditional fields of this record that the charge lacks. */
function missingFields(charge: Routable, { requires }: ProcessorRecord): Refusal[] {
  const refusals: Refusal[] = [];
  if (requires.cvv.includes(charge.brand) && !charge.hasCvv) refusals.push({ name: "cvv-required", field: "card_cvv" });
  if (requires.names) {
    if (!longEnough(charge.firstName)) refusals.push({ name: "name-required", field: "first_name" });
    if (!longEnough(charge.lastName)) refusals.push({ name: "name-required", field: "last_name" });
  }
  if (requires.document && parseTaxId(charge.documentNumber ?? "") === undefined)
    refusals.push({ name: "document-required", field: "document_number" });
  return refusals;
}

/** Specification 4.1: two characters at least. */
const longEnough = (name: string | undefined): boolean => name !== undefined && [...name].length >= 2;

/** Fisher and Yates: every order equally likely. */
function shuffled<T>(items: readonly T[], chance: () => number): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(chance() * left.length), 1));
}
