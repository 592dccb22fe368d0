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
  /**
   * Further transactions like all those that the merchant has, in later numbers, written straight into the tables.
   * @returns their ids
   */
  const multiply = ({ merchantId }: OwnMerchant, times: number): Promise<string[]> =>
    gateway().pool.begin(async (sql) => {
      await sql`
        create temporary table copies on commit drop as
        select t.id as original, gen_random_uuid() as id, t.number + nth * c.transactions as number, c.newest_at as at
        from transactions t join merchant_counters c using (merchant_id), generate_series(1, ${times}::int) nth
        where t.merchant_id = ${merchantId}`;
      await sql`analyze copies`;
      await sql`
        insert into transactions
        select (jsonb_populate_record(t, jsonb_build_object('id', c.id, 'number', c.number, 'created_at', at))).*
        from copies c join transactions t on t.merchant_id = ${merchantId} and t.id = original`;
      await sql`
        insert into events
        select (jsonb_populate_record(e,
          jsonb_build_object('transaction_id', c.id, 'id', gen_random_uuid(), 'created_at', at))).*
        from copies c join events e on e.merchant_id = ${merchantId} and e.transaction_id = original`;
      await sql`
        insert into outcomes
        select (jsonb_populate_record(o, jsonb_build_object('transaction_id', c.id, 'created_at', at))).*
        from copies c join outcomes o on o.merchant_id = ${merchantId} and o.transaction_id = original`;
      await sql`
        update merchant_counters set transactions = transactions * (1 + ${times}::int) where merchant_id = ${merchantId}`;
      return (await sql<{ id: string }[]>`select id from copies`).map(({ id }) => id);
    }) as Promise<string[]>;
  return { own, listOf, charged, charge, multiply };
}
