// How an operation ended, as an HTTP response (decisions A1, A2, section 6).

import type { FastifyReply } from "fastify";
import type { End, Result } from "../gateway/result.ts";
import type { StoredResponse } from "../journal/journal.ts";
import type { Transaction } from "../payment/transaction.ts";
import { helpLink } from "./errors-guide.ts";
import { REFUSAL_RESPONSES, refusalFault } from "./refusal-responses.ts";
import { representTransaction } from "./represent.ts";
import { baseFault, REFUSAL_HEADER, RequestFault } from "./request-fault.ts";

const OUT_OF_REACH = "The processor is out of reach, and nothing was sent to it. The attempt is on record";
const REFUND_NOT_SENT =
  "The processor is out of reach: it did not do the void, and the refund was not sent to it. Both attempts are on record";

/** A charge comes wrapped; the response to a follow-up on airline data is the bare transaction (specification 4.5). */
export function renderEnd(
  operation: "charge" | "follow-up",
  { transaction, kind, terms }: End,
  now: Date,
): StoredResponse {
  if (kind === "not-sent") {
    const text = endsWithSecondStep(transaction) ? REFUND_NOT_SENT : OUT_OF_REACH;
    const named = `${text} in transaction ${transaction.id}.`;
    return { status: 503, body: baseFault(503, named, {}, "processor-unreachable").body };
  }
  if (kind === "already-settled") {
    const { text } = REFUSAL_RESPONSES["void-after-settlement"];
    return { status: 422, body: new RequestFault(422, { base: [text] }, {}, "void-after-settlement").body };
  }
  const shown = representTransaction(transaction, terms, now);
  const bare = operation === "follow-up" && transaction.passengers !== null;
  return { status: kind === "pending" ? 202 : 200, body: JSON.stringify(bare ? shown : { transaction: shown }) };
}

/** Of a reversal: the void was asked for, and did not succeed. */
function endsWithSecondStep({ events }: Transaction): boolean {
  const [last, before] = [events.at(-1), events.at(-2)];
  return last?.type === "refund" && last.reversal && before?.type === "void" && before.reversal;
}

export function sendResult(result: Result, reply: FastifyReply): FastifyReply {
  if (result.kind === "refused") throw refusalFault(result);
  if (result.replayed) reply.header("idempotent-replayed", "true");
  const help = HELP[result.response.status];
  if (help !== undefined) reply.header("link", helpLink(help, reply.server.basePath));
  // The processor has said what the rule would have said a few minutes later.
  if (help === "void-after-settlement") reply.header(REFUSAL_HEADER, help);
  return reply.code(result.response.status).type("application/json; charset=utf-8").send(result.response.body);
}

/** Of the errors among the ends (renderEnd). */
const HELP: Readonly<Record<number, string>> = { 422: "void-after-settlement", 503: "processor-unreachable" };
