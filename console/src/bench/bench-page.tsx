// The sandbox's bench: a test charge with the simulator's cards, the same as code, and the clock. No real money moves.

import { Button, Group, SegmentedControl, Select, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Transaction } from "../../../packages/client/src/openapi.ts";
import { fieldsOf } from "../api/ask.ts";
import { useCharge, useProcessors } from "../api/queries.ts";
import { may, useSignedIn } from "../api/session.ts";
import { Page } from "../parts/page.tsx";
import { Amount, PageLink, Panel, Status } from "../parts/parts.tsx";
import { Fault } from "../parts/states.tsx";
import { chargeOf, statusOfTransaction } from "../words/status.ts";
import { amountSent } from "../words/typed.ts";
import classes from "./bench.module.css";
import { ClockPanel } from "./clock-panel.tsx";
import { CodePanel } from "./code-panel.tsx";
import { TEST_CARDS } from "./test-cards.ts";

type Fields = Readonly<Record<"amount" | "card_number" | "merchant_transaction_id" | "processor_id", string>>;

const FIRST: Fields = {
  amount: "24.00",
  card_number: "4111111111111111",
  merchant_transaction_id: "test-1",
  processor_id: "",
};
/** What a test charge carries beside what is typed. */
const ALWAYS = { card_expiry_month: "12", card_expiry_year: "2039", card_cvv: "123", ip_address: "203.0.113.7" };
const DRAWN = "drawn";

export function BenchPage() {
  const who = useSignedIn();
  const [operation, setOperation] = useState<"sale" | "auth">("sale");
  const [fields, setFields] = useState(FIRST);
  const charging = useCharge();
  const wrong = fieldsOf(charging.error);
  const set = (name: keyof Fields) => (value: string) => setFields((before) => ({ ...before, [name]: value }));
  const { processor_id, ...typed } = fields;
  const amount = amountSent(typed.amount);
  const card_number = typed.card_number.replace(/[\s-]/g, "");
  const sent = { ...typed, amount, card_number, ...ALWAYS, ...(processor_id !== "" && { processor_id }) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const onSuccess = () => set("merchant_transaction_id")(counted(fields.merchant_transaction_id));
    charging.mutate({ operation, ...sent }, { onSuccess });
  };

  if (!may(who, "charge"))
    return (
      <Page title="Test bench" about="Operators can move the clock. Only merchants can send charges.">
        <ClockPanel />
      </Page>
    );
  return (
    <Page title="Test bench" about="Send charges to the simulator and move the clock. No real money moves.">
      <div className={classes.columns}>
        <Panel title="A test charge">
          <form onSubmit={submit} noValidate>
            <Stack gap="md">
              <SegmentedControl
                aria-label="Operation"
                value={operation}
                onChange={(value) => setOperation(value === "auth" ? "auth" : "sale")}
                data={OPERATIONS}
              />
              <SimpleGrid cols={2} spacing="md">
                <Typed label="Amount" value={fields.amount} set={set("amount")} error={wrong.amount} />
                <Typed
                  label="Order number"
                  value={fields.merchant_transaction_id}
                  set={set("merchant_transaction_id")}
                  error={wrong.merchant_transaction_id}
                />
              </SimpleGrid>
              <Typed
                label="Card number"
                value={fields.card_number}
                set={set("card_number")}
                error={wrong.card_number}
              />
              <Cards chosen={fields.card_number} choose={set("card_number")} />
              <Processor value={processor_id} set={set("processor_id")} error={wrong.processor_id} />
              {charging.isError && <Fault fault={charging.error} shown={Object.keys(FIRST)} />}
              <Button type="submit" loading={charging.isPending}>
                Send it
              </Button>
            </Stack>
          </form>
        </Panel>
        <Stack gap="lg">
          {charging.data && <Sent transaction={charging.data} />}
          <ClockPanel />
          <CodePanel operation={operation} fields={sent} />
        </Stack>
      </div>
    </Page>
  );
}

const OPERATIONS = [
  { value: "sale", label: "Sale" },
  { value: "auth", label: "Authorization" },
];

/** `test-1` → `test-2`, so that each charge has a number of its own. */
const counted = (order: string): string => order.replace(/\d{1,9}$/, (digits) => String(Number(digits) + 1));

interface TypedProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly error: string | undefined;
}

const Typed = ({ label, value, set, error }: TypedProps) => (
  <TextInput
    label={label}
    value={value}
    onChange={(event) => set(event.currentTarget.value)}
    error={error}
    required
    withAsterisk={false}
  />
);

function Cards({ chosen, choose }: { readonly chosen: string; readonly choose: (number: string) => void }) {
  return (
    <Stack gap="sm">
      {TEST_CARDS.map(({ name, cards }) => (
        <div key={name}>
          <div className={classes.group}>{name}</div>
          <div className={classes.cards}>
            {cards.map(({ number, leads }) => (
              <button
                key={number}
                type="button"
                className={classes.card}
                aria-pressed={number === chosen}
                title={number}
                onClick={() => choose(number)}
              >
                {leads}
              </button>
            ))}
          </div>
        </div>
      ))}
    </Stack>
  );
}

function Processor({ value, set, error }: Omit<TypedProps, "label">) {
  const { data: processors = [] } = useProcessors();
  const enabled = processors.filter((one) => one.enabled);
  return (
    <Select
      label="Processor"
      data={[
        { value: DRAWN, label: "Any in rotation" },
        ...enabled.map(({ id, name, currency }) => ({ value: id, label: `${name} (${currency})` })),
      ]}
      value={value === "" ? DRAWN : value}
      onChange={(next) => set(next === null || next === DRAWN ? "" : next)}
      allowDeselect={false}
      error={error}
    />
  );
}

function Sent({ transaction }: { readonly transaction: Transaction }) {
  const charge = chargeOf(transaction.events);
  return (
    <Panel title="The answer">
      <Stack gap={6} role="status">
        <Group gap="sm">
          <b>
            <Amount amount={charge?.amount ?? "0.00"} currency={transaction.currency} />
          </b>
          <Status label={statusOfTransaction(transaction)} />
        </Group>
        <span>
          <span className="code">{charge?.processor_code}</span> {charge?.processor_message}
        </span>
        <PageLink href={`/transactions/${transaction.id}`}>Look at the transaction</PageLink>
      </Stack>
    </Panel>
  );
}
