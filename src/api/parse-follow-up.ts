// The body of a capture, void, refund or reversal. The rules are not asked here. A missing amount means all that
// remains, so an amount that only looks missing is refused.

import type { FollowUpRequest } from "../payment/follow-up.ts";
import { noProblems } from "../validation/problems.ts";
import { type BodyTree, isEmpty } from "./body/tree.ts";
import { checker } from "./check.ts";
import { missedAmount } from "./missed-amount.ts";
import { amountOf, type Parsed, withoutEmptyList } from "./parse-charge.ts";
import { type FaultMessages, RequestFault } from "./request-fault.ts";
import { FollowUpBody, ReversalBody } from "./schema/follow-up.ts";
import { WrongFollowUp } from "./wrong-follow-up.ts";

export interface FollowUpInput extends FollowUpRequest {
  readonly ipAddress: string | null;
}

const checkFollowUp = checker(FollowUpBody);
const checkReversal = checker(ReversalBody);

/** @param inQuery what is wrong because it stands in the address */
export function parseFollowUp(body: BodyTree, inQuery: FaultMessages = {}): Parsed<FollowUpInput> {
  const { value, problems, ignored } = checkFollowUp(withoutEmptyList(body));
  const wrong = {
    ...missedAmount(body, ignored),
    ...emptyAmount(body),
    ...problems,
    ...inQuery,
  };
  if (!noProblems(wrong)) throw new WrongFollowUp(wrong, value);
  const shares = value.passenger_transport?.map((share) => ({
    passengerId: share.passenger_id.toLowerCase(),
    amount: amountOf(share.amount),
  }));
  const amount = value.amount === undefined ? undefined : amountOf(value.amount);
  return { request: { amount, currency: value.currency, shares, ipAddress: value.ip_address ?? null }, ignored };
}

export interface ReversalInput {
  readonly currency: string | undefined;
  readonly ipAddress: string | null;
  /** What is wrong with it where the transaction is there; of one that is not, nothing else is told. */
  readonly problems: FaultMessages;
}

export function parseReversal(body: BodyTree, inQuery: FaultMessages = {}): Parsed<ReversalInput> {
  const { value, problems, ignored } = checkReversal(body);
  const wrong = { ...missedAmount(body, ignored), ...problems, ...inQuery };
  if (!noProblems(wrong)) throw new RequestFault(422, wrong);
  return {
    request: {
      ...{ currency: value.currency, ipAddress: value.ip_address ?? null },
      problems: partsOfReversal(withoutEmptyList(body)),
    },
    ignored: ignored.filter((name) => !NOT_OF_REVERSALS.includes(name)),
  };
}

/** Decision R2: everywhere else what is empty is absent. */
const emptyAmount = ({ amount }: BodyTree): FaultMessages =>
  amount === "" || amount === null
    ? { amount: ["must not be empty: name an amount, or leave the field out for all that remains"] }
    : {};

/** Refused unless they are empty, so never ignored. */
const NOT_OF_REVERSALS: readonly string[] = ["amount", "passenger_transport"];

/** Decision R12: to give back more than was asked for is worse than an error. */
const partsOfReversal = (body: BodyTree): FaultMessages =>
  Object.fromEntries(
    NOT_OF_REVERSALS.filter((field) => !isEmpty(body[field])).map((field) => [
      field,
      ["must be left out: a reversal gives back all that is left"],
    ]),
  );
