// The suite that every implementation of the processor contract passes. It knows the contract and the specification,
// and nothing of how a processor is reached; what an implementation cannot be brought to do is for its subject to say.

import { describe } from "node:test";
import { byItselfRules } from "./by-itself-rules.ts";
import { challengeRules } from "./challenge-rules.ts";
import { chargeRules } from "./charge-rules.ts";
import { disputeRules } from "./dispute-rules.ts";
import { expressionRules } from "./expression-rules.ts";
import { failureRules } from "./failure-rules.ts";
import { followUpRules } from "./follow-up-rules.ts";
import { laterRules } from "./later-rules.ts";
import { repeatRules } from "./repeat-rules.ts";
import { rulesOf } from "./rule.ts";
import { settlementRules } from "./settlement-rules.ts";
import type { Open } from "./subject.ts";
import { ownTokenRules, withoutTokenRules } from "./token-rules.ts";

/**
 * Registers the tests. `open` is called anew for each of them.
 * @param keepsCards whether it describes tokens of its own, and charges them
 */
export function processorConformance(name: string, open: Open, keepsCards = false): void {
  const rule = rulesOf(open);
  describe(`${name} as a processor`, () => {
    describe("charges", () => chargeRules(rule));
    describe("challenges", () => challengeRules(rule));
    describe("what can be expressed", () => expressionRules(rule));
    describe("follow-ups", () => followUpRules(rule));
    describe("settlement", () => settlementRules(rule));
    describe("failures", () => failureRules(rule));
    describe("repeats", () => repeatRules(rule));
    describe("what ends later", () => laterRules(rule));
    describe("what it does by itself", () => byItselfRules(rule));
    describe("disputes", () => disputeRules(rule));
    describe("tokens", () => (keepsCards ? ownTokenRules(open) : withoutTokenRules(rule)));
  });
}
