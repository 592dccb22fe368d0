-- The capabilities inside kept answers are those that the account's terms allow: in CAD a void is whole, and money is refunded
-- after it settled. Before, the rules asked for the currency themselves.
update idempotency_answers a
set moment = replace(
  replace(a.moment, '"partialVoid":true', '"partialVoid":false'),
  '"refundBeforeSettlement":true', '"refundBeforeSettlement":false')
from idempotency_keys k join transactions t on t.merchant_id = k.merchant_id and t.id = k.transaction_id
where a.moment is not null and k.merchant_id = a.merchant_id and k.key = a.key and t.currency = 'CAD';
