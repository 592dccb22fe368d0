// The operator's routes on processor records. Secrets among their settings go in and never come out.

import type { FastifyInstance } from "fastify";
import Type, { type TObject, type TSchema } from "typebox";
import type { Backoffice } from "../../merchants/backoffice.ts";
import { NewProcessor, ProcessorChange } from "../../merchants/processor-schema.ts";
import { changeProcessor, createProcessor, findProcessor, listProcessors } from "../../merchants/processors.ts";
import type { BodyTree } from "../body/tree.ts";
import { authorOf, createdOf, found, inputOf, outcomeOf, pageOf } from "./calls.ts";
import { changes, creates, lists, shows } from "./describe.ts";

type WithId = { Params: { id: string } };

const PROCESSOR = ["processor", "Processor"] as const;

/** @param changed told of the merchant whose records are others now, before it is answered */
export function processorRecordRoutes(
  app: FastifyInstance,
  office: Backoffice,
  changed: (merchantId: string) => Promise<void>,
): void {
  const ofMerchant = "/merchants/:id/processors";

  const create = creates(
    {
      summary: "Create a processor record",
      description: "Charges of the merchant can go to it at once.",
      of: "merchant",
    },
    "ProcessorFields",
    PROCESSOR,
  );
  app.post<WithId>(ofMerchant, { schema: create }, async (request, reply) => {
    const { kind } = request.body as BodyTree;
    const schema = withSettings(NewProcessor, settingsOf(office, kind));
    const input = inputOf(schema, request, reply);
    const processor = createdOf(await createProcessor(office, authorOf(request), request.params.id, input), reply);
    await changed(processor.merchant_id);
    return { processor };
  });

  const list = lists({ summary: "List a merchant's processor records", of: "merchant" }, ["processors", "Processor"]);
  app.get<WithId>(ofMerchant, { config: { ownRecord: "merchant" }, schema: list }, async (request) => ({
    processors: found("merchant", await listProcessors(office, request.params.id, pageOf(request))),
  }));

  const find = shows(
    { summary: "Look a processor record up", description: "Secrets among its settings show as dots.", of: "processor" },
    PROCESSOR,
  );
  app.get<WithId>("/processors/:id", { config: { ownRecord: "processor" }, schema: find }, async ({ params }) => ({
    processor: found("processor", await findProcessor(office, params.id)),
  }));

  const change = changes(
    {
      summary: "Change a processor record",
      description:
        "What captured money before a change of the schedule keeps the times it was captured under. " +
        "Applies on every node within a second.",
      of: "processor",
    },
    "ProcessorChange",
    PROCESSOR,
  );
  app.patch<WithId>("/processors/:id", { schema: change }, async (request, reply) => {
    const { id } = request.params;
    const { kind } = found("processor", await findProcessor(office, id));
    const input = inputOf(withSettings(CHANGE, removable(settingsOf(office, kind))), request, reply);
    const processor = outcomeOf(await changeProcessor(office, authorOf(request), id, input));
    await changed(processor.merchant_id);
    return { processor };
  });
}

/** What is fixed for good may be named as it is; anything else is refused where records are changed. */
const FIXED = { kind: Type.String(), currency: Type.String(), merchant_id: Type.String() };
const CHANGE = Type.Object({ ...ProcessorChange.properties, ...FIXED });

const settingsOf = ({ kinds }: Backoffice, kind: unknown): TObject | undefined =>
  typeof kind === "string" ? kinds.get(kind)?.settingsSchema : undefined;

/** So that a number in a form becomes one: which settings are numbers, the record's kind knows. */
const withSettings = (schema: TObject, settings: TObject | undefined): TObject =>
  settings === undefined ? schema : Type.Object({ ...schema.properties, settings });

/** Null takes a setting away. */
function removable(settings: TObject | undefined): TObject | undefined {
  if (settings === undefined) return undefined;
  const properties = Object.entries(settings.properties as Record<string, TSchema>);
  const orNull = properties.map(([name, schema]) => [name, Type.Union([schema, Type.Null()])]);
  return Type.Object(Object.fromEntries(orNull), { additionalProperties: false });
}
