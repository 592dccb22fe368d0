// What a transaction carries beside its money: the card and how it was checked, the customer, ids, and all of it as JSON.

import { ScrollArea, Text } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";
import type { Transaction } from "../../../packages/client/src/openapi.ts";
import { useProcessors } from "../api/queries.ts";
import { Icon } from "../parts/icons.tsx";
import { Copyable, Facts, PageLink, Panel } from "../parts/parts.tsx";
import { brandOf, type CheckResult, checksOf } from "../words/answers.ts";
import { chargeOf } from "../words/status.ts";
import classes from "./transaction.module.css";

interface OfTransaction {
  readonly transaction: Transaction;
}

export function Payment({ transaction }: OfTransaction) {
  const { card_brand, card_number, card_expiry_month, card_expiry_year, card_id, events, network_transaction_id } =
    transaction;
  const charge = chargeOf(events);
  const checks = charge === undefined ? [] : checksOf(charge);
  return (
    <Panel title="Card">
      <Facts
        facts={[
          { name: "Number", value: <span className="code">{card_number}</span> },
          { name: "Brand", value: brandOf(card_brand) },
          { name: "Expires", value: `${card_expiry_month}/${card_expiry_year}` },
          { name: "On file", value: card_id && <PageLink href={`/cards/${card_id}`}>Stored</PageLink> },
          { name: "Initiated by", value: initiationOf(transaction) },
          {
            name: "First charge",
            value: network_transaction_id && <span className="code">{network_transaction_id}</span>,
          },
          ...checks.map((check) => ({ name: check.name, value: <Check check={check} /> })),
        ]}
      />
    </Panel>
  );
}

/** `merchant: no-show` */
const initiationOf = ({ initiator, reason }: Transaction): string | undefined =>
  initiator === undefined && reason === undefined ? undefined : joined(": ", initiator ?? "payer", reason);

const ICONS = { good: "check", bad: "cross", plain: "minus" } as const;

function Check({ check: { words, tone, raw } }: { readonly check: CheckResult }) {
  return (
    <span className={classes.check} style={{ "--tone": `var(--${tone})` } as CSSProperties}>
      <Icon name={ICONS[tone]} size={14} />
      <span>
        {words} {raw !== null && <span className={classes.raw}>({raw})</span>}
      </span>
    </span>
  );
}

export function Customer({ transaction }: OfTransaction) {
  const { first_name, last_name, email, mobile_phone, document_number, events } = transaction;
  const facts = [
    { name: "Name", value: joined(" ", first_name, last_name) },
    {
      name: "E-mail",
      value: email && <PageLink href={`/transactions?email=${encodeURIComponent(email)}`}>{email}</PageLink>,
    },
    { name: "Phone", value: mobile_phone },
    { name: "Billing", value: addressLines(transaction) },
    { name: "Shipping", value: addressLines(shippingOf(transaction)) },
    { name: "Document", value: document_number },
    { name: "IP address", value: chargeOf(events)?.ip_address },
  ];
  if (facts.every(({ value }) => value === undefined || value === "")) return null;
  return (
    <Panel title="Customer">
      <Facts facts={facts} />
    </Panel>
  );
}

const joined = (by: string, ...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join(by);

type Address = Pick<Transaction, "street_address_1" | "street_address_2" | "city" | "state" | "zip" | "country">;

const shippingOf = (transaction: Transaction): Address => {
  const fields = ["street_address_1", "street_address_2", "city", "state", "zip", "country"] as const;
  return Object.fromEntries(fields.map((field) => [field, transaction[`shipping_${field}`]]));
};

/** Undefined where there is none. */
export function addressLines({ street_address_1, street_address_2, city, state, zip, country }: Address): ReactNode {
  const all = [street_address_1, street_address_2, joined(" ", joined(", ", city, state), zip), country].filter(
    (line) => line !== undefined && line !== "",
  );
  return all.length === 0 ? undefined : all.map((line) => <div key={line}>{line}</div>);
}

export function Details({ transaction }: OfTransaction) {
  const { data: processors = [] } = useProcessors();
  const { id, processor_id, user_id, plan_id, plan_payment, dynamic_descriptor, dynamic_descripton, meta } =
    transaction;
  const processor = processors.find((one) => one.id === processor_id);
  return (
    <Panel title="Details">
      <Facts
        facts={[
          { name: "Id", value: <Copyable value={id} what="the transaction's id" /> },
          { name: "Processor", value: processor?.name ?? <span className="code">{processor_id}</span> },
          {
            name: "Plan",
            value: plan_id && <PageLink href={`/plans/${plan_id}`}>Payment {plan_payment} of a plan</PageLink>,
          },
          { name: "User", value: <Copyable value={user_id} what="the user's id" /> },
          { name: "Descriptor", value: dynamic_descriptor ?? dynamic_descripton },
          ...Object.entries(meta ?? {}).map(([name, value]) => ({
            name,
            value: <span className="code">{typeof value === "string" ? value : JSON.stringify(value)}</span>,
          })),
        ]}
      />
    </Panel>
  );
}

export function AsJson({ transaction }: OfTransaction) {
  return (
    <Panel>
      <details>
        <summary>
          <Text component="span" size="sm" fw={560}>
            As the API gives it
          </Text>
        </summary>
        <ScrollArea.Autosize mah={480} type="auto">
          <pre className={classes.json}>{JSON.stringify(transaction, null, 2)}</pre>
        </ScrollArea.Autosize>
      </details>
    </Panel>
  );
}
