// Cards that the clients put on file, by their numbers, by tokens and by charges, and delete again; and whether the gateways keep what they
// were told. All clients share them.

import { KEPT_CARDS, KEPT_SHOPPER } from "../../hosts/adyen/decide.ts";
import { KEPT_CUSTOMER, KEPT_METHODS } from "../../hosts/stripe/payment-methods.ts";
import { arrayOf } from "../../src/journal/columns.ts";
import type { Chance } from "../simulation/chance.ts";
import { type Finding, finding } from "./check/finding.ts";
import type { House } from "./house.ts";
import type { Request } from "./notes.ts";
import type { Provider } from "./providers.ts";

/** Enough that most charges meet others of the same card, and that some were deleted. */
const MOST = 24;
const ANSWER_WITHIN_MS = 6_000;

const TOKENS: Readonly<Record<Provider, object>> = {
  stripe: { processor_token: KEPT_METHODS.approved, processor_customer: KEPT_CUSTOMER },
  adyen: { processor_token: KEPT_CARDS.approved, processor_customer: KEPT_SHOPPER },
};

export interface CardsOnFile {
  /** One that is on file as far as anybody knows, or now and then one that was deleted; undefined while there is none. */
  pick(chance: Chance): PickedCard | undefined;
  /** A charge under this key named a card after its deletion was answered. */
  named(card: PickedCard, key: string): void;
  /** By a charge, which was approved. */
  stored(id: string): void;
  /** Stores another one, or deletes one. What is not answered may or may not have been done. */
  change(house: House, chance: Chance, number: string): Promise<void>;
  check(sql: House["sql"], requests: readonly Request[]): Promise<readonly Finding[]>;
  counts(): { readonly stored: number; readonly deleted: number };
}

export interface PickedCard {
  readonly id: string;
  readonly deleted: boolean;
}

export function cardsOnFile(): CardsOnFile {
  const onFile = new Set<string>();
  const deleted = new Set<string>();
  const inVain = new Set<string>();
  let all = 0;
  const add = (id: string) => {
    onFile.add(id);
    all++;
  };
  const store = async (house: House, chance: Chance, number: string) => {
    const card = { card_number: number, card_expiry_month: "12", card_expiry_year: "2039" };
    const tokens = Object.entries(house.records.atProviders).map(([provider, processor_id]) => ({
      processor_id,
      ...TOKENS[provider as Provider],
    }));
    const body = chance.pick<object>([card, ...tokens]);
    const answer = await ask(house, chance, "POST", "/api/cards", body);
    if (answer?.status === 201) add(((await answer.json()) as { card: { id: string } }).card.id);
  };
  const remove = async (house: House, chance: Chance) => {
    const id = [...onFile][chance.below(onFile.size)];
    if (id === undefined) return;
    // From here on nobody takes it for being there.
    onFile.delete(id);
    const answer = await ask(house, chance, "DELETE", `/api/cards/${id}`);
    if (answer?.status === 204) deleted.add(id);
  };
  return {
    pick(chance) {
      const gone = deleted.size > 0 && chance.happens(0.05);
      const id = [...(gone ? deleted : onFile)][chance.below((gone ? deleted : onFile).size || 1)];
      return id === undefined ? undefined : { id, deleted: gone };
    },
    named: (card, key) => void (card.deleted && inVain.add(key)),
    stored: add,
    change: (house, chance, number) =>
      onFile.size < MOST && (onFile.size < 2 || chance.happens(0.6))
        ? store(house, chance, number)
        : remove(house, chance),
    async check(sql, requests) {
      const of = (ids: ReadonlySet<string>) => arrayOf(sql, "uuid", [...ids]);
      const rows = await sql<{ id: string }[]>`
        select id from cards where id = any(${of(onFile)}) or id = any(${of(deleted)})`;
      const there = new Set(rows.map(({ id }) => id));
      const charged = requests.filter(
        ({ key, answers }) => inVain.has(key) && answers.some(({ status }) => status < 300),
      );
      return [
        ...[...onFile].filter((id) => !there.has(id)).map((id) => finding("lost", `card ${id} was stored and is gone`)),
        ...[...deleted]
          .filter((id) => there.has(id))
          .map((id) => finding("lost", `card ${id} was deleted and is there`)),
        ...charged.map(({ key }) => finding("doubled", `key ${key} charged a card that was deleted before`)),
      ];
    },
    counts: () => ({ stored: all, deleted: deleted.size }),
  };
}

async function ask(
  { gateways, apiToken }: House,
  chance: Chance,
  method: string,
  path: string,
  json?: object,
): Promise<Response | undefined> {
  const headers = { authorization: `Bearer ${apiToken}`, ...(json && { "content-type": "application/json" }) };
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const request = { method, headers, signal, ...(json && { body: JSON.stringify(json) }) };
  return fetch(`${gateways[chance.below(2)]?.url}${path}`, request).catch(() => undefined);
}
