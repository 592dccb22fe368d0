// Cards on file: a merchant stores a card, changes what may change of it, and deletes it. Each is one database transaction with its entry
// in the audit log, which shows the mask and nothing of the cardholder.

import type { KeyClaim, SealedCard, StoredResponse } from "../journal/journal.ts";
import { claimKeyOfRecord, insertResponseOfRecord } from "../journal/record-keys.ts";
import {
  deleteStoredCard,
  findStoredCard,
  insertStoredCard,
  lockStoredCard,
  lockTakesNumbers,
  updateStoredCard,
} from "../journal/stored-cards.ts";
import { audited } from "../merchants/audit.ts";
import type { Author, Backoffice, Entry } from "../merchants/backoffice.ts";
import { firstSix, maskCard } from "../payment/card.ts";
import { cardBrand } from "../payment/card-brand.ts";
import { type Consent, shownConsent } from "../payment/consent.ts";
import type { Instrument } from "../payment/instrument.ts";
import { type Refused, refuse } from "../payment/refusal.ts";
import type { CardNumber, Cvv } from "../payment/secret.ts";
import { type Cardholder, changedCard, type StoredCard, type StoredCardChange } from "../payment/stored-card.ts";
import type { Vault } from "../vault/vault.ts";
import { CardNotSealed } from "./card-numbers.ts";
import type { Parts } from "./parts.ts";
import type { Result } from "./result.ts";

export interface CardsOnFile {
  readonly parts: Pick<Parts, "vault" | "clock" | "newId" | "fingerprintOf"> & {
    readonly journal: Pick<Parts["journal"], "findKey">;
  };
  readonly office: Pick<Backoffice, "sql" | "clock" | "auditKey">;
}

/** Who stores, changes or deletes a card. */
export interface CardCaller {
  readonly merchantId: string;
  readonly userId: string;
  readonly author: Author;
  readonly requestId?: string;
  /** Of the merchant. */
  readonly cardNumbersForbidden?: boolean;
}

export interface CardToStore {
  readonly number: CardNumber;
  readonly expiryMonth: string;
  readonly expiryYear: string;
  /** For its verification. */
  readonly cvv?: Cvv | undefined;
  readonly cardholder: Cardholder;
  readonly consent: Consent | null;
  /** The scheme's, of a first charge that was made elsewhere. */
  readonly networkTransactionId?: string | null;
}

/** Asked once the key is known to be new. @returns why the card is not stored; undefined: it may be */
export type MayStore = (card: StoredCard, instrument: Instrument) => Promise<Result | undefined>;

/** @throws CardNotSealed */
export async function storeCard(
  cards: CardsOnFile,
  caller: CardCaller,
  card: CardToStore,
  claim: KeyClaim | null,
  render: (card: StoredCard) => StoredResponse,
  mayStore: MayStore,
): Promise<Result> {
  const { parts } = cards;
  const before = await replayed(cards, caller.merchantId, claim, render);
  if (before !== undefined) return before;
  const { stored, sealed } = await newCard(parts, caller, card);
  const { number, cvv, expiryMonth, expiryYear } = card;
  const { brand } = stored.card;
  const refused = await mayStore(stored, { kind: "card", number, cvv, brand, expiryMonth, expiryYear });
  return refused ?? keep(cards, caller, stored, sealed, claim, render);
}

/** With its sealed number. @throws CardNotSealed */
export async function newCard(
  parts: Pick<Parts, "vault" | "clock" | "newId" | "fingerprintOf">,
  { merchantId, userId }: Pick<CardCaller, "merchantId" | "userId">,
  { number, cardholder, consent, expiryMonth, expiryYear, networkTransactionId = null }: CardToStore,
  id = parts.newId(),
): Promise<{ readonly stored: StoredCard; readonly sealed: SealedCard }> {
  const stored: StoredCard = {
    ...{ id, merchantId, userId, cardholder, consent },
    createdAt: parts.clock.now(),
    card: { mask: maskCard(number), firstSix: firstSix(number), brand: cardBrand(number), expiryMonth, expiryYear },
    fingerprint: parts.fingerprintOf(merchantId, number),
    keptBy: null,
    networkTransactionId,
  };
  return { stored, sealed: await sealedNumber(parts, stored, number) };
}

