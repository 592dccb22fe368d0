// How an operation ended, as its processor's own site shows it. Only the outcomes that are possible can be chosen.

import { Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import type { UnresolvedEvent } from "../api/operations.ts";
import { useChange } from "../api/setup.ts";
import { Fault } from "../parts/states.tsx";

const OF_A_CHARGE_GIVEN_UP = [{ value: "reversed", label: "The processor holds and takes no money" }];
const OF_ALL_OTHERS = [
  { value: "approved", label: "Approved" },
  { value: "declined", label: "Declined" },
];

interface DialogProps {
  readonly event: UnresolvedEvent;
  readonly close: () => void;
}

export function ResolveDialog({ event, close }: DialogProps) {
  const outcomes = event.given_up ? OF_A_CHARGE_GIVEN_UP : OF_ALL_OTHERS;
  const [outcome, setOutcome] = useState(outcomes.length === 1 ? outcomes[0]?.value : undefined);
  const [evidence, setEvidence] = useState("");
  const [reference, setReference] = useState("");
  const saving = useChange<unknown>(() => ({
    path: `unresolved/${event.event_id}/resolution`,
    method: "POST",
    json: {
      outcome,
      evidence,
      ...(outcome === "approved" && reference !== "" && { processor_transaction_id: reference }),
    },
  }));
  const wrong = fieldsOf(saving.error);
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    saving.mutate(undefined, { onSuccess: close });
  };
  return (
    <Modal opened onClose={close} centered title={<b>How did it end?</b>} closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Select
            label="Outcome at the processor"
            data={outcomes}
            value={outcome ?? null}
            onChange={(value) => setOutcome(value ?? undefined)}
            allowDeselect={false}
            error={wrong.outcome}
          />
          <TextInput
            label="Where you saw that, for the audit log"
            placeholder="Customer Area: refund 8825408195409505"
            value={evidence}
            onChange={({ currentTarget: { value } }) => setEvidence(value)}
            error={wrong.evidence}
          />
          {outcome === "approved" && (
            <TextInput
              label="The processor's reference"
              value={reference}
              onChange={({ currentTarget: { value } }) => setReference(value)}
              error={wrong.processor_transaction_id}
            />
          )}
          <Text size="sm">
            Nobody can check what you enter: a refund that is declined here although it went out can be made a second
            time.
          </Text>
          {saving.isError && (
            <Fault
              fault={saving.error}
              shown={["outcome", "evidence", ...(outcome === "approved" ? ["processor_transaction_id"] : [])]}
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Not now
            </Button>
            <Button type="submit" loading={saving.isPending} disabled={outcome === undefined || evidence.trim() === ""}>
              Enter it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
