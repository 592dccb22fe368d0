// Turns what the gateway's routes say of themselves into an OpenAPI document that any client understands, and adds what
// the OpenAPI plugin cannot know: the operations' names, the components inside of others, whole requests.

import { type Components, componentsBesides, nameOf } from "./components.ts";
import { OPERATION_IDS } from "./operation-ids.ts";
import { type Json, mapped, publishSchema, REQUESTS } from "./publish-schema.ts";
import { WEBHOOK_CALLS } from "./webhooks.ts";

interface Media {
  readonly schema?: Json;
}
interface Parameter {
  readonly example?: unknown;
  readonly schema: Json;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}
interface Response {
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Json>> };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Where webhook endpoints are made: the gateway calls them from then on. */
const WEBHOOKS_PATH = "/operator/merchants/{id}/webhooks";

export function publish(document: object): object {
  const { components = {}, paths = {}, ...rest } = document as Document;
  const schemas = components.schemas ?? {};
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const taken = new Set(
    operations.flatMap(({ requestBody }) =>
      Object.values(requestBody?.content ?? {}).map(({ schema }) => nameOf(schema)),
    ),
  );
  const named = componentsBesides(schemas);
  const published = {
    schemas: mapped(schemas, (schema, name) => publishSchema(schema, taken.has(name) ? "request" : "response", named)),
    paths: mapped(paths, (methods, path) =>
      mapped(methods, (operation, method) => ({
        operationId: OPERATION_IDS[`${method.toUpperCase()} ${path}`],
        ...publishOperation(operation, schemas, named),
        ...(path === WEBHOOKS_PATH && method === "post" && { callbacks: WEBHOOK_CALLS }),
      })),
    ),
  };
  return {
    ...rest,
    components: { ...components, schemas: { ...published.schemas, ...named.all() } },
    paths: published.paths,
  };
}

/** In every response, whatever the operation. */
const REQUEST_ID = {
  "X-Request-Id": {
    description: "The id of this request: the one that was sent, or a new one. The gateway's log has it.",
    schema: { type: "string" },
  },
};

function publishOperation(
  operation: Operation,
  schemas: Readonly<Record<string, Json>>,
  components: Components,
): object {
  const { parameters, requestBody, responses } = operation;
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map((parameter) => publishParameter(parameter, components)) }),
    ...(requestBody && { requestBody: publishBody(requestBody.content, schemas) }),
    responses: mapped(responses, (response) => ({
      ...response,
      headers: { ...REQUEST_ID, ...response.headers },
      ...(response.content && {
        content: mapped(response.content, ({ schema = {}, ...media }) => ({
          ...media,
          schema: components.referWrapped(publishSchema(schema, "response", components)),
        })),
      }),
    })),
  };
}

/** Viewers fill a parameter's own example in, so that a list that is tried out there would be a filtered one. */
function publishParameter({ example, ...parameter }: Parameter, components: Components): object {
  const schema = publishSchema(parameter.schema, "request", components);
  return { ...parameter, schema: example === undefined ? schema : { ...schema, examples: [example] } };
}

/** Besides JSON. Of several media types many generators take the first, the last, or all of them at once. */
const FORMS = {
  description:
    "As JSON. The gateway also takes the same fields as a form (`x-also-accepted`); in forms brackets nest: `passenger_transport[0][legs][1][fare]`.",
  "x-also-accepted": ["application/x-www-form-urlencoded", "multipart/form-data"],
};

/** The plugin says of every body that it is required; one that may have no field may be left out. */
function publishBody(content: Readonly<Record<string, Media>>, schemas: Readonly<Record<string, Json>>): object {
  const body = schemas[nameOf(content["application/json"]?.schema)];
  const examples = body?.[REQUESTS] as Json | undefined;
  return {
    ...FORMS,
    required: body?.required !== undefined || body?.minProperties !== undefined,
    content: mapped(content, (media, type) => ({
      ...media,
      ...(examples && type === "application/json" && { examples: mapped(examples, (value) => ({ value })) }),
    })),
  };
}
