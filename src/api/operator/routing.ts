// The operator's routes on a merchant's routing: its rules, and where a charge would go by them.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Parts } from "../../gateway/parts.ts";
import { tryRoute } from "../../gateway/route-try.ts";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { RoutingTry } from "../../merchants/route-try-schema.ts";
import { changeRouting, findRouting } from "../../merchants/routing.ts";
import { RoutingChange } from "../../merchants/routing-schema.ts";
import { authorOf, found, inputOf, outcomeOf } from "./calls.ts";
import { changes, sets, shows } from "./describe.ts";

type WithId = { Params: { id: string } };

const ROUTING = ["routing", "Routing"] as const;
const ROUTE = Type.Object({ route: Type.Ref("TriedRoute") }, { additionalProperties: false });

/** @param changed told of the merchant whose rules are others now */
export function routingRoutes(
  app: FastifyInstance,
  office: Backoffice,
  { processors, failing }: Pick<Parts, "processors" | "failing">,
  changed: (merchantId: string) => Promise<void>,
): void {
  const path = "/merchants/:id/routing";

  const find = shows(
    {
      summary: "Look up a merchant's routing",
      description:
        "The rules for where charges go that name no processor. Without rules it is drawn among all that can take them.",
      of: "merchant",
    },
    ROUTING,
  );
  app.get<WithId>(path, { config: { ownRecord: "merchant" }, schema: find }, async ({ params }) => ({
    routing: found("merchant", await findRouting(office, params.id)),
  }));

  const change = changes(
    {
      summary: "Change a merchant's routing",
      description:
        "The rules that are sent replace all others, under the next version. Applies on every node within a second.",
      of: "merchant",
    },
    "RoutingChange",
    ROUTING,
  );
  app.patch<WithId>(path, { schema: change }, async (request, reply) => {
    const { id } = request.params;
    const input = inputOf(RoutingChange, request, reply);
    const routing = outcomeOf(await changeRouting(office, authorOf(request), id, input));
    await changed(id.toLowerCase());
    return { routing };
  });

  const attempt = sets(
    {
      summary: "Try a merchant's routing",
      description:
        "Where a charge would go by the rules as they are now, and why. Nothing is charged, and nothing is stored.",
      of: "merchant",
    },
    "RoutingTry",
    ROUTE,
  );
  app.post<WithId>(
    `${path}/try`,
    { config: { ownRecord: "merchant", changesNothing: true }, schema: attempt },
    async (request, reply) => {
      const input = inputOf(RoutingTry, request, reply);
      const isFailing = (processorId: string) => failing.since(processorId) !== undefined;
      return { route: outcomeOf(await tryRoute(office, processors, request.params.id, input, isFailing)) };
    },
  );
}
