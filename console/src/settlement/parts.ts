// The money in each part of a settlement day, of processors that have the same day and currency. Pure.

import type { Settlement } from "../../../packages/client/src/openapi.ts";
import { hundredthsOf } from "../words/money.ts";

type OfProcessor = Settlement["processors"][number];

export interface PartSum {
  readonly count: number;
  /** Hundredths; of what refunds are larger than, negative. */
  readonly hundredths: number;
}

export interface DayOfProcessors {
  readonly names: readonly string[];
  readonly currency: string;
  readonly schedule: OfProcessor["schedule"];
  readonly awaiting: PartSum;
  readonly collecting: PartSum;
  readonly settling: PartSum;
  readonly settled: PartSum;
}

/** One for each schedule and currency. */
export function daysOf(processors: readonly OfProcessor[]): readonly DayOfProcessors[] {
  const alike = Map.groupBy(processors, ({ schedule, currency }) => [currency, ...Object.values(schedule)].join(" "));
  return [...alike.values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const batches = some.flatMap((one) => one.batches);
    const of = (part: (typeof batches)[number]["part"]) =>
      sumOf(batches.filter((one) => one.part === part).map(({ count, net }) => ({ count, amount: net })));
    return [
      {
        ...{ names: some.map(({ name }) => name), currency: first.currency, schedule: first.schedule },
        awaiting: sumOf(some.map(({ awaiting_capture }) => awaiting_capture)),
        ...{ collecting: of("collecting"), settling: of("settling"), settled: of("settled") },
      },
    ];
  });
}

const sumOf = (parts: readonly { readonly count: number; readonly amount: string }[]): PartSum => ({
  count: parts.reduce((sum, { count }) => sum + count, 0),
  hundredths: parts.reduce((sum, { amount }) => sum + hundredthsOf(amount), 0),
});
