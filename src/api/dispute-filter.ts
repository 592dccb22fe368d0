// What lists of disputes can be narrowed by, for merchants and operators: the parameters, and what they mean.

import Type from "typebox";
import { DISPUTE_STATUSES } from "../merchants/disputes/dispute-schema.ts";
import type { DisputeFilter } from "../merchants/disputes/list.ts";
import { DISPUTE_OUTCOMES, DISPUTE_STAGES } from "../payment/dispute.ts";
import { Uuid } from "../validation/fields.ts";
import { beginningOf, endOf, PERIOD_ENDS } from "../validation/instants.ts";
import { RequestFault } from "./request-fault.ts";

const time = (description: string) => Type.Optional(Type.String({ description, examples: ["2031-05-31"] }));

export const DISPUTE_QUERY = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Default 1.", examples: [1] })),
  transaction_id: Type.Optional({ ...Uuid, description: "Only this transaction's." }),
  processor_id: Type.Optional({ ...Uuid, description: "Only this processor record's." }),
  stage: Type.Optional(Type.Enum([...DISPUTE_STAGES], { description: "Only those at this stage." })),
  status: Type.Optional(Type.Enum([...DISPUTE_STATUSES], { description: "Only those with this status." })),
  outcome: Type.Optional(Type.Enum([...DISPUTE_OUTCOMES], { description: "Only those that ended so." })),
  created_at_gte: time("Known to the gateway from this day or time (UTC) on."),
  created_at_lte: time("Known to the gateway up to this day or time (UTC), included."),
  updated_at_gte: time("Changed at this day or time (UTC) or since."),
  respond_by_lte: time("Waiting for a response that is due by this day or time (UTC), included."),
};

/** @throws RequestFault for what is no time */
export function disputeFilterOf(
  query: Type.Static<Type.TObject<typeof DISPUTE_QUERY>>,
): DisputeFilter & { readonly page: number } {
  const problems: Record<string, string[]> = {};
  const { page = 1, transaction_id: transactionId, processor_id: processorId, stage, status, outcome } = query;
  const filter = {
    ...{ page, transactionId, processorId, stage, status, outcome },
    createdFrom: instant("created_at_gte", beginningOf),
    createdTo: instant("created_at_lte", endOf),
    updatedFrom: instant("updated_at_gte", beginningOf),
    dueBy: instant("respond_by_lte", endOf),
  };
  if (Object.keys(problems).length > 0) throw new RequestFault(422, problems);
  return filter;

  function instant(
    name: "created_at_gte" | "created_at_lte" | "updated_at_gte" | "respond_by_lte",
    read: (text: string) => Date | undefined,
  ): Date | undefined {
    const text = query[name];
    const found = text === undefined ? undefined : read(text);
    if (text !== undefined && found === undefined) problems[name] = [`must be ${PERIOD_ENDS}`];
    return found;
  }
}
