// The sandbox's processor, in the gateway's own process and without state: every answer follows from the question, the
// record's settings and the clock, so it is the same after a restart. What it answers stands in charge.ts and
// follow-up.ts; here is when, and whether at all.

import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../clock.ts";
import { type AccountTerms, type Capabilities, withinTerms } from "../../payment/account-terms.ts";
import type { CardBrand } from "../../payment/card-brand.ts";
import type { ConditionalFields, ProcessorRecord } from "../../payment/processor-record.ts";
import { assertSettings, type ProcessorKind, type ProcessorParts } from "../kind.ts";
import {
  type Answer,
  type Brought,
  CARD_NUMBERS_ONLY,
  type ChargeQuestion,
  chargesCard,
  type FollowUpQuestion,
  type Health,
  type InquiryAnswer,
  type InquiryQuestion,
  type Processor,
  type TimeoutReversalAnswer,
  type TimeoutReversalQuestion,
  type VerificationAnswer,
  type VerificationQuestion,
} from "../processor.ts";
import { verificationOf, zeroAuth } from "../verification.ts";
import type { Timing } from "./cards.ts";
import { afterChallenge, challenge } from "./challenge.ts";
import { judgeCharge } from "./charge.ts";
import { type Account, judgeFollowUp } from "./follow-up.ts";
import { type Operation, SIMULATOR_DEFAULTS, SIMULATOR_SETTINGS, type SimulatorSettings } from "./settings.ts";

export const simulatorKind = {
  name: "simulator",
  settingsSchema: SIMULATOR_SETTINGS,
  secretSettings: [],
  takesCurrency: () => true,
  open(record: ProcessorRecord, { clock }: Pick<ProcessorParts, "clock">): Processor {
    assertSettings(simulatorKind, record);
    return new Simulator({ ...SIMULATOR_DEFAULTS, ...record.settings }, record.terms, clock);
  },
} satisfies ProcessorKind;

/** How long after the timeout a late answer comes. */
const LATE_BY_MS = 250;
/** The longest that a timer goes, 25 days: longer than anybody waits. */
const NEVER_MS = 2 ** 31 - 1;

type NoAnswer = { readonly kind: "unanswered" | "not-sent"; readonly why: string };

class Simulator implements Processor {
  readonly capabilities: Capabilities;
  readonly keepsCardNumber = false;
  readonly requires: ConditionalFields = { cvv: [], names: false, document: false };
  readonly #settings: SimulatorSettings;
  readonly #account: Account;
  readonly #clock: Clock;
  readonly #closing = new AbortController();

  constructor(settings: SimulatorSettings, terms: AccountTerms, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.capabilities = {
      partialVoid: settings.partial_void,
      multipleCaptures: settings.multiple_captures,
      refundBeforeSettlement: settings.refund_before_settlement,
      voidsWholePaymentsOnly: settings.voids_whole_payments_only,
      refundsCapturedAuthorizations: settings.refunds_captured_authorizations,
    };
    this.#account = {
      ...withinTerms(terms, this.capabilities),
      settlesUnseen: terms.settlesUnseen || settings.settles_unseen,
    };
  }

  cannotExpress(): readonly [] {
    return [];
  }

  takes(brand: CardBrand): boolean {
    return this.#settings.card_brands.includes(brand);
  }

  async charge(question: ChargeQuestion, signal: AbortSignal): Promise<Answer> {
    if (!chargesCard(question)) return CARD_NUMBERS_ONLY;
    const challenged = challenge(question);
    if (challenged) return this.#deliver(challenged, question.type, "prompt", signal);
    const { answer, timing } = judgeCharge(question, this.#clock.now(), this.#settings.declines_with);
    return this.#deliver(answer, question.type, timing, signal);
  }

  async returned(question: InquiryQuestion, brought: Brought, signal: AbortSignal): Promise<InquiryAnswer> {
    return this.#deliver(afterChallenge(question, brought), question.type, "prompt", signal);
  }

  async verify(question: VerificationQuestion, signal: AbortSignal): Promise<VerificationAnswer> {
    return verificationOf(await this.charge(zeroAuth(question), signal));
  }

  async followUp(question: FollowUpQuestion, signal: AbortSignal): Promise<Answer> {
    const answer = judgeFollowUp(question, this.#account, this.#clock.now());
    return this.#deliver(answer, question.type, "prompt", signal);
  }

  async timeoutReversal(_question: TimeoutReversalQuestion, signal: AbortSignal): Promise<TimeoutReversalAnswer> {
    return this.#deliver({ kind: "confirmed" }, "reversal", "prompt", signal);
  }

  async health(): Promise<Health> {
    const why = this.#whyUnreachable();
    return { reachable: why === undefined, detail: why ?? "The simulator answers from the gateway's own process" };
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  /** The answer, judged when the question came, after the time that it takes; unless nobody waits for it any longer. */
  async #deliver<A>(answer: A, operation: Operation, timing: Timing, signal: AbortSignal): Promise<A | NoAnswer> {
    const unsent =
      this.#whyUnreachable() ?? (signal.aborted ? "The deadline passed before anything was sent" : undefined);
    if (unsent !== undefined) return { kind: "not-sent", why: unsent };
    const silent = timing === "never" || this.#settings.silent_operations.includes(operation);
    const delayMs = this.#delayMs(silent ? "never" : timing);
    const waited = delayMs === 0 || (await undisturbed(delayMs, signal, this.#closing.signal));
    if (waited && !silent) return answer;
    const why = this.#closing.signal.aborted ? "The simulator was closed" : "The deadline passed";
    return { kind: "unanswered", why: `${why} before the answer came` };
  }

  #delayMs(timing: Timing): number {
    if (timing === "never") return NEVER_MS;
    return timing === "late" ? this.#settings.timeout_ms + LATE_BY_MS : this.#settings.latency_ms;
  }

  #whyUnreachable(): string | undefined {
    if (this.#closing.signal.aborted) return "The simulator is closed";
    return this.#settings.refuse_connections ? "The simulator refuses connections (refuse_connections)" : undefined;
  }
}

/** Waits, and tells whether none of the signals ended it early. The timer ends with it and keeps no process alive. */
async function undisturbed(ms: number, ...signals: readonly AbortSignal[]): Promise<boolean> {
  try {
    return await pause(ms, true, { signal: AbortSignal.any([...signals]), ref: false });
  } catch {
    return false; // an abort is all that a timer rejects with
  }
}
