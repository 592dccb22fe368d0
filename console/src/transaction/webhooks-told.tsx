// What the merchant's endpoints were told about a transaction, what they answered, and telling them again. For those who may set
// endpoints up, or look at them.

import { may, useSignedIn } from "../api/session.ts";
import { type Delivery, useDeliveriesOf, type Webhook } from "../api/setup.ts";
import { Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import { answerOf, DELIVERY_STATES, SendAgain, toldOf } from "../setup/delivery.tsx";
import table from "../transactions/transactions.module.css";
import { momentOf } from "../words/dates.ts";

export function WebhooksTold({ transactionId }: { readonly transactionId: string }) {
  const who = useSignedIn();
  const reads = who?.kind === "session" && (may(who, "set_up") || may(who, "operator_read"));
  if (!reads || who.merchantId === undefined) return null;
  return (
    <Panel title="Webhooks" flush>
      <Told merchantId={who.merchantId} transactionId={transactionId} />
    </Panel>
  );
}

interface ToldProps {
  readonly merchantId: string;
  readonly transactionId: string;
}

function Told({ merchantId, transactionId }: ToldProps) {
  const who = useSignedIn();
  const { told, error, again } = useDeliveriesOf(merchantId, transactionId);
  if (told === undefined) return error === null ? <Loading /> : <Fault fault={error} again={again} />;
  if (told.length === 0)
    return (
      <Empty small title="Nobody was told">
        There was no endpoint when it happened, or it was more than 30 days ago.
      </Empty>
    );
  return <Table told={told} changes={may(who, "set_up") || may(who, "operate")} />;
}

interface TableProps {
  readonly told: readonly { readonly webhook: Webhook; readonly delivery: Delivery }[];
  readonly changes: boolean;
}

function Table({ told, changes }: TableProps) {
  return (
    <table className={table.table} aria-label="Webhooks of this transaction, newest first">
      <thead>
        <tr>
          <th>Event</th>
          <th className="wide">Endpoint and its last response</th>
          <th>State</th>
          {changes && <th aria-label="Actions" />}
        </tr>
      </thead>
      <tbody>
        {told.map(({ webhook, delivery }) => (
          <tr key={delivery.id}>
            <td>
              {toldOf(delivery)}
              <div className={`figures ${table.quiet}`}>{momentOf(delivery.timestamp)}</div>
            </td>
            <td className="wide cut">
              {webhook.url}
              <div className={`code cut ${table.quiet}`}>{answerOf(delivery)}</div>
            </td>
            <td>
              <Status label={DELIVERY_STATES[delivery.status]} />
            </td>
            {changes && (
              <td className={table.number}>
                {delivery.status !== "waiting" && <SendAgain webhookId={webhook.id} delivery={delivery} />}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
