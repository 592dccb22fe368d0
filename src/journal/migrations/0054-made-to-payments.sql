-- Outside of a transaction: what was told of a payment by the processor's name for it alone. It is applied again once somebody says whose
-- payment that is.
create index concurrently if not exists notifications_of_payment on notifications (processor_id, (news ->> 'payment'))
  where transaction_id is null and kind = 'made';
