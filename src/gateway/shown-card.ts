// A card on file as the API and the command line show it. Shape: api/schema/card.ts.

import type { StoredResponse } from "../journal/journal.ts";
import { shownConsent } from "../payment/consent.ts";
import type { StoredCard } from "../payment/stored-card.ts";
import { timestamp } from "../validation/fields.ts";

/** Its number is masked, and a processor's token is not among it. */
export const representCard = ({ id, card, cardholder, createdAt, ...stored }: StoredCard) => ({
  id,
  card_number: card.mask,
  card_brand: card.brand,
  card_expiry_month: card.expiryMonth,
  card_expiry_year: card.expiryYear,
  fingerprint: stored.fingerprint,
  processor_id: stored.keptBy?.processorId ?? null,
  network_transaction_id: stored.networkTransactionId,
  ...cardholder,
  consent: stored.consent && shownConsent(stored.consent),
  created_at: timestamp(createdAt),
});

/** The response to whoever stored it. */
export const renderStored = (card: StoredCard): StoredResponse => ({
  status: 201,
  body: JSON.stringify({ card: representCard(card) }),
});
