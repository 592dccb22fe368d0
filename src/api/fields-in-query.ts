// Fields of a follow-up that stand in its address. Nobody reads the query of a POST, so an amount there would be taken for none, and
// that for all that remains (decision R4). Whatever else clients append stays unread.

import { type BodyTree, isEmpty } from "./body/tree.ts";
import { lacksNameInQuery, missedAt } from "./missed-amount.ts";
import type { FaultMessages } from "./request-fault.ts";

const FIELDS = ["amount", "passenger_transport"];
const TEXT = "was sent in the query, which is not read: send it in the body";

/** @param url with its query, which need not be one that can be read as a tree */
export function fieldsInQuery(url: string, { amount }: BodyTree): FaultMessages {
  const start = url.indexOf("?");
  if (start === -1) return {};
  const fields = [...new URLSearchParams(url.slice(start))].map(([name, value]) =>
    fieldMeantBy(name, value, isEmpty(amount)),
  );
  return Object.fromEntries(fields.filter((field) => field !== undefined).map((field) => [field, [TEXT]]));
}

/** By the body's own amount, a name that only looks like it is harmless. */
function fieldMeantBy(name: string, value: string, lacksAmount: boolean): string | undefined {
  // `passenger_transport[0][amount]`
  const [first = "", ...inner] = name.split(/[[\]]+/);
  const field = FIELDS.find((known) => known === first.toLowerCase());
  if (field !== undefined || !lacksAmount) return field;
  const looksLikeAmount =
    lacksNameInQuery(name, value) || [first, ...inner].some((part) => missedAt([part], value) !== undefined);
  return looksLikeAmount ? "amount" : undefined;
}
