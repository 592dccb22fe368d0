// Asks how much, says what will happen, and does it. What is asked for has one idempotency key: until its end is known, the next click
// sends the same again, and nothing is done twice.

import { Alert, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Transaction } from "../../../packages/client/src/openapi.ts";
import { hasItsEnd, mayBeDone, newKey } from "../api/new-key.ts";
import { type FollowUpName, useFollowUp } from "../api/queries.ts";
import { Fault } from "../parts/states.tsx";
import { decimalOf, grouped, hundredthsOf } from "../words/money.ts";
import {
  type AllowedAction,
  DISPUTED,
  FOLLOW_UPS,
  fieldsFor,
  type Share,
  sharesFor,
  type Typed,
  typed,
  UNCERTAIN,
  willDo,
} from "./follow-ups.ts";
import classes from "./transaction.module.css";

interface DialogProps {
  readonly operation: FollowUpName;
  readonly action: AllowedAction;
  readonly transaction: Transaction;
  readonly close: () => void;
}

export function FollowUpDialog({ operation, action, transaction, close }: DialogProps) {
  const label = FOLLOW_UPS.find(({ name }) => name === operation)?.label ?? operation;
  const left = hundredthsOf(action.amount);
  const shares = operation === "reversal" ? [] : sharesFor(operation, transaction.passengers ?? [], left);
  const [amount, setAmount] = useState(action.amount);
  // No passenger is preselected: a refund for one passenger must not move everybody's money by default.
  const [parts, setParts] = useState<Parts>(() => (action.partial ? new Map() : allOf(shares)));
  const [key, setKey] = useState(newKey);
  const doing = useFollowUp(transaction.id);
  const asked = shares.length > 0 ? sumOf(shares, parts) : whole(typed(amount, left));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (asked.kind !== "right") return;
    const fields = fieldsFor(operation, asked.hundredths, asked.parts);
    const outcome = await doing
      .mutateAsync({ operation, fields, idempotencyKey: key })
      .catch((fault: unknown) => fault);
    if (hasItsEnd(outcome)) setKey(newKey());
    if (!(outcome instanceof Error)) close();
  };

  return (
    <Modal opened onClose={close} title={<b>{label}</b>} centered closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack gap="md">
          {shares.length > 0 ? (
            <Passengers
              shares={shares}
              parts={parts}
              partial={action.partial}
              currency={transaction.currency}
              setParts={setParts}
            />
          ) : (
            action.partial && (
              <TextInput
                label="Amount"
                description={`At most ${action.amount} ${transaction.currency}`}
                inputMode="decimal"
                value={amount}
                onChange={(event) => setAmount(event.currentTarget.value)}
                // All of it is proposed, and goes with the first key that is typed.
                onFocus={(event) => event.currentTarget.select()}
                error={asked.kind === "wrong" ? asked.words : undefined}
                data-autofocus
              />
            )
          )}
          {asked.kind === "right" && <Text size="sm">{willDo(operation, asked.hundredths, transaction)}</Text>}
          {asked.kind === "wrong" && parts.size > 0 && shares.length > 0 && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {asked.words}
            </Text>
          )}
          {action.uncertain && (
            <Alert color="yellow" variant="light" styles={{ message: { color: "var(--mantine-color-text)" } }}>
              {UNCERTAIN[operation]}
            </Alert>
          )}
          {action.warning === "disputed" && (
            <Alert color="yellow" variant="light" styles={{ message: { color: "var(--mantine-color-text)" } }}>
              {DISPUTED}
            </Alert>
          )}
          {doing.isError && <Fault fault={doing.error} />}
          {doing.isError && mayBeDone(doing.error) && <Text size="sm">{MAY_BE_DONE}</Text>}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Not now
            </Button>
            <Button type="submit" loading={doing.isPending} disabled={asked.kind === "wrong"}>
              {asked.kind === "right" ? `${label}: ${decimalOf(asked.hundredths)} ${transaction.currency}` : label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const MAY_BE_DONE =
  "It may have been done all the same. You can send the same again: it is done only once. For another amount, close this and look at what happened first.";

type Parts = ReadonlyMap<string, string>;
type Asked =
  | { readonly kind: "right"; readonly hundredths: number; readonly parts: ReadonlyMap<string, number> | undefined }
  | { readonly kind: "wrong"; readonly words: string };

const whole = (amount: Typed): Asked =>
  amount.kind === "wrong" ? amount : { kind: "right", hundredths: amount.hundredths, parts: undefined };

const allOf = (shares: readonly Share[]): Parts =>
  new Map(shares.map(({ passenger, most }) => [passenger.id, decimalOf(most)]));

/** Passengers whose field is empty have no part. */
function sumOf(shares: readonly Share[], parts: Parts): Asked {
  const hundredthsByPassenger = new Map<string, number>();
  for (const { passenger, most } of shares) {
    const text = parts.get(passenger.id)?.trim() ?? "";
    if (text === "") continue;
    const part = typed(text, most);
    if (part.kind === "wrong") return { kind: "wrong", words: `${passenger.passenger_name}: ${part.words}` };
    hundredthsByPassenger.set(passenger.id, part.hundredths);
  }
  if (hundredthsByPassenger.size === 0) return { kind: "wrong", words: "Name an amount for at least one passenger." };
  const hundredths = [...hundredthsByPassenger.values()].reduce((sum, part) => sum + part, 0);
  return { kind: "right", hundredths, parts: hundredthsByPassenger };
}

interface PassengersProps {
  readonly shares: readonly Share[];
  readonly parts: Parts;
  readonly partial: boolean;
  readonly currency: string;
  readonly setParts: (parts: Parts) => void;
}

function Passengers({ shares, parts, partial, currency, setParts }: PassengersProps) {
  const all = shares.reduce((sum, { most }) => sum + most, 0);
  return (
    <div className={classes.shares}>
      <Text size="sm" c="dimmed">
        {partial
          ? "Name an amount for each passenger that you mean. An empty field leaves a passenger out."
          : "Only in full, for all passengers."}
      </Text>
      {partial && (
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={() => setParts(allOf(shares))}>
            All: {grouped(decimalOf(all), currency)} {currency}
          </Button>
          <Button size="compact-sm" variant="subtle" disabled={parts.size === 0} onClick={() => setParts(new Map())}>
            None
          </Button>
        </Group>
      )}
      {shares.map(({ passenger, most }) => (
        <div key={passenger.id} className={classes.share}>
          <div>
            <Text size="sm" fw={560}>
              {passenger.passenger_name}
            </Text>
            <Text size="xs" c="dimmed">
              at most {decimalOf(most)}
            </Text>
          </div>
          <TextInput
            aria-label={`Amount for ${passenger.passenger_name}`}
            inputMode="decimal"
            disabled={!partial}
            value={parts.get(passenger.id) ?? ""}
            onChange={(event) => setParts(new Map(parts).set(passenger.id, event.currentTarget.value))}
          />
        </div>
      ))}
    </div>
  );
}
