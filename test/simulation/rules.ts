// The model's rules: which follow-up may be asked, written from the specification (3, 4.5, 7) and the decisions (4), and
// sharing nothing with the rules that they are compared with. An answer is an amount, or the field that is at fault.

import { hasSettled, leftIn, type MovedMoney, type Outlook, type Purse, purseOf, purseOfAll } from "./money.ts";

export interface ModelTransaction {
  readonly currency: string;
  readonly capabilities: {
    readonly partialVoid: boolean;
    readonly multipleCaptures: boolean;
    readonly earlyRefund: boolean;
    readonly wholePaymentVoids: boolean;
    readonly earlyRefundOfCaptures: boolean;
  };
  /** Ids; none where no airline data was sent. */
  readonly passengers: readonly string[];
  readonly events: readonly MovedMoney[];
}

export interface Wish {
  readonly kind: "capture" | "void" | "refund";
  readonly amount: number | undefined;
  readonly shares: readonly (readonly [string, number])[] | undefined;
}

export type Word = { readonly ask: number } | { readonly refuse: 409 | 422; readonly field: string };

const no = (field: string): Word => ({ refuse: 422, field });
const IN_FLIGHT: Word = { refuse: 409, field: "base" };
const refuses = (word: Word): boolean => "refuse" in word;

/** Events of one transaction: the last twenty places are for reversals, and ten of them for the automatic capture too. */
const MOST_EVENTS = 500;
const MOST_WITH_REVERSALS = 520;

/** What the gateway should say to this wish now. */
export function word(transaction: ModelTransaction, wish: Wish, now: number): Word {
  const said = wordOnMoney(transaction, wish, now);
  return "ask" in said && transaction.events.length >= MOST_EVENTS ? no("base") : said;
}

function wordOnMoney(transaction: ModelTransaction, wish: Wish, now: number): Word {
  if (wish.kind === "void" && allSettled(transaction, now)) return no("base");
  const malformed = checkNames(transaction, wish);
  if (malformed !== undefined) return withExcess(malformed, transaction, wish, now);
  return howeverItEnds(transaction, wish.amount, (outlook, amount) =>
    inOutlook(outlook, transaction, { ...wish, amount }, now),
  );
}

/** Nothing is left to void, and something has settled. A void is refused for that before anything else (specification 7). */
function allSettled(transaction: ModelTransaction, now: number): boolean {
  const said = howeverItEnds(transaction, undefined, (outlook) => {
    const { all } = pursesOf(transaction, outlook);
    const said = RULES.void(transaction, all, undefined, now);
    return leftFor("void", all, now) === 0 && hasSettled(all, now) ? no("settled") : said;
  });
  return "field" in said && said.field === "settled";
}

function howeverItEnds(
  { events }: ModelTransaction,
  wished: number | undefined,
  under: (outlook: Outlook, amount: number | undefined) => Word,
): Word {
  const first = under("gone", wished);
  if (events.every(({ fate }) => fate !== "open")) return first;
  const amount = "ask" in first ? first.ask : wished;
  const [failed, moved] = (["failed", "moved"] as const).map((outlook) => under(outlook, amount)) as [Word, Word];
  // What may be asked must be right however that ends; what is refused only because of it is refused for the moment.
  if ("ask" in first) return refuses(failed) || refuses(moved) ? IN_FLIGHT : first;
  return refuses(failed) && refuses(moved) ? failed : IN_FLIGHT;
}

/** Told together with it: an amount that is too much, and all passengers whose share is, however what is in flight ends. */
function withExcess(fields: string, transaction: ModelTransaction, { kind, amount, shares }: Wish, now: number): Word {
  const said = howeverItEnds(transaction, amount, (outlook, asked) =>
    RULES[kind](transaction, pursesOf(transaction, outlook).all, asked, now),
  );
  const whole = "refuse" in said && said.field === "amount" && !fields.split(",").includes("amount") ? ["amount"] : [];
  const { of } = pursesOf(transaction, "failed");
  const tooMuch = (shares ?? []).flatMap(([id, part], index) =>
    transaction.passengers.includes(id) && part > leftFor(kind, of(id), now)
      ? [`passenger_transport.${index}.amount`]
      : [],
  );
  return no([...new Set([fields, ...whole, ...tooMuch].join().split(","))].join());
}

/** The least money of a currency, in hundredths. */
export const unitOf = (currency: string): number => (currency === "JPY" ? 100 : 1);

/** The fields at fault. */
function checkNames({ currency, passengers }: ModelTransaction, { amount, shares }: Wish): string | undefined {
  const isThere = (money = 0): boolean => money % unitOf(currency) === 0;
  if (passengers.length > 0 && shares === undefined)
    return amount === undefined || !isThere(amount) ? "passenger_transport,amount" : "passenger_transport";
  const wrong: string[] = passengers.length > 0 && amount === undefined ? ["amount"] : [];
  for (const [index, [id]] of (shares ?? []).entries()) {
    const before = (shares ?? []).slice(0, index).some(([other]) => other === id);
    if (!passengers.includes(id) || before) wrong.push(`passenger_transport.${index}.passenger_id`);
  }
  if (!isThere(amount)) wrong.push("amount");
  for (const [index, [, part]] of (shares ?? []).entries())
    if (!isThere(part)) wrong.push(`passenger_transport.${index}.amount`);
  if (wrong.length > 0) return wrong.join();
  const sum = (shares ?? []).reduce((total, [, part]) => total + part, 0);
  return shares !== undefined && sum !== amount ? "amount" : undefined;
}

