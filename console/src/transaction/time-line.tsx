// What happened to a transaction, newest first: each event with what the processor said and what that means, and below them the
// processors that were tried in vain.

import type { CSSProperties, ReactNode } from "react";
import type { Attempt, Event, Transaction } from "../../../packages/client/src/openapi.ts";
import { useProcessors } from "../api/queries.ts";
import { Icon, type IconName } from "../parts/icons.tsx";
import { Amount, Copyable, PageLink, Status } from "../parts/parts.tsx";
import { attemptOf, meaningOf, OPERATIONS } from "../words/answers.ts";
import { exactly, momentOf } from "../words/dates.ts";
import { statusOfEvent } from "../words/status.ts";
import classes from "./transaction.module.css";

export function TimeLine({ transaction }: { readonly transaction: Transaction }) {
  const { events, attempts = [], currency } = transaction;
  return (
    <ol className={classes.line}>
      {events.map((event) => (
        <EventEntry key={event.id} event={event} currency={currency} />
      ))}
      {attempts.toReversed().map((attempt) => (
        <AttemptEntry key={`${attempt.processor_id} ${attempt.created_at}`} attempt={attempt} />
      ))}
    </ol>
  );
}

type MarkTone = "good" | "wait" | "bad";

interface EntryProps {
  readonly tone: MarkTone;
  readonly head: ReactNode;
  readonly at: string;
  readonly children?: ReactNode;
}

const MARKS: Readonly<Record<MarkTone, IconName>> = { good: "check", wait: "clock", bad: "cross" };

function Entry({ tone, head, at, children }: EntryProps) {
  const colours = { "--tone": `var(--${tone})`, "--tone-soft": `var(--${tone}-soft)` } as CSSProperties;
  return (
    <li className={classes.event}>
      <span className={classes.mark} style={colours}>
        <Icon name={MARKS[tone]} size={14} />
      </span>
      <div>
        <div className={classes.eventHead}>
          {head}
          <time className={classes.eventTime} dateTime={at} title={exactly(at)}>
            {momentOf(at)}
          </time>
        </div>
        {children}
      </div>
    </li>
  );
}

function EventEntry({ event, currency }: { readonly event: Event; readonly currency: string }) {
  const meaning = meaningOf(event);
  const head = (
    <>
      <span className={classes.eventName}>{OPERATIONS[event.event_type]}</span>
      <Amount amount={event.amount} currency={currency} />
      <Status label={statusOfEvent(event)} />
      {event.by_processor && <span className={classes.byProcessor}>Made at the processor</span>}
    </>
  );
  return (
    <Entry tone={toneOf(event)} head={head} at={event.created_at}>
      {event.processor_message !== null && (
        <p className={classes.said}>
          {event.processor_code !== null && <span className="code">{event.processor_code}</span>}{" "}
          {event.processor_message}
          {event.processor_code_detail !== null && ` (${event.processor_code_detail})`}
        </p>
      )}
      {meaning !== undefined && <p className={classes.meaning}>{meaning}</p>}
      <References event={event} />
    </Entry>
  );
}

function toneOf({ status, success }: Event): MarkTone {
  if (status === "pending") return "wait";
  return success ? "good" : "bad";
}

function References({ event: { auth_code, processor_transaction_id, batch_id } }: { readonly event: Event }) {
  if (auth_code === null && processor_transaction_id === null && batch_id === null) return null;
  return (
    <div className={classes.references}>
      {auth_code !== null && (
        <span>
          Authorization code <Copyable value={auth_code} what="the authorization code" />
        </span>
      )}
      {processor_transaction_id !== null && (
        <span>
          Reference <Copyable value={processor_transaction_id} what="the processor's reference" />
        </span>
      )}
      {batch_id !== null && <PageLink href={`/batches/${batch_id}`}>Settlement batch</PageLink>}
    </div>
  );
}

function AttemptEntry({ attempt }: { readonly attempt: Attempt }) {
  const { data: processors = [] } = useProcessors();
  const name = processors.find(({ id }) => id === attempt.processor_id)?.name ?? attempt.processor_id;
  const { title, meaning } = attemptOf(name, attempt);
  return (
    <Entry tone="bad" at={attempt.created_at} head={<span className={classes.eventName}>{title}</span>}>
      {attempt.processor_code !== null && (
        <p className={classes.said}>
          <span className="code">{attempt.processor_code}</span> {attempt.processor_message}
        </p>
      )}
      <p className={classes.meaning}>{meaning}</p>
    </Entry>
  );
}
