// What the operator's routes have in common in the OpenAPI document.

import Type, { type TSchema } from "typebox";
import { Uuid } from "../../validation/fields.ts";
import { header, ignoredFields, type RouteDescription, tellsHow } from "../openapi/responses.ts";
import { PageQuery } from "./calls.ts";

const ERRORS: Readonly<Record<number, string>> = {
  400: "The body or the query does not parse.",
  401: "No valid operator token: missing, wrong or revoked.",
  404: "Nothing has this id.",
  409: "A record with this id is there, and it is not what the request would create; the fields that differ are named.",
  413: "The body is larger than 64 KiB.",
  415: "The body's media type is not one of the three.",
  422: "A field is wrong, or the address holds a card number; all wrong fields are named.",
  429: "Too many failed authentications from this address, too many requests of a person, or too many exports at once.",
  500: "Something broke; `fatal` carries an id that the log has too.",
  503: "The database is out of reach, or too many requests wait.",
};
const OF_EVERY_ROUTE = [401, 422, 429, 500, 503];
const OF_BODIES = [400, 413, 415];

const RETRY_AFTER = { "Retry-After": header("integer", "Seconds to wait.") };

const headersOf = (status: number, statuses: readonly number[]) => ({
  ...(status === 401 && tellsHow),
  ...([429, 503].includes(status) && RETRY_AFTER),
  // What comes after the body was read: 415 tells that there is one.
  ...([404, 409, 422, 500, 503].includes(status) && statuses.includes(415) && ignoredFields),
});

const errors = (...statuses: readonly number[]) =>
  Object.fromEntries(
    [...statuses, ...OF_EVERY_ROUTE].map((status) => [
      status,
      {
        description: ERRORS[status],
        headers: headersOf(status, statuses),
        content: { "application/json": { schema: Type.Ref("ApiError") } },
      },
    ]),
  );

const COMMON = { tags: ["Operator"], security: [{ operatorToken: [] }] };

const idOf = (what: string) => Type.Object({ id: { ...Uuid, description: `The ${what}'s \`id\`.` } });

/** `{"merchant": …}` */
const named = (name: string, shape: string) =>
  Type.Object({ [name]: Type.Ref(shape) }, { additionalProperties: false });

const json = (description: string, schema: TSchema, headers?: object) => ({
  description,
  ...(headers && { headers }),
  content: { "application/json": { schema } },
});

interface Route {
  readonly summary: string;
  readonly description?: string;
  /** Whose id the path holds. */
  readonly of?: string;
}

const common = ({ summary, description, of }: Route) => ({
  summary,
  ...(description !== undefined && { description }),
  ...COMMON,
  ...(of !== undefined && { params: idOf(of) }),
});

/**
 * @param shown the name that the record has in the response, and its component
 * @param existing its component where it was created before: without what is shown once; null: it is given no id, and created each time
 */
export const creates = (
  route: Route,
  body: string,
  shown: readonly [string, string],
  existing: string | null = shown[1],
): RouteDescription => ({
  ...common(route),
  body: Type.Ref(body),
  response: {
    ...(existing !== null && {
      200: json("The same request created it before. Nothing was done.", named(shown[0], existing), ignoredFields),
    }),
    201: json("Created.", named(...shown), ignoredFields),
    ...errors(...OF_BODIES, ...(existing === null ? [] : [409]), ...(route.of ? [404] : [])),
  },
});

export const changes = (route: Route, body: string, shown: readonly [string, string]): RouteDescription => ({
  ...common(route),
  body: Type.Ref(body),
  response: { 200: json("As it is now.", named(...shown), ignoredFields), ...errors(...OF_BODIES, 404) },
});

/** One record, looked up or changed without a body. */
export const shows = (route: Route, shown: readonly [string, string]): RouteDescription => ({
  ...common(route),
  response: { 200: json("As it is now.", named(...shown)), ...errors(404) },
});

export const lists = (route: Route, [name, shape]: readonly [string, string]): RouteDescription => ({
  ...common({
    ...route,
    description: `${route.description ?? ""} Oldest first. Ask again with \`after\` until a list is empty.`.trim(),
  }),
  querystring: PageQuery,
  response: {
    200: json(
      "A page of the list.",
      Type.Object({ [name]: Type.Array(Type.Ref(shape)) }, { additionalProperties: false }),
    ),
    ...errors(400, ...(route.of ? [404] : [])),
  },
});

/** A list with parameters of its own, or without any. */
export const findsMany = (
  route: Route,
  [name, shape]: readonly [string, string],
  querystring?: TSchema,
): RouteDescription => ({
  ...common(route),
  ...(querystring && { querystring }),
  response: {
    200: json(
      "A page of the list.",
      Type.Object({ [name]: Type.Array(Type.Ref(shape)) }, { additionalProperties: false }),
    ),
    ...errors(...(querystring ? [400] : []), 404),
  },
});

export const ends = (route: Route): RouteDescription => ({
  ...common(route),
  response: { 204: { description: "Done, now or before.", type: "null" }, ...errors(404) },
});

export const sets = (route: Route, body: string, shown: TSchema): RouteDescription => ({
  ...common(route),
  body: Type.Ref(body),
  response: {
    200: json("As it is now.", shown, ignoredFields),
    ...errors(...OF_BODIES, ...(route.of ? [404] : [])),
  },
});

export const givesCsv = (route: Route & { readonly querystring?: TSchema }): RouteDescription => ({
  ...common(route),
  ...(route.querystring && { querystring: route.querystring }),
  response: {
    200: { description: "All of it.", content: { "text/csv": { schema: Type.String() } } },
    ...errors(400, 404),
  },
});

/** One record with a page of what belongs to it. */
export const showsPaged = (route: Route, schema: TSchema, querystring: TSchema): RouteDescription => ({
  ...common(route),
  querystring,
  response: { 200: json("As it is now.", schema), ...errors(400, 404) },
});

export const tells = (route: Route, schema: TSchema, querystring?: TSchema): RouteDescription => ({
  ...common(route),
  ...(querystring && { querystring }),
  response: { 200: json("As it is now.", schema), ...errors(...(querystring ? [400] : [])) },
});
