// How the simulator judges a capture, a void or a refund. It keeps no books: which amounts fit is for the gateway's
// rules, and what it judges here is what a processor alone knows.

import type { Capabilities } from "../../payment/ruling.ts";
import type { Answer, FollowUpQuestion } from "../processor.ts";
import { declinesFollowUp } from "./cards.ts";
import { approve, decline } from "./processor-response.ts";
import { refundComesTooEarly, voidComesTooLate } from "./settlement.ts";

export function judgeFollowUp(question: FollowUpQuestion, capabilities: Capabilities, now: Date): Answer {
  const { type, reference, original, currency } = question;
  if (declinesFollowUp(original.cardMask, type)) return decline("05", reference);
  if (type === "void" && currency === "CAD" && voidComesTooLate(question, now)) return decline("A1", reference);
  const settlesFirst = currency === "CAD" || !capabilities.refundBeforeSettlement;
  if (type === "refund" && settlesFirst && refundComesTooEarly(question, now)) return decline("A2", reference);
  return approve(reference);
}
