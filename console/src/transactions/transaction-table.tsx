// Transactions as rows, each a link as a whole.

import type { Transaction } from "../../../packages/client/src/openapi.ts";
import { LinkedRow, RowLink } from "../parts/linked-row.tsx";
import { Amount, Status } from "../parts/parts.tsx";
import { brandOf, lastFour } from "../words/answers.ts";
import { dateOf, exactly, timeOf } from "../words/dates.ts";
import { chargeOf, statusOfTransaction } from "../words/status.ts";
import classes from "./transactions.module.css";

interface TableProps {
  readonly transactions: readonly Transaction[];
  /** Another page is on its way. */
  readonly faded: boolean;
  readonly label?: string;
  /** All are of one card: whose it is, and which, need not be said again. */
  readonly ofOneCard?: boolean;
}

export function TransactionTable({
  transactions,
  faded,
  label = "Transactions, newest first",
  ofOneCard = false,
}: TableProps) {
  return (
    <table className={`${classes.table} ${faded ? classes.faded : ""}`} aria-label={label}>
      <thead>
        <tr>
          <th className={classes.number}>Amount</th>
          <th className="wide">Status</th>
          <th>Order</th>
          {!ofOneCard && <th className="wide">Customer</th>}
          {!ofOneCard && <th className="wide">Card</th>}
          <th className="wide">Created (UTC)</th>
        </tr>
      </thead>
      <tbody>
        {transactions.map((transaction) => (
          <Row key={transaction.id} transaction={transaction} ofOneCard={ofOneCard} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ transaction, ofOneCard }: { readonly transaction: Transaction; readonly ofOneCard: boolean }) {
  const { id, currency, events, merchant_transaction_id, card_brand, card_number, created_at } = transaction;
  return (
    <LinkedRow href={`/transactions/${id}`}>
      <td className={classes.number}>
        <Amount amount={chargeOf(events)?.amount ?? "0.00"} currency={currency} />
        <div className="narrow">
          <Status label={statusOfTransaction(transaction)} />
        </div>
      </td>
      <td className="wide">
        <Status label={statusOfTransaction(transaction)} />
      </td>
      <td className="cut">
        <RowLink>{merchant_transaction_id}</RowLink>
        <div className={`narrow ${classes.quiet}`}>
          {dateOf(created_at)}, {timeOf(created_at)}
        </div>
      </td>
      {!ofOneCard && (
        <>
          <td className="wide cut">{customerOf(transaction) ?? <span className={classes.quiet}>–</span>}</td>
          <td className="wide" style={{ whiteSpace: "nowrap" }}>
            {brandOf(card_brand)} <span className={`${classes.quiet} figures`}>{lastFour(card_number)}</span>
          </td>
        </>
      )}
      <td className={`wide figures ${classes.quiet}`} title={exactly(created_at)} style={{ whiteSpace: "nowrap" }}>
        {dateOf(created_at)}, {timeOf(created_at)}
      </td>
    </LinkedRow>
  );
}

/** A passenger's name is as good as a customer's. */
function customerOf({ first_name, last_name, email, passengers }: Transaction): string | undefined {
  const name = [first_name, last_name].filter((part) => part !== undefined).join(" ");
  if (name !== "") return name;
  const [passenger, ...others] = passengers ?? [];
  if (passenger === undefined) return email;
  return others.length > 0 ? `${passenger.passenger_name} and ${others.length} more` : passenger.passenger_name;
}
