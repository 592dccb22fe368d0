// All that is wrong with a charge, told at once: beside the fields that their schema refuses, what the fares add up to, and
// what the processor records demand.

import type { Parts } from "../gateway/parts.ts";
import { parseCardNumber } from "../payment/card.ts";
import { cardBrand } from "../payment/card-brand.ts";
import { parseAmount, renderAmount, sum } from "../payment/money.ts";
import { refuse } from "../payment/refusal.ts";
import { chooseProcessor, type Routable } from "../payment/routing.ts";
import type { StoredCard } from "../payment/stored-card.ts";
import type { Problems } from "../validation/problems.ts";
import { refusalFault } from "./refusal-responses.ts";
import { RequestFault } from "./request-fault.ts";
import type { ChargeFields } from "./schema/charge.ts";

type Fields = Partial<ChargeFields>;

export class WrongCharge extends RequestFault {
  /** What of it can be read. */
  readonly fields: Fields;

  constructor(problems: Problems, fields: Fields) {
    super(422, problems);
    this.fields = fields;
  }
}

/** Known as soon as the amount and all fares can be read. */
export function fareSum({ amount, passenger_transport: passengers }: Fields): Problems {
  if (amount === undefined || !Array.isArray(passengers)) return {};
  const legs = passengers.map((passenger) => passenger?.legs);
  if (legs.length === 0 || !legs.every((some) => Array.isArray(some) && some.length > 0)) return {};
  const total = parseAmount(String(amount));
  const fares = legs.flat().map((leg) => parseAmount(String(leg?.fare)));
  const read = fares.flatMap((fare) => (fare.ok ? [fare.amount] : []));
  const whole = sum(read);
  if (!total.ok || read.length < fares.length || whole === total.amount) return {};
  return { amount: [`must be the sum of all fares, ${renderAmount(whole)}, but is ${renderAmount(total.amount)}`] };
}

/** As languages write a binary float with all its digits. */
const BINARY_FLOAT = /^\d+\.\d{13,}$/;

/** With a hint at the cause, which is hard to find: `3.56` was sent as 3.5600000000000001. */
export function exactAmount(problems: Problems, { amount }: Fields): Problems {
  const [text] = problems.amount ?? [];
  if (text === undefined || typeof amount !== "string" || !BINARY_FLOAT.test(amount)) return {};
  return { amount: [`${text}. This is a binary float: send a text, or in PHP set serialize_precision to -1`] };
}

/** The same fault, with what the records demand besides. What is wrong with a field by itself is told first. */
export async function withDemands(parts: Parts, merchantId: string, fault: WrongCharge): Promise<RequestFault> {
  if (fault.messages.processor_id !== undefined) return fault;
  const stored = await storedCardOf(parts, merchantId, fault);
  if (stored === null) {
    const { messages, headers } = refusalFault(refuse("stored-card-unknown", "card_id"));
    return new RequestFault(422, { ...messages, ...fault.messages }, headers);
  }
  const choice = chooseProcessor(routable(fault, stored), await parts.processors.of(merchantId), ANY);
  if (choice.kind === "route") return fault;
  const { messages, headers } = refusalFault(choice);
  return new RequestFault(422, { ...messages, ...fault.messages }, headers);
}

/** Whichever would be drawn: asked is only whether one can. */
const ANY = { chance: () => 0 };

/** The card on file that was named; null: there is none with that id. */
async function storedCardOf(parts: Parts, merchantId: string, { fields, messages }: WrongCharge) {
  if (typeof fields.card_id !== "string" || messages.card_id !== undefined) return undefined;
  return (await parts.storedCards.find(merchantId, fields.card_id.toLowerCase())) ?? null;
}

/** What is wrong itself is left out; of an unknown card no brand is asked for. */
function routable({ fields, messages }: WrongCharge, stored: StoredCard | undefined): Routable {
  const right = <Name extends keyof Fields>(name: Name) => (messages[name] === undefined ? fields[name] : undefined);
  const number = parseCardNumber(right("card_number") ?? "");
  return {
    processorId: right("processor_id")?.toLowerCase(),
    currency: right("currency"),
    brand: stored?.card.brand ?? (number === undefined ? "unknown" : cardBrand(number)),
    hasCvv: fields.card_cvv !== undefined,
    firstName: fields.first_name ?? stored?.cardholder.first_name,
    lastName: fields.last_name ?? stored?.cardholder.last_name,
    documentNumber: fields.document_number,
    amounts: [],
    threeDSecure: null,
    passengers: 0,
    number,
    country: undefined,
    meta: null,
    ...(right("initiator") === "merchant" && { initiation: { initiator: "merchant" as const } }),
  };
}
