// A month as data: what merchants ask for, alone or at once, how far the clock goes and what happens to the automatic
// captures on the way, how the operator changes schedules. Targets are chosen by what there is, so a part of a month is one.

import fc from "fast-check";
import { burst, followUp, type Operation, type Step, type Wished } from "../simulation/steps.ts";

/** Where the clock stops, by the times of day of one record, by what happens next to some money, or by hours from now. */
export type Moment =
  | "before auto-capture"
  | "auto-capture"
  | "before cut-off"
  | "cut-off"
  | "in window"
  | "before visible"
  | "visible"
  | "before change"
  | "change"
  | "hours";

/** What happens to automatic captures: noisy lines, a database that goes away, a node that is killed, merchants at work. */
export interface Evening {
  readonly seed: number;
  readonly noise: 0 | 1 | 2 | 3;
  readonly databaseAway: boolean;
  readonly nodes: 1 | 2;
  readonly killed: boolean;
  readonly operations: readonly Operation[];
}

export type TimeOfDay = "auto_capture_at" | "cutoff_at" | "settled_at" | "visible_at";

export type MonthStep =
  | { readonly step: "alone"; readonly operation: Operation }
  | (Step & { readonly step: "burst" | "resolve" })
  | {
      readonly step: "clock";
      readonly to: Moment;
      readonly record: number;
      readonly days: number;
      readonly hours: number;
      readonly evening: Evening;
    }
  | { readonly step: "schedule"; readonly record: number; readonly time: TimeOfDay; readonly to: string | null };

const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const noise = fc.constantFrom<(0 | 1 | 2 | 3)[]>(0, 0, 0, 0, 1, 2, 3);
const node = fc.constantFrom<(0 | 1)[]>(0, 1);
const target = fc.nat({ max: 30 });
/** Times whose order differs, some of them at once, some a minute or an hour apart, some around midnight. */
const TIMES = ["00:00", "02:20", "12:00", "18:00", "20:30", "21:59", "22:00", "23:00", "23:59"];

const charge = fc.record({
  does: fc.constant("charge" as const),
  type: fc.constantFrom("sale" as const, "auth" as const, "auth" as const),
  amount: fc.constantFrom(1, 2, 3, 3),
  // Visa, Mastercard; then one that is declined, one whose captures and one whose refunds are, one that is never answered.
  card: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 3, 4, 4, 5),
  processor: fc.constantFrom(0, 0, 0, 1, 1, 2, 4),
  fares: fc.constantFrom(0, 0, 0, 2),
});
const wished: fc.Arbitrary<Wished> = fc.oneof(
  { weight: 4, arbitrary: charge },
  { weight: 6, arbitrary: followUp.map((wish) => ({ ...wish, target: wish.target + 1 })) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("reversal" as const), target }) },
);
const operation: fc.Arbitrary<Operation> = fc.record({ wished, node, keyed: fc.constant(false) });

const evening: fc.Arbitrary<Evening> = fc.oneof(
  {
    weight: 2,
    arbitrary: seed.map((seed) => {
      return { seed, noise: 0 as const, databaseAway: false, nodes: 1 as const, killed: false, operations: [] };
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      seed,
      noise,
      databaseAway: fc.constantFrom(false, false, false, true),
      nodes: fc.constantFrom<(1 | 2)[]>(1, 2),
      killed: fc.boolean(),
      operations: fc.array(operation, { maxLength: 2 }),
    }),
  },
);

const step: fc.Arbitrary<MonthStep> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ step: fc.constant("alone" as const), operation }) },
  { weight: 3, arbitrary: burst(3, operation) },
  {
    weight: 7,
    arbitrary: fc.record({
      step: fc.constant("clock" as const),
      to: fc.constantFrom<Moment[]>(
        ...(["before auto-capture", "auto-capture", "before cut-off", "cut-off"] as const),
        ...(["in window", "in window", "in window", "before visible", "visible"] as const),
        ...(["before change", "change", "hours", "hours"] as const),
      ),
      record: fc.nat({ max: 2 }),
      days: fc.constantFrom(0, 0, 0, 0, 1, 3),
      hours: fc.integer({ min: 0, max: 11 }),
      evening,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constant("schedule" as const),
      record: fc.nat({ max: 1 }),
      time: fc.constantFrom<TimeOfDay[]>("auto_capture_at", "auto_capture_at", "cutoff_at", "settled_at", "visible_at"),
      to: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...TIMES) }, { weight: 1, arbitrary: fc.constant(null) }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("resolve" as const), seed, noise, node }) },
);

/** All the days that no step takes pass at the end. */
export const month: fc.Arbitrary<readonly MonthStep[]> = fc.noBias(
  fc.array(step, { minLength: 1, maxLength: 70, size: "max" }),
);
