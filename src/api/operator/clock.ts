// The sandbox's clock, which the operator reads and moves forward. In live mode there is no such path.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { audited } from "../../merchants/audit.ts";
import type { Backoffice } from "../../merchants/backoffice.ts";
import type { SandboxTime } from "../../settlement/time.ts";
import { Timestamp, timestamp } from "../../validation/fields.ts";
import { noProblems, problemsOf } from "../../validation/problems.ts";
import { COMPONENT } from "../openapi/components.ts";
import { RequestFault } from "../request-fault.ts";
import { authorOf, inputOf } from "./calls.ts";
import { sets, tells } from "./describe.ts";

/** Far enough for every card to expire, near enough for all arithmetic of dates. */
const LATEST = new Date("2200-01-01T00:00:00Z");

const Now = Type.Object({ now: Timestamp }, { [COMPONENT]: "Clock", additionalProperties: false });
export const ClockChange = Type.Object({
  now: {
    ...Timestamp,
    description: "The time to move to: not before the clock's present time, and before the year 2200.",
    examples: ["2031-03-03T15:00:00Z"],
  },
});

const READ = tells(
  { summary: "Read the sandbox's clock", description: "Sandbox only. Everything with a time follows this clock." },
  Now,
);
const MOVE = sets(
  {
    summary: "Move the sandbox's clock forward",
    description: "Sandbox only. Responds after everything that fell due on the way has run, in order.",
  },
  "ClockChange",
  Now,
);

export function clockRoutes(app: FastifyInstance, office: Backoffice, time: SandboxTime): void {
  const now = () => ({ now: timestamp(time.now()) });
  app.get("/clock", { schema: READ }, async () => now());
  app.post("/clock", { schema: MOVE }, async (request, reply) => {
    const input = inputOf(ClockChange, request, reply);
    const problems = problemsOf(ClockChange, input);
    if (!noProblems(problems)) throw new RequestFault(422, problems);
    const instant = new Date((input as { now: string }).now);
    if (!(instant < LATEST)) throw new RequestFault(422, { now: ["must be before the year 2200"] });
    const before = now();
    if (!(await time.moveTo(instant)))
      throw new RequestFault(422, { now: [`must not be before the clock's time, ${now().now}`] });
    const after = now();
    const entry = { action: "clock.change", subject: ["clock", "sandbox"], before, after } as const;
    await audited(office, authorOf(request), async () => ({ result: undefined, entry }));
    return after;
  });
}
