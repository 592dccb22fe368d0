// For tests: what a filter selects, by going through all transactions, and filters that are worth trying.

import fc from "fast-check";
import { type Transaction, updatedAt } from "../../payment/transaction.ts";
import { WORDS } from "./awkward-transactions.ts";
import { EXACT_FIELDS, type ExactField, type ListFilter, PREFIX_FIELDS, type PrefixField } from "./list-filter.ts";

/** Whole seconds, as the API shows a time. */
const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

export function fulfils(transaction: Transaction, filter: ListFilter): boolean {
  const between = (time: Date, from: Date | undefined, to: Date | undefined) =>
    (from === undefined || seconds(time) >= seconds(from)) && (to === undefined || seconds(time) <= seconds(to));
  return (
    between(transaction.createdAt, filter.createdFrom, filter.createdTo) &&
    between(updatedAt(transaction), filter.updatedFrom, filter.updatedTo) &&
    PREFIX_FIELDS.every((field) => {
      const prefix = filter.startsWith?.[field];
      return prefix === undefined || (fieldOf(transaction, field)?.startsWith(prefix) ?? false);
    }) &&
    EXACT_FIELDS.every((field) => {
      const value = filter.equals?.[field];
      return value === undefined || fieldOf(transaction, field) === value;
    })
  );
}

export function fieldOf(transaction: Transaction, field: PrefixField | ExactField): string | undefined {
  if (field === "merchant_transaction_id") return transaction.merchantTransactionId;
  if (field === "card_first_six") return transaction.card.firstSix;
  return field === "user_id" ? transaction.userId : transaction.fields[field];
}

/** A filter that is true of one of them in some of its parts, and false of it by a hair in others. */
export function filterAround(one: Transaction, other: Transaction): fc.Arbitrary<ListFilter> {
  const rarely = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
  const prefix = (field: (typeof PREFIX_FIELDS)[number]) => {
    const value = fieldOf(one, field) ?? "A";
    return fc.oneof(
      fc.nat([...value].length).map((length) => [...value].slice(0, length).join("")),
      fc.constantFrom(value, ...WORDS, `${value} `, value.toLowerCase()),
    );
  };
  const exact = (field: (typeof EXACT_FIELDS)[number]) =>
    fc.constantFrom(fieldOf(one, field) ?? "", fieldOf(other, field) ?? "");
  const time = (...times: readonly Date[]) =>
    fc
      .tuple(fc.constantFrom(...times), fc.integer({ min: -2, max: 2 }))
      .map(([base, offset]) => new Date((Math.floor(base.getTime() / 1_000) + offset) * 1_000));
  const created = [one.createdAt, other.createdAt];
  const updated = [updatedAt(one), updatedAt(other), ...created];
  const record = <K extends string, T>(keys: readonly K[], value: (key: K) => fc.Arbitrary<T>) =>
    fc.record(Object.fromEntries(keys.map((key) => [key, rarely(value(key))])));
  return fc
    .record({
      startsWith: record(PREFIX_FIELDS, prefix),
      equals: record(EXACT_FIELDS, exact),
      createdFrom: rarely(time(...created)),
      createdTo: rarely(time(...created)),
      updatedFrom: rarely(time(...updated)),
      updatedTo: rarely(time(...updated)),
    })
    .map((filter) => JSON.parse(JSON.stringify(filter), revive) as ListFilter);
}

/** Without the fields that are undefined; times are times again. */
const revive = (_: string, value: unknown) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? new Date(value) : value;
