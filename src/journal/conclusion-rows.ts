// What the conclusion of an event writes: the rows of each table, as their columns are sent.

import type { Column } from "./columns.ts";
import type { Conclusion, KeptResponse } from "./journal.ts";
import { batchOfConclusion } from "./known-batches.ts";
import { OUTCOME_COLUMNS } from "./transaction-columns.ts";

/** An outcome as it is written. */
export const WRITTEN_COLUMNS: readonly Column<Conclusion>[] = [
  ...OUTCOME_COLUMNS,
  { name: "changed_at", type: "timestamptz", value: changedAt, seldom: "a later second" },
];

/** Lists see times to the second: within the event's own second, the event has told of the change already. */
function changedAt({ eventCreatedAt, outcome }: Conclusion): Date | null {
  return wholeSeconds(outcome.at) > wholeSeconds(eventCreatedAt) ? outcome.at : null;
}
const wholeSeconds = (instant: Date): number => Math.floor(instant.getTime() / 1_000);

export const bodyOf = (response: KeptResponse | null): string | null =>
  response && "body" in response ? response.body : null;
export const momentOf = (response: KeptResponse | null): string | null =>
  response && "moment" in response ? response.moment : null;

export const PROCESSOR: Column<Conclusion> = {
  name: "processor_id",
  type: "uuid",
  alike: "merchant",
  value: ({ processorId }) => processorId,
};

const COLUMNS = new Map(WRITTEN_COLUMNS.map((column) => [column.name, column]));
export const writtenAs = (name: string): Column<Conclusion> => {
  const column = COLUMNS.get(name);
  if (column === undefined) throw new Error(`broken invariant: outcomes have no ${name}`);
  return column;
};
const MERCHANT = writtenAs("merchant_id");
const TRANSACTION = writtenAs("transaction_id");
const CREATED = writtenAs("created_at");

export const ANSWER: readonly Column<Conclusion>[] = [
  MERCHANT,
  { name: "key", type: "text", value: ({ keyedResponse }) => keyedResponse?.key ?? null },
  { name: "status", type: "int4", value: ({ keyedResponse }) => keyedResponse?.status ?? null },
  { name: "body", type: "text", value: ({ keyedResponse }) => bodyOf(keyedResponse) },
  { name: "moment", type: "text", value: ({ keyedResponse }) => momentOf(keyedResponse), seldom: "a moment" },
  CREATED,
];

export const BATCH: readonly Column<Conclusion>[] = [
  ...[MERCHANT, PROCESSOR, writtenAs("cutoff_at")],
  { name: "id", type: "uuid", value: batchOfConclusion },
];

export const AUTHORIZATION: readonly Column<Conclusion>[] = [
  ...[MERCHANT, PROCESSOR, TRANSACTION],
  { ...CREATED, name: "authorized_at" },
];

export const UNRESOLVED: readonly Column<Conclusion>[] = [
  ...[MERCHANT, TRANSACTION, writtenAs("sequence"), PROCESSOR, CREATED],
  { name: "remedy", type: "text", value: ({ remedy }) => remedy },
];
