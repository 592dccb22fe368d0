// What was attempted and refused is in the audit log too (PCI DSS 10.2.1.4): changes that somebody asked for under /operator and
// did not get, requests there without a valid token, sign-ins. So is what people do to payments. Values that were sent never are.

import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from "fastify";
import { type Attempt, noteAttempt } from "../../merchants/audit.ts";
import type { Author, Backoffice } from "../../merchants/backoffice.ts";
import { ownerOf } from "../../merchants/record-owner.ts";
import { minuteCounts } from "../../shares/minute-counts.ts";
import { isUuid } from "../../uuid.ts";
import { addressOf } from "../callers.ts";
import { RequestFault } from "../request-fault.ts";
import { authorOf } from "./calls.ts";

/**
 * Entries wait for each other, and anybody can be refused as often as they like: beyond so many a minute, of one person or of
 * all strangers together, they are counted, and the next entry tells how many.
 */
const MOST_REFUSED_A_MINUTE = 60;
const MOST_COUNTED = 10_000;
const STRANGERS = "";
const MOST_FIELDS = 20;

export interface NotedAttempts {
  notAuthenticated(request: FastifyRequest): Promise<void>;
  /** @param personId whose account it was, if there is one */
  signInRefused(request: FastifyRequest, personId: string | undefined, wrong: string): Promise<void>;
  noteRefusals(operator: FastifyInstance): void;
  /** What people do to payments by a session: other than of a charge, a payment does not say who. */
  noteFollowUps(api: FastifyInstance): void;
}

/** An attempt that cannot be noted is in the log, and is refused all the same. */
export function notedAttempts(office: Backoffice): NotedAttempts {
  const refused = minuteCounts(MOST_COUNTED);
  const unnoted = new Map<string, number>();

  async function note(
    log: FastifyBaseLogger,
    author: Author,
    attempt: Attempt,
    outcome: "done" | "refused" = "refused",
  ): Promise<void> {
    try {
      await noteAttempt(office, author, attempt, outcome);
    } catch (fault) {
      log.error(
        { ...author, action: attempt.action, fault: String(fault) },
        "an attempt could not be written to the audit log",
      );
    }
  }

  const stranger = (request: FastifyRequest): Author => ({ actor: "unknown", source: addressOf(request) });

  /** @param who an operator or a person by id, or all strangers */
  async function noteRefused(request: FastifyRequest, who: string, author: Author, details: object): Promise<void> {
    const before = unnoted.get(who) ?? 0;
    if (refused(who).nth > MOST_REFUSED_A_MINUTE) return void unnoted.set(who, before + 1);
    unnoted.delete(who);
    const told = { ...details, ...(before > 0 && { not_noted_before: before }) };
    await note(request.log, author, { ...attemptOf(request), details: told });
  }

  const noteStranger = (request: FastifyRequest): Promise<void> =>
    noteRefused(request, STRANGERS, stranger(request), { status: 401 });

  // Of one account there are few: it waits after ten.
  async function noteSignIn(request: FastifyRequest, personId: string, wrong: string): Promise<void> {
    const merchantId = await ownerOf(office.sql, "person", personId).catch((fault: unknown) => {
      request.log.warn({ person: personId, fault: String(fault) }, "a refused sign-in is noted without its merchant");
      return null;
    });
    const whose = { subject: `person ${personId}`, merchantId };
    await note(request.log, stranger(request), { ...attemptOf(request), ...whose, details: { status: 401, wrong } });
  }

  return {
    notAuthenticated: noteStranger,
    signInRefused: (request, personId, wrong) =>
      personId === undefined ? noteStranger(request) : noteSignIn(request, personId, wrong),
    noteFollowUps: (api) => {
      api.addHook("onSend", (request, reply, payload, done) => {
        const { session } = request;
        if (!session || request.method !== "POST" || transactionOf(request) === undefined) return done(null, payload);
        const details = { status: reply.statusCode };
        const noted = isCarriedOut(reply.statusCode)
          ? note(request.log, authorOf(request), { ...attemptOf(request), details }, "done")
          : noteRefused(request, session.personId, authorOf(request), details);
        void noted.then(() => done(null, payload));
      });
    },
    noteRefusals: (operator) => {
      operator.addHook("onError", async (request, _reply, error) => {
        if (request.operator === null || request.method === "GET" || request.method === "HEAD") return;
        if (!(error instanceof RequestFault) || error.status >= 500) return;
        const fields = Object.keys(error.messages).filter((name) => /^[\w.•-]{1,100}$/.test(name));
        const details = { status: error.status, fields: fields.slice(0, MOST_FIELDS) };
        await noteRefused(request, request.operator.tokenId, authorOf(request), details);
      });
    },
  };
}

/** A follow-up whose outcome could not be recorded may be: the gateway goes on with it. Before a 503 nothing was sent. */
const isCarriedOut = (status: number): boolean => status < 300 || (status >= 500 && status !== 503);

function transactionOf(request: FastifyRequest): string | undefined {
  const { transaction_id: id } = (request.params ?? {}) as { readonly transaction_id?: string };
  return id !== undefined && isUuid(id) ? id.toLowerCase() : undefined;
}

function attemptOf(request: FastifyRequest): Omit<Attempt, "details"> {
  const { id } = (request.params ?? {}) as { readonly id?: unknown };
  const path = request.routeOptions.url ?? "an unknown path";
  const transaction = transactionOf(request);
  const subject = typeof id === "string" && isUuid(id) ? `path ${id.toLowerCase()}` : "path";
  return {
    action: `${request.method} ${path}`,
    subject: transaction === undefined ? subject : `transaction ${transaction}`,
    merchantId: request.session?.merchantId ?? null,
  };
}
