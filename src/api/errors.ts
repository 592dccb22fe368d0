// Every error of the API, in the one shape of decisions 3. What is not the caller's fault is logged under an id, and the
// response shows only that id. What all requests meet while the database is away is summed up.

import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { CardNotSealed } from "../gateway/card-numbers.ts";
import { OutcomeNotRecorded } from "../gateway/carry-out.ts";
import { CardNotOpened } from "../gateway/presented-card.ts";
import { cannotWrite, codeOf, connectionLost } from "../journal/database.ts";
import { QueueFull } from "../journal/group-commit.ts";
import { JournalUnavailable, JournalUncertain } from "../journal/journal.ts";
import { ChangeUncertain } from "../merchants/audit.ts";
import { GatewayHalted } from "../recovery/halted-journal.ts";
import { type LogLines, logLines } from "../shares/log-lines.ts";
import { ShareUsedUp } from "../shares/turns.ts";
import { addressOf } from "./callers.ts";
import { helpLink } from "./errors-guide.ts";
import { GONE } from "./long-responses.ts";
import { baseFault, RequestFault } from "./request-fault.ts";
import { tellRequestId } from "./request-id.ts";

/** @param lines those of the server */
export function respondToErrors(app: FastifyInstance, lines = logLines(app.log)): void {
  app.setErrorHandler((error, request, reply) =>
    sendFault(isUnread(error, reply) ? GONE : faultOf(error, request, lines), reply),
  );
}

/** Its reader left before the first byte, which Fastify takes for a fault of what was to be sent. */
const isUnread = (error: unknown, { raw }: FastifyReply): boolean =>
  raw.destroyed && codeOf(error) === "ERR_STREAM_PREMATURE_CLOSE";

export function sendFault(fault: RequestFault, reply: FastifyReply): FastifyReply {
  // Also where no hook has run: of an address that cannot be read.
  return tellRequestId(reply)
    .code(fault.status)
    .headers({ link: helpLink(fault.help, reply.server.basePath), ...fault.headers })
    .type("application/json; charset=utf-8")
    .send(fault.body);
}

function faultOf(error: unknown, request: FastifyRequest, lines: LogLines): RequestFault {
  if (error instanceof RequestFault) return error;
  if (error instanceof JournalUncertain || error instanceof OutcomeNotRecorded)
    return unknown(
      error,
      request,
      "The database went away before the outcome was recorded. The outcome follows when the database is back: before you " +
        "try again, look the transaction up, or send the same request with the same Idempotency-Key.",
    );
  if (error instanceof ChangeUncertain)
    return unknown(
      error,
      request,
      "The database went away while this change was written. It may have been made: check before you try again.",
    );
  if (codeOf(error) === "CONNECTIONS_BUSY") return OVER_ITS_SHARE.all;
  if (error instanceof GatewayHalted) return HALTED[error.why.kind];
  if (error instanceof JournalUnavailable || error instanceof QueueFull || connectionLost(error)) {
    tellOne(lines, request, error, "the database is out of reach");
    return baseFault(503, "The database cannot be reached. Nothing was sent or changed; try again in a moment.", {
      "retry-after": "1",
    });
  }
  if (cannotWrite(error)) {
    tellOne(lines, request, error, "the database cannot be written to");
    return baseFault(
      503,
      "The database cannot be written to. Nothing was sent or changed; try again in a moment.",
      SOON,
    );
  }
  if (error instanceof ShareUsedUp) return OVER_ITS_SHARE[error.whose];
  if (error instanceof CardNotSealed) {
    tellOne(lines, request, error, "a card number could not be sealed");
    return baseFault(503, "The card number cannot be stored safely now. Nothing was sent; try again in a moment.", {
      "retry-after": "1",
    });
  }
  if (error instanceof CardNotOpened) {
    tellOne(lines, request, error, "a card on file could not be opened");
    return baseFault(503, "The number of the card on file cannot be opened now. Nothing was sent.", SOON);
  }
  const status = statusOf(error);
  if (status !== undefined) return baseFault(status, CLIENT_ERRORS[status]);
  const id = randomUUID();
  request.log.error({ id, fault: describe(error) }, "a request failed: something broke");
  return new RequestFault(500, { fatal: [`Something broke on our side. The log has the reason under the id ${id}.`] });
}

/** Of many that are alike. */
function tellOne(lines: LogLines, request: FastifyRequest, error: unknown, text: string): void {
  const facts = { address: addressOf(request), fault: describe(error) };
  lines.tell({ log: request.log, level: "error", facts, text });
}

const SOON = { "retry-after": "1" };
const HALTED = {
  checking: baseFault(
    503,
    "The database has just moved to another server, and the gateway checks that nothing is missing. Nothing was sent; try again in a moment.",
    SOON,
  ),
  recovery: baseFault(
    503,
    "The gateway is in recovery mode: its database may be older than what it told merchants, so it charges nothing. Nothing was sent. " +
      "An operator has to look at it (faregate recovery show).",
    { "retry-after": "60" },
  ),
} as const;
const OVER_ITS_SHARE = {
  own: baseFault(429, "Too many of your requests are waiting. Nothing was done; try again in a moment.", SOON),
  all: baseFault(503, "Too many requests are waiting. Nothing was done; try again in a moment.", SOON),
} as const;

function unknown(error: Error, request: FastifyRequest, text: string): RequestFault {
  const id = randomUUID();
  request.log.error({ id, fault: describe(error) }, "an outcome could not be recorded in time");
  return new RequestFault(500, { fatal: [`${text} The log has the reason under the id ${id}.`] });
}

/** What Fastify itself refuses: a URL that is none, headers that are too large, a body that stalls. */
const CLIENT_ERRORS = {
  400: "The request cannot be read.",
  404: "There is nothing at this path.",
  413: "The request is too large.",
  415: "This media type is not supported.",
} as const;

function statusOf(error: unknown): keyof typeof CLIENT_ERRORS | undefined {
  const status = typeof error === "object" && error !== null && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status < 400 || status >= 500) return undefined;
  return status === 404 || status === 413 || status === 415 ? status : 400;
}

/** For the log: class, code, message and place. Parameters of statements are never among them. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = "code" in error ? { code: String(error.code) } : {};
  const cause = error.cause instanceof Error ? { cause: describe(error.cause) } : {};
  return { name: error.name, ...code, message: error.message, at: error.stack?.split("\n").slice(1, 6), ...cause };
}
