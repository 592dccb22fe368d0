// `GET /api/overview`: what a period came to, in one currency.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { lister } from "../journal/search/ask.ts";
import { isCurrency } from "../payment/currency.ts";
import { renderAmount } from "../payment/money.ts";
import { type Charges, type OverviewRequest, overview, STEPS, type Sum } from "../settlement/overview.ts";
import { nullable, Timestamp, timestamp, Uuid } from "../validation/fields.ts";
import { beginningOf, endOf, PERIOD_ENDS } from "../validation/instants.ts";
import { shownName } from "../validation/stray-card-numbers.ts";
import type { BodyTree } from "./body/tree.ts";
import { queryFault } from "./body/urlencoded.ts";
import { callerOf } from "./callers.ts";
import { readerGone, sendHead } from "./long-responses.ts";
import { errors, jsonResponse, type RouteDescription } from "./openapi/responses.ts";
import { RequestFault } from "./request-fault.ts";

const Count = Type.Integer({ minimum: 0 });
const Amount = Type.String({ examples: ["12345.00"] });
const closed = { additionalProperties: false } as const;

const CHARGES = {
  count: {
    ...Count,
    description:
      "Sales and authorizations that a processor was asked for. One that went on after a decline counts once.",
  },
  approved: Count,
  declined: Count,
  unknown: { ...Count, description: "Without an answer, or without one yet." },
  amount: { ...Amount, description: "Of what was approved." },
  approval_rate: nullable(Type.Number(), {
    description: "Approved among approved and declined, from 0 to 1; null where there are neither.",
  }),
};
const SUM = Type.Object({ count: Count, amount: Amount }, closed);

export const OverviewShape = Type.Object(
  {
    currency: Type.String(),
    from: { ...Timestamp, description: "The beginning of its hour." },
    to: { ...Timestamp, description: "The end of its hour: the first instant after the period." },
    as_of: {
      ...Timestamp,
      description:
        "What became known later is not in it yet. `from` while events of the period are still being added up, the newest first.",
    },
    step: Type.Enum([...STEPS], { description: "Of `points`: hours up to three days, days up to 92, then months." }),
    charges: Type.Object(CHARGES, closed),
    captures: SUM,
    voids: SUM,
    refunds: SUM,
    unresolved: { ...Count, description: "Operations without an outcome, now, whatever the period." },
    points: Type.Array(
      Type.Object(
        { at: Timestamp, ...CHARGES, refunded: Amount },
        { ...closed, description: "Steps with events only." },
      ),
    ),
    declines: Type.Array(
      Type.Object(
        { code: Type.String(), category: nullable(Type.String(), {}), message: Type.String(), count: Count },
        { ...closed, description: "Declined charges by the processor's code, the most first, fifty at most." },
      ),
    ),
    processors: Type.Array(
      Type.Object(
        { id: Uuid, ...CHARGES },
        { ...closed, description: "All that each was asked, also where a charge went on to another one." },
      ),
    ),
    brands: Type.Array(Type.Object({ brand: Type.String(), ...CHARGES }, closed)),
  },
  { ...closed, $id: "Overview", description: "What a period came to, in one currency." },
);

const DESCRIPTION: RouteDescription = {
  summary: "Show what a period came to",
  description:
    "Charges, approvals, declines by reason, refunds; over time, by processor record and by brand. Events count at the time at which they were created, by whole hours. An unknown parameter is an error.",
  tags: ["Ledger"],
  querystring: Type.Object({
    from: Type.String({ description: "The first instant (UTC): a day, or `Y-m-d H:i:s`.", examples: ["2031-05-01"] }),
    to: Type.String({ description: "The last instant, included: a whole day, or a second.", examples: ["2031-05-31"] }),
    currency: Type.String({ description: "ISO 4217.", examples: ["USD"] }),
  }),
  response: {
    200: jsonResponse("The overview.", Type.Object({ overview: Type.Ref("Overview") }, closed)),
    ...errors(400, 401, 403, 422, 429, 500, 503),
  },
};

export function overviewRoute(app: FastifyInstance, pool: Sql, clock: { readonly now: () => Date }): void {
  app.get("/overview", { config: { scope: "read", heavy: true }, schema: DESCRIPTION }, async (request, reply) => {
    const asked = { ...parseOverview(request.query as BodyTree), merchantId: callerOf(request).merchantId };
    if (request.method === "HEAD") return sendHead(reply);
    const asker = lister(pool, asked.merchantId, readerGone(reply));
    const { asOf, points, charges, captures, voids, refunds, processors, brands, ...rest } = await overview(
      asker,
      asked,
      clock.now(),
    );
    return {
      overview: {
        ...{ currency: asked.currency, from: timestamp(asked.from), to: timestamp(asked.before) },
        ...{ as_of: timestamp(asOf), ...rest, charges: shown(charges) },
        ...{ captures: sum(captures), voids: sum(voids), refunds: sum(refunds) },
        points: points.map((one) => ({ at: timestamp(one.at), ...shown(one), refunded: renderAmount(one.refunded) })),
        processors: processors.map((one) => ({ id: one.id, ...shown(one) })),
        brands: brands.map((one) => ({ brand: one.brand, ...shown(one) })),
      },
    };
  });
}

const shown = ({ count, approved, declined, unknown, amount }: Charges) => {
  const decided = approved + declined;
  const approval_rate = decided === 0 ? null : Math.round((approved / decided) * 10_000) / 10_000;
  return { count, approved, declined, unknown, amount: renderAmount(amount), approval_rate };
};
const sum = ({ count, amount }: Sum) => ({ count, amount: renderAmount(amount) });

const HOUR_MS = 3_600_000;

function parseOverview(query: BodyTree): Omit<OverviewRequest, "merchantId"> {
  const fault = queryFault(query);
  if (fault) throw fault;
  const problems: Record<string, string[]> = {};
  const { from, to, currency, ...others } = query;
  for (const name of Object.keys(others)) problems[shownName(name)] = ["is unknown; use from, to or currency"];
  const read = (name: string, value: unknown, instantOf: (text: string) => Date | undefined) => {
    const found = typeof value === "string" ? instantOf(value) : undefined;
    if (found === undefined) problems[name] = [`${value === undefined ? "is required:" : "must be"} ${PERIOD_ENDS}`];
    return found;
  };
  const [first, last] = [read("from", from, beginningOf), read("to", to, endOf)];
  if (first && last && last < first) problems.to = ["must not be before from"];
  const isOne = typeof currency === "string" && isCurrency(currency);
  if (!isOne) problems.currency = ["must be an ISO 4217 code in capitals, such as USD"];
  if (!isOne || !first || !last || Object.keys(problems).length > 0) throw new RequestFault(422, problems);
  const hour = (instant: Date, more: number) => new Date((Math.floor(instant.getTime() / HOUR_MS) + more) * HOUR_MS);
  return { currency, from: hour(first, 0), before: hour(last, 1) };
}
