// What an apply changes or would change, for people and programs: read from the entries that the audit log gets.

import type { Entry } from "../merchants/backoffice.ts";
import { differing } from "../merchants/given-id.ts";
import type { Extra } from "./extras.ts";

export interface Change {
  readonly action: "create" | "change" | "delete";
  /** "processor", "routing" */
  readonly record: string;
  readonly id: string;
  readonly name: string;
  readonly merchant_id: string | null;
  /** From nothing where the record is new; of a change, what differs. Secrets are dots. */
  readonly fields: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
}

type Shown = Readonly<Record<string, unknown>>;

/** Follow from others, or are of no file. */
const UNTOLD = new Set([
  "id",
  "merchant_id",
  "created_at",
  "updated_at",
  "version",
  "revoked_at",
  "disabled_reason",
  "must_change_password",
  "second_factor",
  "last_signed_in_at",
  "previous_secret_until",
]);

/** @param removed ids that were removed for not being in the file, of which some only change */
export function changesIn(entries: readonly Entry[], removed: ReadonlySet<string>): Change[] {
  return entries
    .filter(({ subject: [what] }) => what !== "declared state")
    .map(({ action, subject: [, id], before, after }) => {
      const [record = "", verb = ""] = action.split(".");
      const [old, now] = [before ?? {}, after ?? {}] as [Shown, Shown];
      const gone = removed.has(id) || verb === "revoke" || verb === "delete";
      const shown = { ...old, ...now };
      return {
        action: gone ? ("delete" as const) : verb === "create" ? ("create" as const) : ("change" as const),
        record: record.replaceAll("-", "_"),
        id,
        name: String(shown.name ?? shown.url ?? shown.email ?? ""),
        merchant_id:
          (shown.merchant_id as string | null | undefined) ?? (record === "merchant" ? id : ownerIn(record, id)),
        fields: verb === "delete" || verb === "revoke" ? [] : fieldsOf(old, now),
      };
    });
}

const ownerIn = (record: string, id: string): string | null =>
  record === "routing" || record === "card-testing" ? id : null;

function fieldsOf(before: Shown, after: Shown): Change["fields"] {
  return differing(after, before)
    .filter((field) => !UNTOLD.has(field))
    .map((field) => ({ field, from: valueAt(before, field) ?? null, to: valueAt(after, field) ?? null }));
}

const valueAt = (shown: Shown, path: string): unknown =>
  path.split(".").reduce<unknown>((at, name) => (at as Shown | null | undefined)?.[name], shown);

/** As the command line prints it. */
export const extraAsJson = ({ record, id, name, merchantId, removable }: Extra) => ({
  ...{ record, id, name, merchant_id: merchantId, removable },
});
