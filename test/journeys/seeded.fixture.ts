// Property tests whose seed is always printed, so that a run can be told again: npm test -- --seed 1234567.

import type { TestContext } from "node:test";
import fc from "fast-check";
import { SEED } from "../random.ts";

export async function holdsFor<T>(
  test: TestContext,
  numRuns: number,
  values: fc.Arbitrary<T>,
  rule: (value: T) => Promise<void>,
): Promise<void> {
  test.diagnostic(`seed ${SEED}, ${numRuns} runs`);
  await fc.assert(fc.asyncProperty(values, rule), { numRuns, seed: SEED, interruptAfterTimeLimit: 60_000 });
}