/** Writes a new card, with the key of its request and the entry in the audit log. */
export async function keep(
  cards: CardsOnFile,
  { merchantId, author }: CardCaller,
  stored: StoredCard,
  sealed: SealedCard,
  claim: KeyClaim | null,
  render: (card: StoredCard) => StoredResponse,
): Promise<Result> {
  const response = render(stored);
  const written = await audited<"stored" | "key-taken" | "forbidden">(cards.office, author, async (sql) => {
    // It may have been forbidden since this request was let in.
    if (stored.keptBy === null && !(await lockTakesNumbers(sql, stored.merchantId))) return { result: "forbidden" };
    if (claim !== null && !(await claimKeyOfRecord(sql, stored, claim))) return { result: "key-taken" as const };
    await insertStoredCard(sql, stored, sealed);
    if (claim !== null) await insertResponseOfRecord(sql, stored, { key: claim.key, ...response });
    return { result: "stored" as const, entry: entryOf("card.create", stored, { after: shownInAudit(stored) }) };
  });
  if (written === "forbidden") return refuse("card-numbers-forbidden", "card_number");
  if (written === "stored") return { kind: "responded", response, replayed: false };
  return (await replayed(cards, merchantId, claim, render)) ?? refuse("key-in-use");
}

/** What an earlier request with this key was answered. Where that was erased with a payer's data: the card as it is now. */
export async function replayed(
  { parts: { journal }, office: { sql } }: CardsOnFile,
  merchantId: string,
  claim: KeyClaim | null,
  render: (card: StoredCard) => StoredResponse,
): Promise<Result | undefined> {
  const key = claim && (await journal.findKey(merchantId, claim.key));
  if (!claim || !key) return undefined;
  if (!key.requestHash.equals(claim.requestHash)) return refuse("key-of-another-request");
  const { response } = key;
  if (response !== null && "body" in response) return { kind: "responded", response, replayed: true };
  const stored = await findStoredCard(sql, merchantId, key.transactionId);
  return stored === undefined
    ? refuse("card-unknown")
    : { kind: "responded", response: render(stored), replayed: true };
}

/** @throws CardNotSealed */
export const sealedNumber = (
  parts: Pick<Parts, "vault">,
  { merchantId, id }: Pick<StoredCard, "merchantId" | "id">,
  number: CardNumber,
): Promise<SealedCard> => sealedBy(parts, (vault) => vault.seal(number, { merchantId, cardId: id }));

/** @throws CardNotSealed */
export async function sealedBy(
  { vault }: Pick<Parts, "vault">,
  seal: (vault: Vault) => Promise<SealedCard>,
): Promise<SealedCard> {
  if (vault === undefined) throw new CardNotSealed("there is no master key");
  try {
    return await seal(vault);
  } catch (fault) {
    throw new CardNotSealed("the vault could not seal a card on file", { cause: fault });
  }
}

/** @returns the card as it is now */
export function changeCard(
  { parts, office }: CardsOnFile,
  { merchantId, author }: CardCaller,
  id: string,
  change: StoredCardChange,
): Promise<StoredCard | Refused> {
  return audited<StoredCard | Refused>(office, author, async (sql) => {
    const before = await lockStoredCard(sql, merchantId, id);
    if (before === undefined) return { result: refuse("card-unknown") };
    const after = changedCard(before, change);
    const fields = Object.keys(change.cardholder).filter(
      (field) => before.cardholder[field as keyof Cardholder] !== after.cardholder[field as keyof Cardholder],
    );
    const shown = { before: shownInAudit(before), after: { ...shownInAudit(after), changed: fields } };
    await updateStoredCard(sql, after, parts.clock.now());
    return { result: after, entry: entryOf("card.change", after, shown) };
  });
}

/** For good. What was paid with it is a transaction of its own: it can still be captured, voided and refunded. */
export function deleteCard(
  { office }: Pick<CardsOnFile, "office">,
  { merchantId, author }: Pick<CardCaller, "merchantId" | "author">,
  id: string,
): Promise<"deleted" | Refused> {
  return audited<"deleted" | Refused>(office, author, async (sql) => {
    const before = await lockStoredCard(sql, merchantId, id);
    if (before === undefined) return { result: refuse("card-unknown") };
    await deleteStoredCard(sql, merchantId, id);
    return { result: "deleted" as const, entry: entryOf("card.delete", before, { before: shownInAudit(before) }) };
  });
}

const entryOf = (action: Entry["action"], { merchantId, id }: StoredCard, what: Pick<Entry, "before" | "after">) => ({
  ...{ action, merchantId, subject: ["card", id] as const },
  ...what,
});

const shownInAudit = ({ id, card, fingerprint, keptBy, consent }: StoredCard) => ({
  ...{ id, card_number: card.mask, card_brand: card.brand, fingerprint, processor_id: keptBy?.processorId ?? null },
  ...{ card_expiry_month: card.expiryMonth, card_expiry_year: card.expiryYear },
  ...(consent && { consent: shownConsent(consent) }),
});
