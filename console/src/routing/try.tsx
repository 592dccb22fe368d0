// Which processor a charge would take by the rules as they are now. What is asked stands in the address, so each answer is a link.

import { Button, Checkbox, Group, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { type ChangeEvent, type FormEvent, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { fieldsOf } from "../api/ask.ts";
import { type TriedRoute, useTry } from "../api/routing.ts";
import { Panel, Status } from "../parts/parts.tsx";
import { Fault, Loading } from "../parts/states.tsx";
import classes from "./routing.module.css";
import { type Tried, triedIn } from "./tried.ts";

export function Try({ merchantId }: { readonly merchantId: string }) {
  const address = useSearch();
  const asked = triedIn(address);
  const tried = useTry(merchantId, asked.charge);
  return (
    <Panel title="Which processor would this charge take?">
      <TryForm key={address} values={asked.values} wrong={fieldsOf(tried.error)} />
      {asked.charge !== undefined && tried.isPending && <Loading />}
      {tried.error !== null && <Fault fault={tried.error} again={() => void tried.refetch()} />}
      {tried.data && <Route route={tried.data} />}
    </Panel>
  );
}

interface TryFormProps {
  readonly values: Tried["values"];
  readonly wrong: Readonly<Record<string, string>>;
}

function TryForm({ values: given, wrong }: TryFormProps) {
  const [, go] = useLocation();
  const [values, setValues] = useState(given);
  const set = (name: string, value: string) => setValues((before) => ({ ...before, [name]: value }));
  const field = (name: string, label: string, more: object = {}) => (
    <TextInput
      label={label}
      value={values[name] ?? ""}
      onChange={(event) => set(name, event.currentTarget.value)}
      error={wrong[name]}
      {...more}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    go(`/routing?${new URLSearchParams(Object.entries(values).filter(([, value]) => value.trim() !== ""))}`);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
          {field("amount", "Amount", { placeholder: "10.00", required: true, withAsterisk: false })}
          {field("card_start", "Card begins with", {
            ...{ placeholder: "41111111", inputMode: "numeric", required: true, withAsterisk: false },
            // A pasted card number leaves its first digits only: the others do not belong into an address.
            onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) =>
              set("card_start", currentTarget.value.replace(/[\s-]/g, "").slice(0, 8)),
          })}
          {field("currency", "Currency", { placeholder: "Not sent" })}
          {field("country", "Billing country", { placeholder: "Not sent" })}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          {field("meta", "meta, as JSON", { placeholder: '{"channel": "app"}' })}
          {field("transaction_id", "Draw of this transaction", { placeholder: "A new one" })}
        </SimpleGrid>
        <Group gap="lg">
          <Checkbox
            label="With airline data"
            checked={values.airline === "yes"}
            onChange={(event) => set("airline", event.currentTarget.checked ? "yes" : "")}
          />
          <Select
            aria-label="What the charge lacks"
            placeholder="Nothing is missing"
            data={LACKS.map((one) => ({ ...one }))}
            value={values.without ?? null}
            onChange={(without) => set("without", without ?? "")}
            clearable
            w={210}
          />
          <Button type="submit" ml="auto">
            Try it
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const LACKS = [
  { value: "cvv", label: "Without a CVV" },
  { value: "names", label: "Without names" },
  { value: "document", label: "Without a CPF or CNPJ" },
] as const;

function Route({ route: { processor_id, order, refused, rule, why } }: { readonly route: TriedRoute }) {
  const first = order.find((one) => one.processor_id === processor_id);
  return (
    <Stack gap="sm" mt="lg" role="status">
      <Group gap="sm">
        {first === undefined ? (
          <Status
            label={{ word: `Refused: ${refused.map((one) => one.replaceAll("-", " ")).join(", ")}`, tone: "bad" }}
          />
        ) : (
          <>
            <Status label={{ word: "Goes to", tone: "good" }} />
            <Text fw={600}>{first.name}</Text>
          </>
        )}
        {rule !== null && (
          <Text size="sm" c="dimmed">
            by the rule {rule}
          </Text>
        )}
      </Group>
      {order.length > 0 && (
        <ol className={classes.shares} aria-label="In the order in which they would be tried">
          {order.map(({ processor_id: id, name, share }) => (
            <li key={id}>
              <span className="cut">{name}</span>
              <span className={classes.track} aria-hidden="true">
                <i style={{ width: `${100 * share}%` }} />
              </span>
              <span className="figures">{Math.round(100 * share)} %</span>
            </li>
          ))}
        </ol>
      )}
      <ul className={classes.why}>
        {why.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Stack>
  );
}
