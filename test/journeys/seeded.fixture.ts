// Property tests whose seed is always printed, so that a run can be told again: FC_SEED=1234567 npm test.

import type { TestContext } from "node:test";
import fc from "fast-check";

const GIVEN = Number(process.env.FC_SEED);

export async function holdsFor<T>(
  test: TestContext,
  numRuns: number,
  values: fc.Arbitrary<T>,
  rule: (value: T) => Promise<void>,
): Promise<void> {
  const seed = Number.isInteger(GIVEN) && GIVEN !== 0 ? GIVEN : Date.now() % 2 ** 31;
  test.diagnostic(`seed ${seed}, ${numRuns} runs`);
  await fc.assert(fc.asyncProperty(values, rule), { numRuns, seed, interruptAfterTimeLimit: 60_000 });
}
