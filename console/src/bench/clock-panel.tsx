// The sandbox's clock: what time it is, and the instants of a settlement day to move it to.

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { readsClock, useClock, useMoveClock } from "../api/clock.ts";
import { wordsOfRead } from "../api/read.ts";
import { useSignedIn } from "../api/session.ts";
import { Panel } from "../parts/parts.tsx";
import { Fault } from "../parts/states.tsx";
import { nextAt } from "../settlement/day.ts";
import { OperatorTokenForm } from "../setup/operator-token-form.tsx";
import { exactly } from "../words/dates.ts";

/** Of a default schedule (UTC). */
const JUMPS = [
  { label: "Automatic capture", time: "20:30" },
  { label: "Cut-off", time: "22:00" },
  { label: "Settled", time: "02:20" },
] as const;
const DAY_MS = 86_400_000;

export function ClockPanel() {
  const who = useSignedIn();
  const reads = readsClock(who);
  const clock = useClock({ enabled: reads });
  return (
    <Panel title="Clock">
      {clock.data !== undefined ? (
        <Clock now={clock.data} />
      ) : !reads ? (
        <OperatorTokenForm opens="Show the clock" />
      ) : (
        <Text size="sm" c="dimmed">
          {clock.error !== null ? `The clock cannot be read. ${wordsOfRead(clock.error)}` : "…"}
        </Text>
      )}
    </Panel>
  );
}

function Clock({ now }: { readonly now: Date }) {
  const moving = useMoveClock();
  const [wanted, setWanted] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    moving.mutate(new Date(`${wanted}Z`));
  };
  const jumps = [
    ...JUMPS.map(({ label, time }) => ({ label: `${label} ${time}`, to: nextAt(now, time) })),
    { label: "One day", to: new Date(now.getTime() + DAY_MS) },
  ];
  return (
    <Stack gap="md">
      <div>
        <Text size="lg" fw={600} className="figures" role="status">
          {exactly(now)}
        </Text>
        <Text size="sm" c="dimmed">
          It only moves forward. Everything that falls due on the way is done, in order.
        </Text>
      </div>
      <Group gap="xs">
        {jumps.map(({ label, to }) => (
          <Button key={label} size="xs" variant="default" disabled={moving.isPending} onClick={() => moving.mutate(to)}>
            {label}
          </Button>
        ))}
      </Group>
      <form onSubmit={submit} noValidate>
        <Group gap="xs" align="flex-end">
          <TextInput
            label="Another time (UTC)"
            type="datetime-local"
            size="xs"
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="default" loading={moving.isPending} disabled={wanted === ""}>
            Move
          </Button>
        </Group>
      </form>
      {moving.isError && <Fault fault={moving.error} />}
    </Stack>
  );
}
