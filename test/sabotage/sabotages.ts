// Small mistakes in the money path, each one place of the code, and the tests that have to catch it. A mistake that no test
// catches is a test that is missing.

export interface Sabotage {
  /** What the gateway does wrong then. */
  readonly mistake: string;
  readonly file: string;
  /** Stands there exactly once. */
  readonly search: string;
  readonly replace: string;
  /** Test files, of which one at least must fail. */
  readonly tests: readonly string[];
}

const RETRY_QUEUE = "src/gateway/retry-queue.test.ts";
const RESOLVING = "src/gateway/resolve.test.ts";
const CHARGING = "src/gateway/charge.test.ts";
const CARRYING_OUT = "src/gateway/carry-out.test.ts";
const REVERSING = "src/gateway/reverse.test.ts";
const DECLINED_REPEATS = "src/gateway/declined-repeats.test.ts";
const JOURNAL = "src/journal/postgres-journal.test.ts";

export const SABOTAGES: readonly Sabotage[] = [
  {
    mistake: "the intent of a charge is written after sending",
    file: "src/gateway/charge.ts",
    search:
      "const opened = await intentDurable(parts, intent, event, () => parts.journal.open(intent, claim, sealed));",
    replace:
      "const opened = { createdAt: intent.createdAt };\n  setTimeout(() => void parts.journal.open(intent, claim, sealed), 20);",
    tests: [CHARGING],
  },
  {
    mistake: "the caller is answered before the outcome is durable",
    file: "src/gateway/carry-out.ts",
    search: "const written = await durably(parts, () => journal.conclude(conclusion), later, unresolved);",
    replace:
      'const written: Concluded = "concluded";\n  setTimeout(() => void durably(parts, () => journal.conclude(conclusion), later).catch(() => undefined), 20);',
    tests: [CARRYING_OUT],
  },
  {
    mistake: "the reversal of an unanswered charge is forgotten",
    file: "src/gateway/outcome.ts",
    search: 'remedy: isGivenUp(outcome) ? "reverse" : null',
    replace: "remedy: null",
    tests: [RESOLVING],
  },
  {
    mistake: "answers are matched by STAN alone",
    file: "src/processors/iso8583/link/pending.ts",
    search: "const MATCHED: readonly number[] = [11, 41, 37];",
    replace: "const MATCHED: readonly number[] = [11];",
    tests: ["src/processors/iso8583/link/pending.test.ts"],
  },
  {
    mistake: "an answer that comes after the deadline is taken for one",
    file: "src/gateway/ask.ts",
    search: "    }, timeoutMs);",
    replace: "    }, timeoutMs + 1_000);",
    tests: ["src/gateway/ask.test.ts"],
  },
  {
    mistake: "an unanswered charge of a dead node is repeated instead of reversed",
    file: "src/journal/nodes.ts",
    search: "case when e.type in ('sale', 'auth') then 'reverse' else 'repeat' end",
    replace: "'repeat'",
    tests: [JOURNAL],
  },
  {
    mistake: "a charge does not claim its idempotency key",
    file: "src/gateway/charge.ts",
    search: "() => parts.journal.open(intent, claim, sealed));",
    replace: "() => parts.journal.open(intent, null, sealed));",
    tests: ["src/gateway/idempotency.test.ts"],
  },
  {
    mistake: "what was not sent is told as declined",
    file: "src/gateway/outcome.ts",
    search: 'case "not-sent":\n      return {\n        kind: "not-sent",',
    replace: 'case "not-sent":\n      return {\n        kind: "declined",',
    tests: [CHARGING],
  },
  {
    mistake: "who loses the race for the next place in a transaction goes on all the same",
    file: "src/gateway/append.ts",
    search: 'if (written === "appended") return withEvent(transaction, event);',
    replace: "if (written) return withEvent(transaction, event);",
    tests: ["src/gateway/follow-up.test.ts"],
  },
  {
    mistake: "silence after a capture, a void or a refund is told as declined",
    file: "src/gateway/outcome.ts",
    search: "return isChargeType(type) ? neverAnswered(asked, at) : undefined;",
    replace:
      'return isChargeType(type) ? neverAnswered(asked, at) : { ...neverAnswered(asked, at), kind: "declined" };',
    tests: [CARRYING_OUT, RESOLVING],
  },
  {
    mistake: "a repeat that is declined ends its first sending",
    file: "src/payment/doubt.ts",
    search: 'return asked === "repeat" && said.isFirstAnswer !== true ? "in-doubt" : "ends";',
    replace: 'return "ends";',
    tests: [DECLINED_REPEATS],
  },
  {
    mistake: "a reversal that was not confirmed counts as done",
    file: "src/gateway/attempt.ts",
    search: 'if (answer.kind !== "confirmed") return { kind: "unanswered", why: answer.why };',
    replace: "",
    tests: [RESOLVING],
  },
  {
    mistake: "a repeat goes to the acquirer under a new reference",
    file: "src/processors/iso8583/messages/envelope.ts",
    search: 'hash("sha256", reference)',
    replace: 'hash("sha256", reference + Math.random())',
    tests: ["src/processors/iso8583/messages/messages.test.ts", "test/conformance/iso8583.test.ts"],
  },
  {
    mistake: "what was sent by a connection that broke is told as not sent",
    file: "src/processors/iso8583/link/pending.ts",
    search: 'waiting.end({ kind: "unanswered", why });',
    replace: 'waiting.end({ kind: "not-sent", why });',
    tests: ["src/processors/iso8583/link/pending.test.ts", "src/processors/iso8583/link/link.test.ts"],
  },
  {
    mistake: "what is no response code is a decline",
    file: "src/processors/iso8583/answers/read-answer.ts",
    search:
      'if (said === undefined) return { kind: "unanswered", why: "the answer\'s response code is not two letters or digits" };\n  const { meaning',
    replace:
      'if (said === undefined) return { kind: "declined", category: "refused", processorResponse: { ...NOTHING_CHECKED, code, message: "", transactionId: null, authCode: null } };\n  const { meaning',
    tests: ["src/processors/iso8583/answers/read-answer.test.ts"],
  },
  {
    mistake: "an operation whose intent may have been written is left open",
    file: "src/gateway/append.ts",
    search:
      "if (fault instanceof JournalUncertain) parts.retryQueue.add(() => endUnasked(parts, place, event.id));\n    else parts",
    replace: "parts",
    tests: ["src/gateway/append.test.ts"],
  },
  {
    mistake: "an outcome that could not be written is given up",
    file: "src/gateway/carry-out.ts",
    search: "    parts.retryQueue.add(later, giveUp);\n",
    replace: "",
    tests: [CARRYING_OUT, RESOLVING, RETRY_QUEUE],
  },
  {
    mistake: "nodes number their questions to the acquirer without regard to each other",
    file: "src/journal/trace-numbers.ts",
    search: "do update set assigned = c.assigned + excluded.assigned\n  returning merchant_id",
    replace: "do update set assigned = excluded.assigned\n  returning merchant_id",
    tests: ["src/journal/trace-numbers.test.ts"],
  },
  {
    mistake: "a repeat draws a new number, and tells itself as a first sending",
    file: "src/processors/iso8583/iso8583.ts",
    search: "await this.#numbers.assign(key, mti, this.#clock.now())",
    replace: "await this.#numbers.assign(key + Math.random(), mti, this.#clock.now())",
    tests: ["src/processors/iso8583/iso8583.test.ts", "test/conformance/iso8583.test.ts"],
  },
  {
    mistake: "a reversal whose gateway died after its void is not gone on with",
    file: "src/gateway/attempt.ts",
    search: "const next = refundAfterVoid(parts, ended, atWork);",
    replace: "const next = undefined;",
    tests: [REVERSING, RESOLVING],
  },
  {
    mistake: "money of captures in flight is granted a second time",
    file: "src/payment/in-flight.ts",
    search: 'const decision = decide(transaction, "reserved", question.amount);',
    replace:
      'const decision = decide(transaction, "failed", question.amount);\n  if (question.amount !== undefined) return decision;',
    tests: ["src/payment/capture.test.ts", "src/payment/follow-up.test.ts"],
  },
  {
    mistake: "of operations in flight all are taken to end alike",
    file: "src/payment/in-flight.ts",
    search: "if (inFlight.length === 1 || !question.partsMatter(amount)) return answer;",
    replace: "if (inFlight.length > 0) return answer;",
    tests: ["src/payment/in-flight.test.ts"],
  },
  {
    mistake: "a plain void that came too late is followed by a refund that nobody asked for",
    file: "src/gateway/reverse.ts",
    search: 'if (last.type !== "void" || !last.reversal || last.outcome === null) return undefined;',
    replace: 'if (last.type !== "void" || last.outcome === null) return undefined;',
    tests: [REVERSING],
  },
  {
    mistake: "a charge that is approved while it is given up is reversed",
    file: "src/gateway/attempt.ts",
    search: "return written && isGivenUp(written) ? reverseCharge",
    replace: "return written ? reverseCharge",
    tests: ["src/gateway/attempt.test.ts"],
  },
  {
    mistake: "after silence a charge goes on elsewhere, since it is found out that it was declined",
    file: "src/gateway/try-in-turn.ts",
    search: 'if (told === "later" || !goesOn(',
    replace: "if (told === undefined || !goesOn(",
    tests: ["src/gateway/try-in-turn.test.ts"],
  },
  {
    mistake: "what one processor tells changes a payment that was made at another",
    file: "src/gateway/notifications.ts",
    search: "event === undefined || event.processorId !== processorId)",
    replace: "event === undefined)",
    tests: ["src/gateway/notifications.test.ts"],
  },
  {
    mistake: "an event that another node took over, and whose answer could not be written, is not put back",
    file: "src/gateway/carry-out.ts",
    search: 'if (written === "taken-over") await putBack(parts, alone, event);',
    replace: "",
    tests: [CARRYING_OUT],
  },
];
