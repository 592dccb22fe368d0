// The body of a capture, void, refund or reversal. Whether the rules allow it is not asked here.

import type { FollowUpRequest } from "../payment/follow-up.ts";
import type { BodyTree } from "./body/tree.ts";
import { checker } from "./check.ts";
import { amountOf, type Parsed } from "./parse-charge.ts";
import { RequestFault } from "./request-fault.ts";
import { FollowUpBody, ReversalBody } from "./schema/follow-up.ts";

export interface FollowUpInput extends FollowUpRequest {
  readonly ipAddress: string | null;
}

const checkFollowUp = checker(FollowUpBody);
const checkReversal = checker(ReversalBody);

export function parseFollowUp(body: BodyTree): Parsed<FollowUpInput> {
  const { value, problems, ignored } = checkFollowUp(body);
  if (Object.keys(problems).length > 0) throw new RequestFault(422, problems);
  const shares = value.passenger_transport?.map((share) => ({
    passengerId: share.passenger_id.toLowerCase(),
    amount: amountOf(share.amount),
  }));
  const amount = value.amount === undefined ? undefined : amountOf(value.amount);
  return { request: { amount, shares, ipAddress: value.ip_address ?? null }, ignored };
}

export function parseReversal(body: BodyTree): Parsed<{ readonly ipAddress: string | null }> {
  const { value, problems, ignored } = checkReversal(body);
  if (Object.keys(problems).length > 0) throw new RequestFault(422, problems);
  return { request: { ipAddress: value.ip_address ?? null }, ignored };
}
