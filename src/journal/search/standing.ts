// What a transaction's events are to a filter of events: the type of each, with its status or the instants at which its money settles.
// As a text, because many transactions have the same one. It stands until something is added to the transaction.

import { FIRST_OUTCOME_KINDS } from "../../payment/outcome.ts";
import { type Standing, standingAlone, standings, statusAt } from "../../payment/status.ts";
import { attemptsOf, EVENT_TYPES, type EventType, type Transaction } from "../../payment/transaction.ts";
import { word } from "../rows.ts";
import type { EventFilter } from "./list-filter.ts";

/** Of the events that responses show, each text once: `refund declined,sale 1935525600000 1935541200000`. */
export function standingOf(transaction: Transaction): string {
  const attempts = attemptsOf(transaction);
  const found = standings(transaction, transaction.createdAt);
  return joined(
    transaction.events.flatMap((event, index) =>
      attempts.includes(event) ? [] : [written(event.type, found[index] ?? "pending")],
    ),
  );
}

/** Between the words of an event on record: its type, its outcome's kind, and two instants in milliseconds. */
const BETWEEN = " ";
/** Of an event without an outcome. */
export const NO_OUTCOME = "none";

/**
 * Of events that have no regard to each other: neither voids, nor several charges, nor what failed after all.
 * @param recorded an event each: `sale approved 1935525600000 1935541200000`
 */
export const standingRecorded = (recorded: readonly string[]): string =>
  joined(
    recorded.map((text) => {
      const [type, kind, cutoffMs, visibleMs] = text.split(BETWEEN);
      const ended = kind === NO_OUTCOME ? null : KIND(kind);
      const settles = cutoffMs === undefined || visibleMs === undefined ? null : settling(cutoffMs, visibleMs);
      return written(TYPE(type), standingAlone(TYPE(type), ended, settles));
    }),
  );

const TYPE = word(EVENT_TYPES);
const KIND = word(FIRST_OUTCOME_KINDS);

const settling = (cutoffMs: string, visibleMs: string) => ({
  cutoffAt: new Date(Number(cutoffMs)),
  visibleAt: new Date(Number(visibleMs)),
});

const joined = (events: readonly string[]): string => [...new Set(events)].sort().join(",");

function written(type: EventType, standing: Standing): string {
  if (typeof standing === "string") return `${type} ${standing}`;
  return `${type} ${standing.cutoffAt.getTime()} ${standing.visibleAt.getTime()}`;
}

/** Whether one event has all of it. */
export function fulfilsEvent(standing: string, { type, status }: EventFilter): boolean {
  return standing.split(",").some((event) => {
    const [its, one = "", other] = event.split(" ");
    if (type !== undefined && its !== type) return false;
    return (
      status === undefined || (other === undefined ? one : statusAt(settling(one, other), status.at)) === status.is
    );
  });
}

/** May it be another one soon, without a change of the transaction that lists would tell? */
export const isPending = (standing: string): boolean => standing.split(",").some((event) => event.endsWith(" pending"));

/** What is settled since before an instant stays so, and says no more than that. */
export const settledSince = (standing: string, instant: Date): string =>
  joined(
    standing.split(",").map((event) => {
      const [type, , visibleMs] = event.split(" ");
      return visibleMs !== undefined && Number(visibleMs) <= instant.getTime() ? `${type} settled` : event;
    }),
  );
