// What the command line refuses, in the words of its options.
import type { Conflict, Done, Existed, Invalid, Unknown } from "../merchants/backoffice.ts";
import { DISPUTE_REFUSALS } from "../merchants/disputes/refusal-texts.ts";
import { renderAmount } from "../payment/money.ts";
import type { Refusal, RefusalName, Refused as Refusals } from "../payment/refusal.ts";
import type { Problems } from "../validation/problems.ts";

/** A command that cannot be carried out, in words for the person at the terminal. */
export class Refused extends Error {
  override readonly name = "Refused";
  /** The command line itself is wrong: exit code 2 instead of 1. */
  readonly usage: boolean;
  /** For programs. */
  readonly code: string;
  /** By field, as the API names them; undefined where it is about none. */
  readonly fields: Problems | undefined;
  constructor(
    message: string,
    { usage = false, code, fields }: Partial<Pick<Refused, "usage" | "code" | "fields">> = {},
  ) {
    super(message);
    this.usage = usage;
    this.code = code ?? (usage ? "wrong-command-line" : "refused");
    this.fields = fields;
  }
}

/** How a command failed. */
export interface Failure {
  readonly exitCode: number;
  /** For programs. */
  readonly code: string;
  readonly text: string;
  readonly fields?: Problems;
}

/** The record, or a refusal that names everything that is wrong. */
export function orRefuse<T>(result: Done<T> | Invalid | Unknown | Refusals): T {
  switch (result.kind) {
    case "done":
      return result.value;
    case "unknown":
      throw new Refused(`there is no ${result.what} ${result.id}`, { code: "not-found" });
    case "refused":
      throw new Refused(result.refusals.map((refusal) => `${optionOf(refusal.field)}: ${textOf(refusal)}`).join(" "), {
        usage: true,
        code: result.refusals.map(({ name }) => name).join(", "),
        fields: Object.fromEntries(result.refusals.map((refusal) => [refusal.field, [textOf(refusal)]])),
      });
    case "invalid": {
      const problems = Object.entries(result.problems).map(([field, [text]]) =>
        field === "base" ? text : `${optionOf(field)} ${text}`,
      );
      throw new Refused(problems.join("; "), { usage: true, code: "invalid-request", fields: result.problems });
    }
  }
}

/** As the gateway's record says it was created before: nothing of it is shown once only. */
export type Created<T, E> =
  | { readonly value: T; readonly existed: false }
  | { readonly value: E; readonly existed: true };

/** What a create gives, now or before, or a refusal that names everything that is wrong. */
export function orRefuseCreated<T, E>(result: Done<T> | Existed<E> | Conflict | Invalid | Unknown): Created<T, E> {
  switch (result.kind) {
    case "existed":
      return { value: result.value, existed: true };
    case "conflict": {
      const { what, id, differs } = result;
      const text = `there is a ${what} ${id} already, and it differs in ${differs.map(optionOf).join(", ")}`;
      const fields = differs.map((name) => [name, [`differs from that of the ${what} with this id`]]);
      throw new Refused(text, { code: "exists-already", fields: { base: [text], ...Object.fromEntries(fields) } });
    }
    default:
      return { value: orRefuse(result), existed: false };
  }
}

const textOf = ({ name, most }: Refusal): string => {
  const text = (DISPUTE_REFUSALS as Partial<Record<RefusalName, string>>)[name] ?? name;
  return most === undefined ? text : `${text}: at most ${renderAmount(most)}.`;
};

/** A list, or a refusal where there is no such merchant. */
export function listOf<T>(list: T | undefined, merchantId: string): T {
  if (list === undefined) throw new Refused(`there is no merchant ${merchantId}`, { code: "not-found" });
  return list;
}

const OPTIONS: Readonly<Record<string, string>> = {
  user_id: "--user",
  transaction_id: "--transaction",
  rate_limit_per_minute: "--rate-limit",
  event_types: "--event-types",
  delivery_id: "--delivery",
  "requires.cvv": "--require-cvv",
  "requires.names": "--require-names",
  "requires.document": "--require-document",
};

/** `settlement.cutoff_at` → `--cutoff-at`, `settings.latency_ms` → `--set latency_ms`, `scopes.1` → `--scopes` */
function optionOf(field: string): string {
  const [first = "", second] = field.split(".");
  if (first === "settings" && second !== undefined) return `--set ${field.slice("settings.".length)}`;
  const named = OPTIONS[field] ?? OPTIONS[`${first}.${second}`];
  if (named !== undefined) return named;
  return `--${(first === "settlement" && second ? second : first).replaceAll("_", "-")}`;
}
