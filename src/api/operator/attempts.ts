// What was attempted under /operator and refused is in the audit log too (PCI DSS 10.2.1.4): changes that an operator asked
// for and did not get, and requests without a valid token. Values that were sent are never in it.

import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from "fastify";
import { type Attempt, noteAttempt } from "../../merchants/audit.ts";
import type { Author, Backoffice } from "../../merchants/backoffice.ts";
import { minuteCounts } from "../../shares/minute-counts.ts";
import { isUuid } from "../../uuid.ts";
import { addressOf } from "../callers.ts";
import { RequestFault } from "../request-fault.ts";
import { authorOf } from "./calls.ts";

/** Anybody can send wrong tokens: beyond so many a minute they are counted, and the next entry tells how many. */
const MOST_STRANGERS_A_MINUTE = 60;
const MOST_FIELDS = 20;

export interface NotedAttempts {
  notAuthenticated(request: FastifyRequest): Promise<void>;
  noteRefusals(operator: FastifyInstance): void;
}

/** An attempt that cannot be noted is in the log, and is refused all the same. */
export function notedAttempts(office: Backoffice): NotedAttempts {
  const strangers = minuteCounts(1);
  let unnoted = 0;

  async function note(log: FastifyBaseLogger, author: Author, attempt: Attempt): Promise<void> {
    try {
      await noteAttempt(office, author, attempt);
    } catch (fault) {
      log.error({ ...author, action: attempt.action, fault: String(fault) }, "an attempt could not be noted");
    }
  }

  return {
    notAuthenticated: async (request) => {
      if (strangers("all").nth > MOST_STRANGERS_A_MINUTE) return void unnoted++;
      const details = { status: 401, ...(unnoted > 0 && { not_noted_before: unnoted }) };
      unnoted = 0;
      const author = { actor: "unknown", source: addressOf(request) };
      await note(request.log, author, { ...attemptOf(request), details });
    },
    noteRefusals: (operator) => {
      operator.addHook("onError", async (request, _reply, error) => {
        if (request.operator === null || request.method === "GET" || request.method === "HEAD") return;
        if (!(error instanceof RequestFault) || error.status >= 500) return;
        const fields = Object.keys(error.messages).filter((name) => /^[\w.•-]{1,100}$/.test(name));
        await note(request.log, authorOf(request), {
          ...attemptOf(request),
          details: { status: error.status, fields: fields.slice(0, MOST_FIELDS) },
        });
      });
    },
  };
}

function attemptOf(request: FastifyRequest): { readonly action: string; readonly subject: string } {
  const { id } = (request.params ?? {}) as { readonly id?: unknown };
  const path = request.routeOptions.url ?? "an unknown path";
  return {
    action: `${request.method} ${path}`,
    subject: typeof id === "string" && isUuid(id) ? `path ${id.toLowerCase()}` : "path",
  };
}
