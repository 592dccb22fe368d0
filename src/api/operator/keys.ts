// `GET /operator/keys`: the data keys that seal card numbers and processors' secrets, and how much is under each. They are rotated by the
// command line, which alone may need a new master key.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Sql } from "../../journal/database.ts";
import { KEY_STATES, showDataKeys } from "../../merchants/data-keys.ts";
import { nullable, Timestamp, timestamp } from "../../validation/fields.ts";
import { inOperatorsTurn } from "./calls.ts";
import { tells } from "./describe.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const DataKey = Type.Object({
  id: Type.Integer({ minimum: 1, examples: [3] }),
  state: Type.Enum([...KEY_STATES], {
    description:
      "`in use`: seals what is new. `used up`: has sealed as much as one key may. `retiring`: a rotation has not come to its end. " +
      "`retired`: nothing is sealed under it any more.",
  }),
  master_key: Type.String({ description: "The id of the master key that wraps it.", examples: ["9f2c41d07b3e5a68"] }),
  cards: count("Card numbers that are sealed under it."),
  cards_estimated: Type.Boolean({
    description:
      "`true`: there are so many that `cards` is an estimate by a part of them, and may be 0 where there are few. " +
      "`faregate keys list` counts all.",
  }),
  secrets: count("Secrets of processor records that are sealed under it."),
  messages: count("What was sealed under it so far, at most."),
  created_at: Timestamp,
  retired_at: nullable(Timestamp, { description: "When a rotation replaced it; null: it was not." }),
});

const LIST = tells(
  {
    summary: "List the data keys",
    description:
      "Those under which card numbers and secrets of processor records are sealed, oldest first. No key is in it. " +
      "`faregate keys rotate` makes a new one and seals all anew.",
  },
  Type.Object({ keys: Type.Array(Type.Ref("DataKey")) }, { additionalProperties: false }),
);

/** Some hundred thousand sealed numbers are read. */
const HEAVY = { heavy: true } as const;

export function keyRoutes(app: FastifyInstance, { slowReads }: { readonly slowReads: Sql }): void {
  app.get("/keys", { config: HEAVY, schema: LIST }, async (_request, reply) => {
    const keys = await inOperatorsTurn(slowReads, reply, () => showDataKeys(slowReads, false));
    return {
      keys: keys.map((key) => ({
        ...key,
        created_at: timestamp(key.created_at),
        retired_at: key.retired_at && timestamp(key.retired_at),
      })),
    };
  });
}
