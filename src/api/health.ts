// Whether the process runs, and whether it can serve requests. For load balancers; open to everyone.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { COMPONENT } from "./openapi/components.ts";
import { headTooLarge } from "./openapi/responses.ts";
import { baseFault } from "./request-fault.ts";

/** All that is served here, and nothing else. */
export const isHealthCheck = (url = ""): boolean => url.startsWith("/health/");

const PATIENCE_MS = 1_500;
/** However many ask, the database is asked no more often; an answer is no older than this and the patience together. */
const KEPT_MS = 500;

const CLOSED = { [COMPONENT]: "Health", additionalProperties: false };

const fine = {
  ...headTooLarge,
  200: {
    description: "Yes.",
    content: { "application/json": { schema: Type.Object({ status: Type.Literal("ok") }, CLOSED) } },
  },
};

/** @param notReady why no requests are to be sent here, if so */
export function healthRoutes(app: FastifyInstance, pool: Sql, notReady: () => string | undefined): void {
  const live = {
    summary: "The process runs",
    description: "Says so as long as it does, whatever the state of the database.",
    tags: ["Health"],
    security: [],
    response: fine,
  };
  app.get("/health/live", { schema: live }, async () => ({ status: "ok" }));

  const ready = {
    summary: "Requests are served",
    description: "503 while the gateway starts or stops, or its database does not answer: send requests elsewhere.",
    tags: ["Health"],
    security: [],
    response: {
      ...fine,
      503: { description: "Not now.", content: { "application/json": { schema: Type.Ref("ApiError") } } },
    },
  };
  let last: { readonly answers: Promise<boolean>; readonly sinceMs: number } | undefined;
  const databaseAnswers = (): Promise<boolean> => {
    const nowMs = performance.now();
    if (last === undefined || nowMs - last.sinceMs >= KEPT_MS) last = { answers: answersInTime(pool), sinceMs: nowMs };
    return last.answers;
  };
  app.get("/health/ready", { schema: ready }, async () => {
    const why = notReady();
    if (why !== undefined) throw baseFault(503, why);
    if (!(await databaseAnswers())) throw baseFault(503, "The database cannot be reached.");
    return { status: "ok" };
  });
}

async function answersInTime(pool: Sql): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS);
  });
  const asked = pool`select 1`.then(
    () => true,
    () => false,
  );
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
