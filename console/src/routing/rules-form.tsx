// All rules at once, as the API takes them: it checks them, and refuses them if somebody else has changed them meanwhile.

import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { type FormEvent, useRef, useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import { useRulesChange } from "../api/routing.ts";
import { Fault } from "../parts/states.tsx";
import classes from "./routing.module.css";
import { RuleDraft } from "./rule-draft.tsx";
import { type Draft, draftOf, goingOnInWords, moved, newDraft, type Routing, requestOf } from "./rules.ts";

interface RulesFormProps {
  readonly merchantId: string;
  readonly routing: Routing;
  readonly close: () => void;
}

export function RulesForm({ merchantId, routing, close }: RulesFormProps) {
  // What is edited, and its version, do not change beneath who edits.
  const [version] = useState(routing.version);
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => routing.rules.map(draftOf));
  const [attempts, setAttempts] = useState(routing.attempts_at_most);
  const keys = useRef(drafts.length);
  const changing = useRulesChange(merchantId);
  const wrong = fieldsOf(changing.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate({ rules: drafts.map(requestOf), attempts_at_most: attempts, version }, { onSuccess: close });
  };
  const add = () => {
    keys.current += 1;
    const key = keys.current;
    setDrafts((before) => [...before, newDraft(key)]);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {drafts.length === 0 && (
          <Text size="sm" c="dimmed">
            Without rules a charge is drawn among all processors that can take it.
          </Text>
        )}
        <ol className={classes.drafts}>
          {drafts.map((draft, index) => (
            <RuleDraft
              key={draft.key}
              draft={draft}
              place={{ index, last: index === drafts.length - 1 }}
              wrong={wrong}
              change={(next) => setDrafts((before) => before.map((one) => (one.key === draft.key ? next : one)))}
              move={(by) => setDrafts((before) => moved(before, index, by))}
              remove={() => setDrafts((before) => before.filter(({ key }) => key !== draft.key))}
            />
          ))}
        </ol>
        <Group>
          <Button variant="default" onClick={add}>
            Add a rule
          </Button>
        </Group>
        <Attempts attempts={attempts} set={setAttempts} error={wrong.attempts_at_most} />
        {changing.isError && <Fault fault={changing.error} shown={["rules", "attempts_at_most"]} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            Leave it as it is
          </Button>
          <Button type="submit" loading={changing.isPending}>
            Save the rules
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface AttemptsProps {
  readonly attempts: number;
  readonly set: (attempts: number) => void;
  readonly error: string | undefined;
}

const Attempts = ({ attempts, set, error }: AttemptsProps) => (
  <Select
    label="Most processors that a charge is sent to"
    description={goingOnInWords(attempts)}
    inputWrapperOrder={["label", "input", "description", "error"]}
    maw={420}
    data={["1", "2", "3", "4", "5"]}
    value={String(attempts)}
    onChange={(next) => set(Number(next ?? attempts))}
    allowDeselect={false}
    error={error}
  />
);
