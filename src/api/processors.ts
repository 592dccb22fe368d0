// `GET /api/processors`: the records that a merchant may name in a charge, and what each demands.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Parts } from "../gateway/parts.ts";
import { CARD_BRANDS } from "../payment/card-brand.ts";
import { nullable, Timestamp, timestamp } from "../validation/fields.ts";
import { callerOf } from "./callers.ts";
import { COMPONENT } from "./openapi/components.ts";
import { errors, jsonResponse, type RouteDescription } from "./openapi/responses.ts";

const ProcessorShape = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "To be named as `processor_id`." }),
    name: Type.String({ description: "As the operator named it.", examples: ["Acquirer"] }),
    kind: Type.String({ description: "The protocol it speaks.", examples: ["simulator"] }),
    currency: Type.String({ description: "ISO 4217; of all its charges.", examples: ["USD"] }),
    enabled: Type.Boolean({ description: "Takes charges." }),
    in_rotation: Type.Boolean({ description: "May be drawn when a charge names no processor." }),
    requires: Type.Object(
      {
        cvv: Type.Array(Type.Enum([...CARD_BRANDS]), { description: "Brands whose charges must carry a CVV." }),
        names: Type.Boolean({ description: "First and last name of two characters or more." }),
        document: Type.Boolean({ description: "A CPF or CNPJ." }),
      },
      { additionalProperties: false, description: "Fields that its charges must have in addition." },
    ),
    failing_since: nullable(Timestamp, {
      description:
        "Since when it is out of the draw because charges fail there, as the gateway sees it that responds. Charges that name " +
        "it are sent to it all the same. Null: it is not.",
    }),
  },
  {
    [COMPONENT]: "AvailableProcessor",
    additionalProperties: false,
    description: "A processor record that charges may name.",
  },
);

const DESCRIPTION: RouteDescription = {
  summary: "List the merchant's processors",
  description: "Those that a charge may name as `processor_id`, and which fields each demands.",
  tags: ["Processors"],
  response: {
    200: jsonResponse(
      "All processor records of the merchant.",
      Type.Object({ processors: Type.Array(ProcessorShape) }, { additionalProperties: false }),
    ),
    ...errors(401, 403, 422, 429, 500, 503),
  },
};

export function processorRoutes(
  app: FastifyInstance,
  { processors, failing }: Pick<Parts, "processors" | "failing">,
): void {
  app.get("/processors", { config: { scope: "read" }, schema: DESCRIPTION }, async (request) => {
    const atWork = await processors.of(callerOf(request).merchantId);
    return {
      processors: atWork.map(({ record: { id, name, kind, currency, enabled, inRotation, requires } }) => ({
        id,
        name,
        kind,
        currency,
        enabled,
        in_rotation: inRotation,
        requires,
        failing_since: shown(failing.since(id)),
      })),
    };
  });
}

const shown = (since: Date | undefined): string | null => (since === undefined ? null : timestamp(since));
