// What tests of lists share: merchants of their own, their charges, and the list as it is asked for.

import {
  expectStatus,
  type Gateway,
  type Json,
  newMerchant,
  type OwnMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

/** @param gateway which is started by then */
export function listsOf(gateway: () => Gateway) {
  const own = () => newMerchant(gateway(), {});
  const listOf = ({ token }: OwnMerchant, query: Readonly<Record<string, string>> | string = {}) =>
    gateway().get(`/api/transactions?${new URLSearchParams(query)}`, { token });
  const charged = async ({ token }: OwnMerchant, over: Json = {}, path = "sale") =>
    transactionOf(expectStatus(await gateway().post(`/api/transactions/${path}`, sale(over), { token }), 200));
  const charge = async (merchant: OwnMerchant, count: number, atOnce = 25) => {
    const ids: string[] = [];
    const work = async () => {
      while (count-- > 0) ids.push((await charged(merchant)).id);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return ids;
  };
  return { own, listOf, charged, charge };
}
