// A card that its processor keeps is put on file by the processor's token: the processor is asked what it is, since nobody else knows whether
// there is such a token and what card it stands for.

import type { KeyClaim, StoredResponse } from "../journal/journal.ts";
import type { Consent } from "../payment/consent.ts";
import { keptFrom } from "../payment/instrument.ts";
import { refuse } from "../payment/refusal.ts";
import type { Secret } from "../payment/secret.ts";
import type { Cardholder, StoredCard } from "../payment/stored-card.ts";
import { type CardCaller, type CardsOnFile, keep, type MayStore, replayed, sealedBy } from "./cards-on-file.ts";
import type { Parts } from "./parts.ts";
import type { Result } from "./result.ts";

export interface TokenToStore {
  readonly processorId: string;
  readonly token: Secret<"processor token">;
  readonly customer: string | undefined;
  readonly cardholder: Cardholder;
  readonly consent: Consent | null;
}

interface Tokens extends CardsOnFile {
  readonly parts: CardsOnFile["parts"] & { readonly processors: Pick<Parts["processors"], "of"> };
}

/** @throws CardNotSealed */
export async function storeToken(
  tokens: Tokens,
  caller: CardCaller,
  { processorId, token, customer, cardholder, consent }: TokenToStore,
  claim: KeyClaim | null,
  render: (card: StoredCard) => StoredResponse,
  mayStore: MayStore,
): Promise<Result> {
  const { parts } = tokens;
  const { merchantId, userId } = caller;
  const before = await replayed(tokens, merchantId, claim, render);
  if (before !== undefined) return before;
  const atWork = (await parts.processors.of(merchantId)).find(({ record }) => record.id === processorId);
  if (atWork === undefined) return refuse("processor-unknown", "processor_id");
  if (!atWork.record.enabled) return refuse("processor-disabled", "processor_id");
  const { processor, timeoutMs } = atWork;
  if (processor.describeToken === undefined) return refuse("processor-keeps-no-cards", "processor_id");
  const answer = await processor.describeToken({ token, customer }, AbortSignal.timeout(timeoutMs));
  if (answer.kind === "wrong") return refuse("token-unknown", answer.field);
  if (answer.kind !== "described") return refuse("token-not-checked");
  const stored: StoredCard = {
    ...{ merchantId, userId, cardholder, consent, fingerprint: null },
    ...{ id: parts.newId(), createdAt: parts.clock.now(), card: keptFrom(answer.card) },
    keptBy: { processorId, customer: answer.customer ?? null },
    networkTransactionId: null,
  };
  const { brand } = stored.card;
  const instrument = { kind: "processor-token", token, customer: answer.customer, cvv: undefined, brand } as const;
  const refused = await mayStore(stored, instrument);
  if (refused !== undefined) return refused;
  const sealed = await sealedBy(parts, (vault) => vault.sealToken(token, { merchantId, cardId: stored.id }));
  return keep(tokens, caller, stored, sealed, claim, render);
}
