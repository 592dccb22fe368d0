// The sandbox's clock, as the operator reads it. In live mode there is no such path.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Clock } from "../../clock.ts";
import { Timestamp, timestamp } from "../../merchants/fields.ts";
import { tells } from "./describe.ts";

const READ = tells(
  { summary: "Read the sandbox's clock", description: "Sandbox only. All that carries a time follows it." },
  Type.Object({ now: Timestamp }, { additionalProperties: false }),
);

export function clockRoutes(app: FastifyInstance, clock: Clock): void {
  app.get("/clock", { schema: READ }, async () => ({ now: timestamp(clock.now()) }));
}
