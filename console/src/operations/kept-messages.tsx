// What processors told by themselves and the gateway could not apply: it changed nothing, and is for a person to look at.

import { type ProcessorMessage, useKeptMessages } from "../api/operations.ts";
import { PageLink, Panel } from "../parts/parts.tsx";
import { Fault } from "../parts/states.tsx";
import table from "../transactions/transactions.module.css";
import { momentOf } from "../words/dates.ts";

export function KeptMessages({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const { data, error, refetch } = useKeptMessages(filters);
  if (data === undefined) return error && <Fault fault={error} again={() => void refetch()} />;
  if (data.notifications.length === 0) return null;
  const { total } = data.meta;
  const more = total > data.notifications.length;
  return (
    <Panel
      title={more ? `The newest of ${total} messages that changed nothing` : "Messages that changed nothing"}
      flush
    >
      <table className={table.table} aria-label="Messages of processors that changed nothing, newest first">
        <thead>
          <tr>
            <th>Received (UTC)</th>
            <th className="wide">What it reports</th>
            <th>Why it was kept</th>
            <th className="wide">In the processor's words</th>
            <th className="wide">Transaction</th>
          </tr>
        </thead>
        <tbody>
          {data.notifications.map((message) => (
            <Message key={`${message.processor_id} ${message.id}`} message={message} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function Message({ message }: { readonly message: ProcessorMessage }) {
  const { received_at, kind, said, why, transaction_id, merchant_id } = message;
  return (
    <tr>
      <td className="figures">{momentOf(received_at)}</td>
      <td className="wide">{kind.replaceAll(/[-_]/g, " ")}</td>
      <td>{why ?? "–"}</td>
      <td className="wide code cut" title={said}>
        {said}
      </td>
      <td className="wide">
        {transaction_id === null ? (
          "–"
        ) : (
          <PageLink href={`/transactions/${transaction_id}?merchant=${merchant_id}`}>Look at it</PageLink>
        )}
      </td>
    </tr>
  );
}
