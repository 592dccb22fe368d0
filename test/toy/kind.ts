// A kind of processor for tests, as small as the contract allows: it may accept and tell the end later, can be inquired of, and
// sends notifications. All of it is in this folder; a gateway that knows it has one more line in its list of kinds.

import { hash } from "node:crypto";
import { type Static, Type } from "typebox";
import type { CardBrand } from "../../src/payment/card-brand.ts";
import { amountOf } from "../../src/payment/money.ts";
import type { Made, News } from "../../src/payment/news.ts";
import type { ProcessorResponse } from "../../src/payment/outcome.ts";
import { type CavvResult, threeDSecureOutcome } from "../../src/payment/three-d-secure.ts";
import { NOTHING_CHECKED } from "../../src/payment/verification.ts";
import { assertSettings, type ProcessorKind, TIMEOUT_MS_SETTING } from "../../src/processors/kind.ts";
import { PROCESSOR_KINDS } from "../../src/processors/kinds.ts";
import {
  type Answer,
  CARD_NUMBERS_ONLY,
  type ChargeQuestion,
  chargesCard,
  type FollowUpQuestion,
  type IncomingMessage,
  type InquiryAnswer,
  type InquiryQuestion,
  type NoAnswer,
  type Processor,
  type Received,
  type TimeoutReversalAnswer,
  type TimeoutReversalQuestion,
} from "../../src/processors/processor.ts";
import { SIGNATURE_HEADER, signs } from "./signature.ts";

const SETTINGS = Type.Object(
  {
    base_url: Type.String({ description: "Where its host listens" }),
    secret: Type.String({ description: "What notifications are signed with" }),
    inquiries: Type.Optional(Type.Boolean({ default: true, description: "Whether it can be asked what became of it" })),
    timeout_ms: Type.Optional(TIMEOUT_MS_SETTING),
  },
  { additionalProperties: false },
);

export const toyKind: ProcessorKind = {
  name: "toy",
  settingsSchema: SETTINGS,
  secretSettings: ["secret"],
  takesCurrency: () => true,
  open(record) {
    assertSettings(toyKind, record);
    return toy(record.settings as Static<typeof SETTINGS>);
  },
};

/** Of a gateway that knows the toy, too. */
export const KINDS_WITH_TOY = new Map([...PROCESSOR_KINDS, [toyKind.name, toyKind]]);

function toy({ base_url, secret, inquiries = true }: Static<typeof SETTINGS>): Processor {
  const closing = new AbortController();
  const ask = async (path: string, body: object, signal: AbortSignal): Promise<Told | NoAnswer> => {
    if (closing.signal.aborted || signal.aborted) return { kind: "not-sent", why: "closed, or too late to send" };
    try {
      const response = await fetch(base_url + path, {
        method: "POST",
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, closing.signal]),
      });
      return { kind: "told", ...((await response.json()) as Omit<Told, "kind">) };
    } catch (fault) {
      const refused = (fault as { cause?: { code?: string } }).cause?.code === "ECONNREFUSED";
      return { kind: refused ? "not-sent" : "unanswered", why: String(fault) };
    }
  };
  const inquire = async (question: InquiryQuestion, signal: AbortSignal): Promise<InquiryAnswer> => {
    const told = await ask("/inquiry", asked(question), signal);
    if (told.kind === "told" && told.status === "unknown") return { kind: "unknown" };
    return answerOf(told, null);
  };
  return {
    capabilities: { partialVoid: true, multipleCaptures: true, refundBeforeSettlement: true },
    keepsCardNumber: false,
    requires: { cvv: [], names: false, document: false },
    takes: (_brand: CardBrand) => true,
    cannotExpress: () => [],
    charge: async (question, signal) => {
      if (!chargesCard(question)) return CARD_NUMBERS_ONLY;
      const card = question.instrument.number.reveal();
      return answerOf(await ask("/payments", { ...asked(question), card }, signal), question);
    },
    followUp: async (question, signal) => answerOf(await ask("/payments", asked(question), signal), null),
    timeoutReversal: async (question, signal): Promise<TimeoutReversalAnswer> => {
      const told = await ask("/reversal", asked(question), signal);
      if (told.kind !== "told") return told;
      return told.status === "pending" ? { kind: "pending", why: `accepted as ${told.id}` } : { kind: "confirmed" };
    },
    ...(inquiries && { inquire }),
    receive: async (message) => read(message, secret),
    health: async (signal) => {
      const { kind } = await ask("/inquiry", { reference: "health" }, signal);
      return { reachable: kind === "told", detail: kind };
    },
    close: async () => closing.abort(),
  };
}