/** The purse of the whole, and of one passenger. */
export function pursesOf(
  { passengers, events }: ModelTransaction,
  outlook: Outlook,
): { all: Purse; of: (id: string) => Purse } {
  const of = (id: string) => purseOf(events, id, outlook);
  return { all: passengers.length === 0 ? of("") : purseOfAll(passengers.map(of)), of };
}

function inOutlook(outlook: Outlook, transaction: ModelTransaction, wish: Wish, now: number): Word {
  const { all, of } = pursesOf(transaction, outlook);
  const answer = RULES[wish.kind](transaction, all, wish.amount, now);
  if (!("ask" in answer)) return answer.field === "amount" ? withExcess("amount", transaction, wish, now) : answer;
  const tooMuch = (wish.shares ?? []).flatMap(([id, part], index) =>
    part > mostFor(wish.kind, transaction, all, of(id), answer.ask, now) ? [`passenger_transport.${index}.amount`] : [],
  );
  return tooMuch.length > 0 ? no(tooMuch.join()) : answer;
}

type RuleOf = (transaction: ModelTransaction, purse: Purse, amount: number | undefined, now: number) => Word;

const RULES: Readonly<Record<Wish["kind"], RuleOf>> = {
  capture({ events, capabilities }, { authorized, captured, held }, amount) {
    if (authorized === 0) return no("base");
    if (events.some(({ kind, fate }) => kind === "sale" && fate !== "failed")) return no("base");
    if (held === 0) return no(amount === undefined ? "base" : "amount");
    if (captured > 0 && !capabilities.multipleCaptures) return no("base");
    return (amount ?? held) > held ? no("amount") : { ask: amount ?? held };
  },
  void(transaction, purse, amount, now) {
    const left = purse.held + leftIn(purse, now, "open", "window");
    if (purse.authorized === 0 || left === 0) return no("base");
    if (transaction.capabilities.wholePaymentVoids && !isWhole(purse)) return no("base");
    const part = (amount ?? left) !== left;
    const { partialVoid, wholePaymentVoids } = transaction.capabilities;
    const mayBePart = transaction.currency !== "CAD" && partialVoid && !wholePaymentVoids;
    return (amount ?? left) > left || (part && !mayBePart) ? no("amount") : { ask: amount ?? left };
  },
  refund(transaction, purse, amount, now) {
    const left = leftIn(purse, now, "open", "window", "settled");
    if (purse.captured === 0) return no("base");
    if (left === 0) return no(amount === undefined ? "base" : "amount");
    const asked = amount ?? left;
    if (asked > left) return no("amount");
    if (!waits(transaction) || asked <= leftIn(purse, now, "settled")) return { ask: asked };
    const perhaps = leftIn(purse, now, "settled", "window");
    if (asked === perhaps) return { ask: asked };
    return amount !== undefined && perhaps > 0 && asked > perhaps ? no("amount") : no("base");
  },
};

/** All that was authorized is still held; or one event took it, and it is all still there. */
const isWhole = ({ authorized, captured, voided, refunded, held, piles }: Purse): boolean =>
  held === authorized ||
  (captured === authorized && voided + refunded === 0 && new Set(piles.map(({ event }) => event)).size === 1);

/** CAD is refunded after its settlement, other currencies where the processor cannot sooner. */
function waits({ currency, capabilities, events }: ModelTransaction): boolean {
  if (currency === "CAD") return true;
  if (capabilities.earlyRefund) return false;
  return !capabilities.earlyRefundOfCaptures || events.some(({ kind, fate }) => kind === "sale" && fate !== "failed");
}

function mostFor(
  kind: Wish["kind"],
  transaction: ModelTransaction,
  all: Purse,
  passenger: Purse,
  whole: number,
  now: number,
): number {
  if (kind !== "refund" || !waits(transaction)) return leftFor(kind, passenger, now);
  return whole <= leftIn(all, now, "settled")
    ? leftIn(passenger, now, "settled")
    : leftIn(passenger, now, "settled", "window");
}

function leftFor(kind: Wish["kind"], purse: Purse, now: number): number {
  if (kind === "capture") return purse.held;
  if (kind === "void") return purse.held + leftIn(purse, now, "open", "window");
  return leftIn(purse, now, "open", "window", "settled");
}

/** All that this operation could take, from every passenger who has some. */
export function wishForAll(transaction: ModelTransaction, kind: "capture" | "void" | "refund", now: number): Wish {
  if (transaction.passengers.length === 0) return { kind, amount: undefined, shares: undefined };
  const { of } = pursesOf(transaction, "gone");
  const shares = transaction.passengers
    .map((id) => [id, leftFor(kind, of(id), now)] as const)
    .filter(([, left]) => left > 0);
  return { kind, amount: shares.reduce((sum, [, part]) => sum + part, 0), shares };
}

/** A reversal's first step: the void of all, or where there is none the refund of all. */
export function reversalWord(
  transaction: ModelTransaction,
  now: number,
): (Word & { kind?: never }) | { readonly kind: "void" | "refund"; readonly ask: number } {
  const words = (["void", "refund"] as const).map((kind) => ({
    kind,
    said: wordOnMoney(transaction, wishForAll(transaction, kind, now), now),
  }));
  const full = transaction.events.length >= MOST_WITH_REVERSALS;
  for (const { kind, said } of words) if ("ask" in said) return full ? no("base") : { kind, ask: said.ask };
  return words.some(({ said }) => "refuse" in said && said.refuse === 409) ? IN_FLIGHT : no("base");
}
