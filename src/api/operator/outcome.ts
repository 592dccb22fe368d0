// How the records' changes and look-ups end, as values or faults of the HTTP side, and who the audit log says did it.

import type { FastifyRequest } from "fastify";
import type { Author, Done, Invalid, RecordName, Unknown } from "../../merchants/backoffice.ts";
import { addressOf, operatorOf } from "../callers.ts";
import { baseFault, RequestFault } from "../request-fault.ts";

export function outcomeOf<T>(result: Done<T> | Invalid | Unknown): T {
  switch (result.kind) {
    case "done":
      return result.value;
    case "invalid":
      throw new RequestFault(422, result.problems);
    case "unknown":
      throw unknown(result.what);
  }
}

export function found<T>(what: RecordName, value: T | undefined): T {
  if (value === undefined) throw unknown(what);
  return value;
}

const unknown = (what: RecordName) => baseFault(404, `There is no such ${what}.`);

export const authorOf = (request: FastifyRequest): Author => ({
  actor: `operator ${operatorOf(request).name}`,
  source: addressOf(request),
});
