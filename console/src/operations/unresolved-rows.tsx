// One operation in doubt: a line, and when it is opened, what each attempt came to and where to look on.

import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useLocation, useSearch } from "wouter";
import { useNow } from "../api/clock.ts";
import { useMerchants } from "../api/merchants.ts";
import type { UnresolvedEvent } from "../api/operations.ts";
import { may, useSignedIn } from "../api/session.ts";
import { useChange, useSetup } from "../api/setup.ts";
import { Amount, Copyable, Facts, PageLink } from "../parts/parts.tsx";
import { SureButton } from "../setup/setup-page.tsx";
import table from "../transactions/transactions.module.css";
import { OPERATIONS } from "../words/answers.ts";
import { exactly, momentOf, until } from "../words/dates.ts";
import { OpenerCell } from "./opener-cell.tsx";
import classes from "./operations.module.css";
import { ResolveDialog } from "./resolve-dialog.tsx";

const REMEDIES: Readonly<Record<UnresolvedEvent["remedy"], string>> = {
  reverse: "The charge is reversed until the processor confirms it: the cardholder is not charged.",
  repeat: "It is asked again under its own reference until it has an outcome.",
  await: "The processor has accepted it, and will be asked, or will report, how it ended.",
  operator:
    "The processor answers, but does not say how it ended. It is not asked any more: find out there, and enter it.",
};

export function UnresolvedRows({ event }: { readonly event: UnresolvedEvent }) {
  const query = new URLSearchParams(useSearch());
  const [, go] = useLocation();
  const now = useNow();
  const opened = query.get("event") === event.event_id;
  const toggle = () => {
    if (opened) query.delete("event");
    else query.set("event", event.event_id);
    go(`/unresolved?${query}`, { replace: true });
  };
  const { event_type, amount, currency, merchant_transaction_id, since, last_said } = event;
  return (
    <>
      <tr>
        <OpenerCell opened={opened} toggle={toggle} of={event.event_id}>
          {OPERATIONS[event_type]}
        </OpenerCell>
        <td className={table.number}>
          <Amount amount={amount} currency={currency} />
        </td>
        <td className="wide cut">{merchant_transaction_id}</td>
        <td className="wide figures">{momentOf(since)}</td>
        <td className="wide cut">{last_said ?? "None yet"}</td>
        <td>{nextAttempt(event, now)}</td>
      </tr>
      {opened && (
        <tr id={event.event_id}>
          <td colSpan={6} className={classes.opened}>
            <Particulars event={event} />
          </td>
        </tr>
      )}
    </>
  );
}

function nextAttempt({ remedy, in_flight, due_at }: UnresolvedEvent, now: Date): string {
  if (in_flight) return "now";
  if (remedy === "operator") return "none";
  return new Date(due_at) <= now ? "soon" : until(due_at, now);
}

const attemptsOf = ({ remedy, attempts, due_at }: UnresolvedEvent): string =>
  remedy === "operator" ? `${attempts}; no other follows` : `${attempts}; the next at ${exactly(due_at)}`;

function Particulars({ event }: { readonly event: UnresolvedEvent }) {
  const { data: merchants = [] } = useMerchants({ enabled: true });
  const { data: processors = [] } = useSetup("processors", event.merchant_id);
  const merchant = merchants.find(({ id }) => id === event.merchant_id);
  const processor = processors.find(({ id }) => id === event.processor_id);
  const mayOperate = may(useSignedIn(), "operate");
  const link = `/transactions/${event.transaction_id}?merchant=${event.merchant_id}`;
  return (
    <Stack gap="md">
      <Text size="sm">{REMEDIES[event.remedy]}</Text>
      <Facts
        facts={[
          { name: "Order", value: <PageLink href={link}>{event.merchant_transaction_id}</PageLink> },
          { name: "Merchant", value: merchant?.name ?? event.merchant_id },
          { name: "Processor", value: processor?.name ?? event.processor_id },
          { name: "Unknown since", value: exactly(event.since) },
          { name: "Attempts", value: attemptsOf(event) },
          { name: "Reference", value: <Copyable value={event.event_id} what="the event's id" /> },
          { name: "Request", value: event.request_id && <Copyable value={event.request_id} what="the request's id" /> },
        ]}
      />
      {event.history.length > 0 && <History event={event} />}
      {mayOperate && (
        <Group>
          <Resolve event={event} />
          {processor?.enabled && <SwitchOff id={processor.id} name={processor.name} />}
        </Group>
      )}
    </Stack>
  );
}

const History = ({ event: { history, attempts } }: { readonly event: UnresolvedEvent }) => (
  <div>
    <Text size="sm" fw={560} mb={6}>
      {attempts > history.length + 1 ? "The first attempt and the last twenty" : "What came of each attempt"}
    </Text>
    <ol className={classes.history}>
      {history.map(({ at, said }) => (
        <li key={at + said}>
          <span className="figures">{exactly(at)}</span> <span>{said}</span>
        </li>
      ))}
    </ol>
  </div>
);

function Resolve({ event }: { readonly event: UnresolvedEvent }) {
  const [entering, dialog] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Enter how it ended
      </Button>
      {entering && <ResolveDialog event={event} close={dialog.close} />}
    </>
  );
}

function SwitchOff({ id, name }: { readonly id: string; readonly name: string }) {
  const switching = useChange<unknown>(() => ({ path: `processors/${id}`, method: "PATCH", json: { enabled: false } }));
  return (
    <SureButton
      does="Switch the processor off"
      means={`${name} takes no new charges until it is switched on again under Processors. What is in doubt goes on being asked.`}
      work={switching}
    />
  );
}
