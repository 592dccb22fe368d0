// What an operator enters of a dispute, or changes: for processors that report none, and where a message was lost. Only what was
// touched is sent.

import { Button, Group, Modal, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Dispute } from "../../../packages/client/src/openapi.ts";
import { fieldsOf } from "../api/ask.ts";
import { useSignedIn } from "../api/session.ts";
import { useChange } from "../api/setup.ts";
import { Fault } from "../parts/states.tsx";
import { STAGES, STATES } from "../words/disputes.ts";
import { bodyOf, EMPTY, type Entered, enteredOf } from "./entered.ts";

/** A transaction that is given has no field. */
const SHOWN = [...Object.keys(EMPTY).filter((name) => name !== "transaction_id"), "status", "outcome"];

interface DialogProps {
  /** To change; undefined: a new one. */
  readonly dispute?: Dispute;
  /** Of a new one, if it is known. */
  readonly transactionId?: string;
  readonly close: () => void;
}

export function DisputeDialog({ dispute, transactionId = "", close }: DialogProps) {
  const merchantId = useSignedIn()?.merchantId ?? "";
  const before = dispute === undefined ? EMPTY : enteredOf(dispute);
  const [entered, setEntered] = useState<Entered>({
    ...before,
    transaction_id: transactionId || before.transaction_id,
  });
  const saving = useChange<unknown>(() => ({
    path: dispute === undefined ? `merchants/${merchantId}/disputes` : `disputes/${dispute.id}`,
    method: dispute === undefined ? "POST" : "PATCH",
    json: bodyOf(entered, before),
  }));
  const wrong = fieldsOf(saving.error);
  const field = (name: keyof Entered, label: string, more: object = {}) => (
    <TextInput
      label={label}
      value={entered[name]}
      onChange={({ currentTarget: { value } }) => setEntered((all) => ({ ...all, [name]: value }))}
      error={wrong[name]}
      {...more}
    />
  );
  const choice = (name: "stage" | "state", label: string, data: { value: string; label: string }[]) => (
    <Select
      label={label}
      data={data}
      value={entered[name]}
      onChange={(value) => setEntered((all) => ({ ...all, [name]: value ?? all[name] }))}
      allowDeselect={false}
      error={wrong[name] ?? (name === "state" ? (wrong.status ?? wrong.outcome) : undefined)}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate(undefined, { onSuccess: close });
  };
  const nothing = Object.keys(bodyOf(entered, before)).length === 0;
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      centered
      title={<b>{dispute === undefined ? "Enter a dispute" : "Change the dispute"}</b>}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {dispute === undefined &&
            transactionId === "" &&
            field("transaction_id", "Transaction id", { required: true, withAsterisk: false })}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {field("amount", "Disputed", { inputMode: "decimal", required: true, withAsterisk: false })}
            {field("amount_withdrawn", "Withdrawn by the processor", { inputMode: "decimal" })}
            {field("fee", "Fee charged in all", { inputMode: "decimal" })}
            {field("fee_currency", "Currency of the fee", { placeholder: dispute?.currency ?? "As disputed" })}
            {choice(
              "stage",
              "Stage",
              Object.entries(STAGES).map(([value, label]) => ({ value, label })),
            )}
            {choice(
              "state",
              "Status",
              STATES.map((state) => ({ ...state })),
            )}
            {field("reason_code", "The network's code", { placeholder: "13.1" })}
            {field("respond_by", "Respond by, end of the day (UTC)", { type: "date" })}
          </SimpleGrid>
          {field("reason", "Reason, in words", { placeholder: "From the code, if that says it" })}
          {dispute === undefined && field("processor_dispute_id", "The processor's name for it")}
          {saving.isError && <Fault fault={saving.error} shown={SHOWN} />}
          <Group justify="space-between" gap="sm">
            <Text size="xs" c="dimmed">
              The merchant gets webhooks, and the ledger what is withdrawn or charged.
            </Text>
            <Group gap="sm">
              <Button variant="default" onClick={close}>
                Not now
              </Button>
              <Button type="submit" loading={saving.isPending} disabled={nothing}>
                {dispute === undefined ? "Enter it" : "Change it"}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
