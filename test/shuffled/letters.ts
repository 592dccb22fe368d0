// The webhooks that hosts hold back, with the transaction of each, and how they are delivered at last: in order and once, or shuffled and
// several times.

import { type Message, messageOf } from "../../hosts/adyen/webhooks.ts";
import { signed } from "../../hosts/stripe/webhooks.ts";
import { HMAC_KEY } from "../conformance/adyen-subject.ts";
import { WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import type { Receiver } from "../receiver.ts";
import type { Chance } from "../simulation/chance.ts";
import type { Kind, Shop } from "./stories.ts";

export interface Letter {
  readonly kind: Kind;
  readonly transaction: string;
  /** As it is sent now. */
  readonly message: () => Message;
}

/** @param held what the Stripe host sent, to nobody that reads it */
export const lettersOf = ({ adyen, stripe }: Shop, held: Receiver): readonly Letter[] => [
  ...adyen.items().map((item) => ({
    kind: "adyen" as const,
    transaction: item.merchantReference.slice(0, UUID_LENGTH),
    message: () => messageOf(item, HMAC_KEY),
  })),
  ...held.received.map(({ body }) => ({
    kind: "stripe" as const,
    transaction: transactionIn(body, (payment) => stripe.ledger.state.payments.get(payment)?.metadata),
    message: () => signed(Buffer.from(body), WEBHOOK_SECRET, new Date()),
  })),
];

const UUID_LENGTH = 36;

/** Disputes name only the payment. */
function transactionIn(body: string, metadataOf: (payment: string) => Metadata | undefined): string {
  const { metadata, payment_intent } = JSON.parse(body).data.object as { metadata: Metadata; payment_intent?: string };
  const found = metadata.faregate_transaction ?? metadataOf(payment_intent ?? "")?.faregate_transaction;
  if (found === undefined) throw new Error(`the host tells of nobody's transaction: ${body}`);
  return found;
}
type Metadata = Readonly<Record<string, string>>;

/** Each once at least, as many as wished in all, in an order that chance decides. */
export function shuffled(letters: readonly [Letter, ...Letter[]], wished: number, chance: Chance): readonly Letter[] {
  const copies = Array.from({ length: Math.max(0, wished - letters.length) }, () => chance.pick(letters));
  return [...letters, ...copies]
    .map((letter) => ({ letter, at: chance.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ letter }) => letter);
}

const AT_ONCE = 16;

/** @param post sends one, and resolves when it was answered */
export async function deliver(letters: readonly Letter[], post: (letter: Letter) => Promise<void>): Promise<void> {
  const left = letters.values();
  const sender = async () => {
    for (const letter of left) await post(letter);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
}
