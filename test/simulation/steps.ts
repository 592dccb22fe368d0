// A history as data: what merchants ask for at once, how lines and databases are disturbed meanwhile, how the clock and the
// schedules move. Amounts and targets are chosen by what there is when the step comes, so any part of a history is one too.

import fc from "fast-check";

export const AMOUNTS_OF_CHARGES = [1, 2, 3, 100, 999_999_900] as const;
export const FARES = [[1], [60, 40], [1, 1], [33, 33, 34], [200, 100]] as const;
/** By the simulator's table: most are approved, one is declined, one has its captures and one its refunds declined. */
export const CARDS = [
  "4111111111111111",
  "5555555555554444",
  "4000000000000002",
  "4000000000000341",
  "4000000000005126",
  "4000000000000408",
] as const;

export type AmountChoice = "none" | "all" | "a cent" | "half" | "a cent less" | "a cent more" | "the limit";
export type SharesChoice = "fitting" | "first only" | "one too much" | "none" | "a stranger" | "twice" | "wrong sum";

export type Wished =
  | {
      readonly does: "charge";
      readonly type: "sale" | "auth";
      readonly amount: number;
      readonly card: number;
      readonly processor: number;
      readonly fares: number;
    }
  | {
      readonly does: "capture" | "void" | "refund";
      readonly target: number;
      readonly amount: AmountChoice;
      readonly shares: SharesChoice;
    }
  | { readonly does: "reversal"; readonly target: number }
  /** The same request as an earlier one with its key, or another request with that key. */
  | { readonly does: "retry"; readonly which: number; readonly honest: boolean };

export interface Operation {
  readonly wished: Wished;
  readonly node: 0 | 1;
  readonly keyed: boolean;
}

export type Step =
  | {
      readonly step: "burst";
      readonly seed: number;
      readonly operations: readonly Operation[];
      readonly noise: 0 | 1 | 2 | 3;
      /** At some turn the first node is killed, or only taken for dead. */
      readonly end: "none" | "kill" | "bury";
      readonly databaseAway: boolean;
    }
  | { readonly step: "resolve"; readonly seed: number; readonly noise: 0 | 1 | 2 | 3; readonly node: 0 | 1 }
  | { readonly step: "clock"; readonly to: ClockMove; readonly minutes: number }
  | { readonly step: "schedule"; readonly record: number; readonly schedule: number };

/** "in window" is so many minutes after the cut-off, "on" so many from now. */
export type ClockMove = "on" | "before cut-off" | "cut-off" | "in window" | "before visible" | "visible";

const clockMove = fc.constantFrom<ClockMove[]>(
  "on",
  "before cut-off",
  "cut-off",
  "in window",
  "in window",
  "in window",
  "before visible",
  "visible",
);
const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const noise = fc.constantFrom<(0 | 1 | 2 | 3)[]>(0, 0, 0, 0, 0, 1, 2, 3);
const node = fc.constantFrom<(0 | 1)[]>(0, 1);
const target = fc.nat({ max: 5 });

const charge = fc.record({
  does: fc.constant("charge" as const),
  type: fc.constantFrom("sale" as const, "auth" as const, "auth" as const),
  amount: fc.nat({ max: AMOUNTS_OF_CHARGES.length - 1 }),
  card: fc.oneof(
    { weight: 12, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.nat({ max: CARDS.length - 1 }) },
  ),
  processor: fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 9 }) }, { weight: 1, arbitrary: fc.nat({ max: 11 }) }),
  fares: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat({ max: FARES.length }) }),
});
export const followUp = fc.record({
  does: fc.constantFrom("capture" as const, "void" as const, "refund" as const),
  target,
  amount: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom<AmountChoice[]>("none", "all") },
    {
      weight: 4,
      arbitrary: fc.constantFrom<AmountChoice[]>("a cent", "half", "half", "a cent less", "a cent more", "the limit"),
    },
  ),
  shares: fc.oneof(
    { weight: 8, arbitrary: fc.constant<SharesChoice>("fitting") },
    {
      weight: 3,
      arbitrary: fc.constantFrom<SharesChoice[]>(
        "first only",
        "one too much",
        "none",
        "a stranger",
        "twice",
        "wrong sum",
      ),
    },
  ),
});
const wished: fc.Arbitrary<Wished> = fc.oneof(
  { weight: 2, arbitrary: charge },
  { weight: 8, arbitrary: followUp },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("reversal" as const), target }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("retry" as const),
      which: fc.nat({ max: 5 }),
      honest: fc.constantFrom(true, true, true, false),
    }),
  },
);
const operation = fc.record({ wished, node, keyed: fc.boolean() });

export const burst = (most: number, operation: fc.Arbitrary<Operation>) =>
  fc.record({
    step: fc.constant("burst" as const),
    seed,
    operations: fc.array(operation, { minLength: 1, maxLength: most }),
    noise,
    end: fc.oneof(
      { weight: 8, arbitrary: fc.constant("none" as const) },
      { weight: 1, arbitrary: fc.constantFrom("kill" as const, "bury" as const) },
    ),
    databaseAway: fc.oneof({ weight: 12, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: burst(1, operation) },
  { weight: 5, arbitrary: burst(4, operation) },
  {
    weight: 4,
    arbitrary: fc.record({ step: fc.constant("clock" as const), to: clockMove, minutes: fc.nat({ max: 239 }) }),
  },
  { weight: 2, arbitrary: fc.record({ step: fc.constant("resolve" as const), seed, noise, node }) },
  {
    weight: 1,
    arbitrary: fc.record({
      step: fc.constant("schedule" as const),
      record: fc.nat({ max: 6 }),
      schedule: fc.nat({ max: 2 }),
    }),
  },
);

const alone = (wished: Wished): Step => ({
  ...{ step: "burst", seed: 1, noise: 0, end: "none", databaseAway: false },
  operations: [{ wished, node: 0, keyed: true }],
});

/** Money of a Canadian-dollar account of which some has settled and some has not, which chance alone brings about once in 10,000 histories. */
const IN_TWO_PHASES: readonly Step[] = [
  alone({
    ...{ does: "charge", type: "auth", card: 0, fares: 0 },
    amount: AMOUNTS_OF_CHARGES.indexOf(100),
    processor: 3,
  }),
  alone({ does: "capture", target: 0, amount: "half", shares: "fitting" }),
  { step: "clock", to: "visible", minutes: 0 },
  alone({ does: "capture", target: 0, amount: "all", shares: "fitting" }),
];

/** It begins with a charge, without which nothing follows. */
export const history: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.oneof(
      {
        weight: 19,
        arbitrary: charge.map((wish): readonly Step[] => [alone({ ...wish, card: 0, processor: wish.processor % 9 })]),
      },
      { weight: 1, arbitrary: fc.constant(IN_TWO_PHASES) },
    ),
    fc.array(step, { minLength: 4, maxLength: 16, size: "max" }),
  )
  .map(([first, rest]) => [...first, ...rest]);
