// For hooks that tell of what there was when a rule failed.

import type { SuiteContext, TestContext } from "node:test";

/** To be asked after it. Node's types do not know it of a test. */
export const hasFailed = (test: TestContext | SuiteContext): boolean => !(test as Pick<SuiteContext, "passed">).passed;