interface Told {
  readonly kind: "told";
  readonly status: string;
  readonly id: string;
  /** The answer of its books to what was asked before. */
  readonly replayed?: boolean;
}

const asked = ({
  reference,
  transactionId: transaction,
  type,
  amount,
}: ChargeQuestion | FollowUpQuestion | InquiryQuestion | TimeoutReversalQuestion) => ({
  ...{ reference, transaction, type, amount: Number(amount) },
});

function answerOf(told: Told | NoAnswer, charge: ChargeQuestion | null): Answer {
  if (told.kind !== "told") return told;
  switch (told.status) {
    case "approved":
      return {
        kind: "approved",
        processorResponse: {
          ...responseOf("00", "APPROVED", told.id, charge),
          ...(charge?.storedCredential && { networkTransactionId: `TOY${told.id.replaceAll(/[^0-9A-Za-z]/g, "")}` }),
        },
      };
    case "declined":
      return {
        kind: "declined",
        processorResponse: responseOf("05", "REFUSED", told.id, charge),
        category: "refused",
        ...(told.replayed && { isFirstAnswer: true }),
      };
    case "pending":
      return { kind: "pending", why: `accepted as ${told.id}` };
    case "action_required":
      return { kind: "action-required", processorResponse: responseOf("1A", "AUTHENTICATION NEEDED", told.id, charge) };
    default:
      return { kind: "unanswered", why: `an unknown status: ${told.status}` };
  }
}

const NOT_CHECKED: CavvResult = "not-checked";

const responseOf = (code: string, message: string, id: string, charge: ChargeQuestion | null): ProcessorResponse => ({
  code,
  message,
  transactionId: `toy-${id}`,
  authCode: code === "00" ? hash("sha256", id).slice(0, 6).toUpperCase() : null,
  ...NOTHING_CHECKED,
  threeDSecure: threeDSecureOutcome(charge?.threeDSecure ?? null, NOT_CHECKED),
});

interface Notice {
  readonly id: string;
  readonly tells: string;
  readonly reference: string;
  readonly transaction: string;
  readonly occurred_at: string;
  readonly amount?: number;
}

function read({ headers, body }: IncomingMessage, secret: string): Received {
  if (!signs(headers[SIGNATURE_HEADER], secret, body)) return { kind: "forged", why: "the signature is not ours" };
  const { id, tells, reference, transaction, occurred_at, amount } = JSON.parse(
    body.toString("utf8"),
  ) as Partial<Notice>;
  if (id === undefined || occurred_at === undefined) return { kind: "unreadable", why: "it has no id" };
  const about = transaction && reference ? { transactionId: transaction, reference } : null;
  const news = madeBy(id, tells, amount) ?? newsOf(tells, reference ?? "");
  const notification = { id, occurredAt: new Date(occurred_at), about, news, said: `${tells} ${reference}` };
  return { kind: "genuine", notifications: [notification], acknowledgement: "noted" };
}

const MADE: Readonly<Record<string, Made["type"]>> = {
  expired: "void",
  canceled: "void",
  captured: "capture",
  refunded: "refund",
};

/** Its host does business in dollars alone. */
function madeBy(id: string, tells = "", amount: number | undefined): Made | undefined {
  const type = Object.hasOwn(MADE, tells) ? MADE[tells] : undefined;
  if (type === undefined) return undefined;
  const processorResponse = responseOf("00", tells.toUpperCase(), id, null);
  const money = amount === undefined ? {} : { money: { amount: amountOf(BigInt(amount)), currency: "USD" } };
  return { kind: "made", type, operation: id, payment: null, end: "succeeded", processorResponse, ...money };
}

function newsOf(tells: string | undefined, reference: string): News {
  switch (tells) {
    case "approved":
      return { kind: "succeeded", processorResponse: responseOf("00", "APPROVED", reference, null) };
    case "declined":
      return { kind: "failed", processorResponse: responseOf("05", "FAILED", reference, null), category: "refused" };
    case "reversed":
    case "settled":
    case "chargeback":
      return { kind: tells };
    default:
      return { kind: "other" };
  }
}
