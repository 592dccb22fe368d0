// A book of open authorizations, made within seconds: the rows that as many approved auths of an hour ago would have left
// in the journal, and nothing else.

import type { Sql } from "../src/journal/database.ts";
import type { Sandbox } from "../src/sandbox.ts";

/** @param authorizedAt before the time of capture that is to find them */
export async function openBook(sql: Sql, sandbox: Sandbox, size: number, authorizedAt: Date): Promise<void> {
  const { merchant_id: merchant, user_id: user } = sandbox;
  const processor = sandbox.processors.cad ?? "";
  await sql.begin(async (tx) => {
    await tx`
      insert into merchant_counters (merchant_id, transactions, newest_at) values (${merchant}, 0, ${authorizedAt})
      on conflict do nothing`;
    const [counter] = await tx<[{ before: string }]>`
      update merchant_counters set transactions = transactions + ${size} where merchant_id = ${merchant}
      returning transactions - ${size} as before`;
    await tx`
      create temporary table book on commit drop as
      select uuidv7() as id, uuidv7() as event_id, nth from generate_series(1, ${size}::int) as nth`;
    await tx`
      insert into transactions (merchant_id, id, number, user_id, created_at, currency, card_mask, card_first_six, card_brand,
        card_expiry_month, card_expiry_year, merchant_transaction_id, first_name, last_name, email, city, state, zip, details)
      select ${merchant}, id, ${counter.before}::bigint + nth, ${user}, ${authorizedAt}, 'CAD', '411111******1111', '411111',
        'visa', '12', '2039', 'book-' || nth, 'Jane', 'Doe', 'jane.' || nth || '@example.com', 'Toronto', 'ON', '95030',
        '{"fields":{"street_address_1":"1 Main Street","country":"CA"}}'
      from book`;
    await tx`
      insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, ip_address, reversal, node_id,
        created_at)
      select ${merchant}, id, 1, event_id, 'auth', 356, ${processor}, '203.0.113.7', false, 0, ${authorizedAt} from book`;
    await tx`
      insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message,
        processor_transaction_id, auth_code, avs_response, processor_avs_response, created_at)
      select ${merchant}, id, 1, 'approved', '00', 'APPROVED', 'sim-' || event_id, 'A1B2C3', 'match', 'Y', ${authorizedAt}
      from book`;
    await tx`
      insert into open_authorizations (merchant_id, processor_id, transaction_id, authorized_at)
      select ${merchant}, ${processor}, id, ${authorizedAt} from book`;
  });
  // As the server does by itself within a minute.
  await sql`analyze`;
}
