// What all changes of merchants' records share: their context, their author, and their results.
import type { Clock } from "../clock.ts";
import type { Sql } from "../journal/database.ts";
import type { Mode } from "../settings.ts";
import { NIL_UUID } from "../uuid.ts";
import type { Problems } from "../validation/problems.ts";
import type { AuditKey } from "./audit-chain.ts";
import type { Kinds } from "./kind-settings.ts";
import type { SettingSecrets } from "./setting-secrets.ts";

export interface Backoffice {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly mode: Mode;
  readonly kinds: Kinds;
  /** What the audit log is sealed with. Throws where the secret is not known. */
  readonly auditKey: () => Promise<AuditKey>;
  /** Whether the gateways have a master key. Without one no record can have card numbers kept. */
  readonly canSeal?: boolean;
  /** Seals the secrets among records' settings. Without it, none can be set. */
  readonly secrets?: SettingSecrets | undefined;
  /** Hears of each entry that the audit log gets, before it is committed. */
  readonly noted?: (entry: Entry) => void;
}

export interface Author {
  /** "operator Jane", "command line root" */
  readonly actor: string;
  /** The IP address, or "command line". */
  readonly source: string;
  /** Whose own people it is one of: they make only so much, and their changes take turns. */
  readonly merchantId?: string;
}

/** A session is created by signing in. */
export type AuditAction = `${string}.${"create" | "change" | "revoke" | "delete" | "replay" | "ping" | "verify"}`;

export interface Entry {
  readonly action: AuditAction;
  readonly subject: readonly [RecordName | "clock" | "data key" | "recovery" | "declared state", string];
  /** Whose it is, where the record itself does not say it. */
  readonly merchantId?: string;
  /** As the API shows the record. */
  readonly before?: object;
  readonly after?: object;
}

export type Done<T> = { readonly kind: "done"; readonly value: T };
export type Invalid = { readonly kind: "invalid"; readonly problems: Problems };
/** Nothing has this id. */
export type Unknown = { readonly kind: "unknown"; readonly what: RecordName; readonly id: string };
export type RecordName =
  | "merchant"
  | "user"
  | "token"
  | "operator token"
  | "processor"
  | "webhook"
  | "delivery"
  | "person"
  | "dispute"
  | "card"
  | "plan"
  | "unresolved event";

/** The same input created it before: nothing was done now. */
export type Existed<T> = { readonly kind: "existed"; readonly value: T };
/** A record with this id is there, and it is not what was to be created. */
export type Conflict = {
  readonly kind: "conflict";
  readonly what: RecordName;
  readonly id: string;
  /** Names of fields, dotted. */
  readonly differs: readonly string[];
};

/** It was done; this is what it gives. */
export const done = <T>(value: T): Done<T> => ({ kind: "done", value });
/** Not done: the input is wrong. */
export const invalid = (problems: Problems): Invalid => ({ kind: "invalid", problems });
/** Not done: it is there already, as it was to be. */
export const existed = <T>(value: T): Existed<T> => ({ kind: "existed", value });
/** Not done: something else is there. */
export const conflict = (what: RecordName, id: string, differs: readonly string[]): Conflict => ({
  kind: "conflict",
  what,
  id,
  differs,
});
/** Not done: there is no such record. */
export const unknown = (what: RecordName, id: string): Unknown => ({ kind: "unknown", what, id });

/** Lists are read in parts: oldest first, from the record after this one. */
export interface Page {
  readonly after?: string;
  /** 1 to 1,000. */
  readonly limit?: number;
}
export const MOST_LISTED = 1000;

/** What a list starts after: ids of version 7 ascend with time, and nothing is below this one. */
export const startOf = ({ after }: Page): string => after ?? NIL_UUID;
/** How many records a page has at most. */
export const limitOf = ({ limit = MOST_LISTED }: Page): number => Math.min(Math.max(limit, 1), MOST_LISTED);
