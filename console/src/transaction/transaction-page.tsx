// One transaction: what it is, where its money stands, what happened, and what can be done.

import { Group, Stack } from "@mantine/core";
import type { Transaction } from "../../../packages/client/src/openapi.ts";
import { useNow } from "../api/clock.ts";
import { useTransaction } from "../api/queries.ts";
import { may, useSignedIn } from "../api/session.ts";
import { DisputesOf } from "../disputes/of-transaction.tsx";
import { Page } from "../parts/page.tsx";
import { Amount, Copyable, Panel, Status } from "../parts/parts.tsx";
import { Fault, Loading } from "../parts/states.tsx";
import { exactly } from "../words/dates.ts";
import { chargeOf, divisionOf, statusOfTransaction } from "../words/status.ts";
import { AmountsBar } from "./amounts-bar.tsx";
import { AuditTrail } from "./audit-trail.tsx";
import { AsJson, Customer, Details, Payment } from "./details.tsx";
import { Doubt } from "./doubt.tsx";
import { Itinerary } from "./itinerary.tsx";
import { Possible } from "./possible.tsx";
import { TimeLine } from "./time-line.tsx";
import classes from "./transaction.module.css";
import { WebhooksTold } from "./webhooks-told.tsx";

const BACK = { href: "/transactions", to: "Transactions" };

export function TransactionPage({ id }: { readonly id: string }) {
  const { data: transaction, error, refetch } = useTransaction(id);
  if (transaction !== undefined) return <Shown transaction={transaction} />;
  return (
    <Page title="Transaction" back={BACK}>
      {error === null ? <Loading /> : <Fault fault={error} again={() => void refetch()} />}
    </Page>
  );
}

function Shown({ transaction }: { readonly transaction: Transaction }) {
  const who = useSignedIn();
  const now = useNow();
  const { events, currency, merchant_transaction_id, created_at, passengers } = transaction;
  return (
    <Page
      title={`Order ${merchant_transaction_id}`}
      back={BACK}
      heading={
        <Group gap="sm" component="span">
          <Amount amount={chargeOf(events)?.amount ?? "0.00"} currency={currency} />
          <Status label={statusOfTransaction(transaction)} />
        </Group>
      }
      about={
        <>
          Order <Copyable value={merchant_transaction_id} what="the order number" /> · {exactly(created_at)}
        </>
      }
    >
      <Doubt transaction={transaction} />
      <div className={classes.columns}>
        <Stack gap="lg">
          {divisionOf(events).authorized > 0 && (
            <Panel title="Amounts">
              <AmountsBar transaction={transaction} />
            </Panel>
          )}
          {passengers && passengers.length > 0 && <Itinerary passengers={passengers} currency={currency} />}
          <Panel title="What happened">
            <TimeLine transaction={transaction} />
          </Panel>
          <WebhooksTold transactionId={transaction.id} />
          <AuditTrail transactionId={transaction.id} />
        </Stack>
        <Stack gap="lg">
          {may(who, "follow_up") && <Possible transaction={transaction} now={now} />}
          <DisputesOf transaction={transaction} />
          <Payment transaction={transaction} />
          <Customer transaction={transaction} />
          <Details transaction={transaction} />
        </Stack>
      </div>
      <AsJson transaction={transaction} />
    </Page>
  );
}
