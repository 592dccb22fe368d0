// An entry of the audit log in words: what was done, what it was done to and where that is shown, and which fields are others now.

import type { AuditEntry, Fields } from "../api/operations.ts";

const DONE: Readonly<Record<string, string>> = {
  create: "created",
  change: "changed",
  revoke: "revoked",
  delete: "deleted",
  replay: "sent again",
};

const SAID: Readonly<Record<string, string>> = {
  "session.create": "Signed in",
  "session.revoke": "Signed out",
  "clock.change": "Clock moved",
  "card.create": "Card stored",
  "webhook.replay": "Webhooks sent again",
  "resolution.create": "Outcome entered",
};

const PAID: Readonly<Record<string, string>> = {
  sale: "Charged",
  auth: "Authorized",
  capture: "Captured",
  void: "Voided",
  refund: "Refunded",
  reversal: "Reversed",
};

/** `Person changed`; what was refused as it was asked: `POST /operator/merchants`. */
export function actionOf({ action }: Pick<AuditEntry, "action">): string {
  const said = SAID[action] ?? PAID[/^POST \/api\/transactions\/(?::transaction_id\/)?(\w+)$/.exec(action)?.[1] ?? ""];
  if (said !== undefined) return said;
  const [, record = "", verb = ""] = /^([a-z-]+)\.([a-z]+)$/.exec(action) ?? [];
  const words = record.replaceAll("-", " ");
  return words === "" ? action : `${words.charAt(0).toUpperCase()}${words.slice(1)} ${DONE[verb] ?? verb}`;
}

const ofRecord = (record: string) => ({
  value: `${record}.`,
  label: `${record.charAt(0).toUpperCase()}${record.slice(1).replace("-", " ")}`,
});

/** What a merchant's entries can be narrowed by. */
export const ACTIONS = [
  { value: "session.create", label: "Signed in" },
  { value: "POST /session", label: "Sign-in refused" },
  ...[
    "person",
    "merchant",
    "card",
    "user",
    "token",
    "processor",
    "routing",
    "webhook",
    "dispute",
    "plan",
    "resolution",
    "card-testing",
  ].map(ofRecord),
  { value: "POST /api/", label: "What people did to payments" },
] as const;

/** What all entries can be narrowed by: some are no merchant's. */
export const ALL_ACTIONS = [...ACTIONS, ...["clock", "operator-token", "data-key"].map(ofRecord)] as const;

export interface Subject {
  readonly name: string;
  /** Undefined where it has none. */
  readonly id: string | undefined;
  /** The page that shows it; undefined where none does. */
  readonly href: string | undefined;
}

const UUID = /^[0-9a-f-]{36}$/;

/** `person 0193…` */
export function subjectOf({ subject, before, after }: Pick<AuditEntry, "subject" | "before" | "after">): Subject {
  const cut = subject.lastIndexOf(" ");
  const [name, last] = cut < 0 ? [subject, ""] : [subject.slice(0, cut), subject.slice(cut + 1)];
  if (!UUID.test(last)) return { name: subject, id: undefined, href: undefined };
  const { merchant_id: merchant, transaction_id: transaction } = after ?? before ?? {};
  const of = typeof merchant === "string" ? `?merchant=${merchant}` : "";
  if (name === "unresolved event") return { name, id: last, href: placeOf("transaction", String(transaction), of) };
  return { name, id: last, href: placeOf(name, last, of) };
}

function placeOf(name: string, id: string, of: string): string | undefined {
  switch (name) {
    case "person":
      return `/people/${id}${of}`;
    case "merchant":
      return `/merchants/${id}`;
    case "dispute":
      return `/disputes/${id}${of}`;
    case "plan":
      return `/plans/${id}${of}`;
    case "transaction":
      return `/transactions/${id}${of}`;
    case "card":
      return `/cards/${id}${of}`;
    case "processor":
      return `/processors/${id}${of}`;
    case "token":
      return `/tokens${of}`;
    case "webhook":
      return `/webhooks${of}`;
    case "user":
      return `/people${of}`;
    default:
      return undefined;
  }
}

export interface FieldChange {
  readonly name: string;
  readonly was: string | undefined;
  readonly is: string | undefined;
}

/** Fields that are others than before; of a new or gone record all that it has. */
export function changesOf(before: Fields | null, after: Fields | null): readonly FieldChange[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => ({ name, was: textOf(before?.[name]), is: textOf(after?.[name]) }))
    .filter(({ was, is }) => was !== is);
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
