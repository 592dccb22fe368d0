// The suite that every implementation of the journal's contract passes. What may be done when is not asked here: the
// journal keeps what it is told, once, whoever comes first.

import { describe, test } from "node:test";
import { backlogRules } from "./journal-backlog.ts";
import { challengeRowRules } from "./journal-challenges.ts";
import { concludingRules } from "./journal-concluding.ts";
import { keyRules } from "./journal-keys.ts";
import type { JournalSubject, Rule } from "./journal-subject.ts";
import { writingRules } from "./journal-writing.ts";

/** Registers the tests. `open` is called anew for each of them. */
export function journalConformance(name: string, open: () => Promise<JournalSubject>): void {
  const rule: Rule = (title, check) =>
    void test(title, async () => {
      const subject = await open();
      try {
        await check(subject);
      } finally {
        await subject.end();
      }
    });
  describe(`${name} as a journal`, () => {
    describe("opening and appending", () => writingRules(rule));
    describe("concluding", () => concludingRules(rule));
    describe("idempotency keys", () => keyRules(rule));
    describe("unresolved events", () => backlogRules(rule));
    describe("challenges", () => challengeRowRules(rule));
  });
}
