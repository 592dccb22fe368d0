// The `settings` of a processor record, which each kind of processor has its own: what is wrong with them, how a change
// is laid over them, and how they are shown without their secrets.
import type { KindDescription } from "../processors/kind.ts";
import { UNREADABLE } from "../validation/fields.ts";
import { noProblems, type Problems, schemaProblems, under } from "../validation/problems.ts";

/** By the kind's name. */
export type Kinds = ReadonlyMap<string, KindDescription>;

export type SettingsOfKind = Readonly<Record<string, unknown>>;

/** What a secret is shown as. Sent back in a change, it means the secret that is there. */
export const CONCEALED = "•••";

/**
 * Keys as the whole record has them: `settings.latency_ms`.
 * @param before in which a sealed secret shows as dots; where it stays, it was checked when it was set
 */
export function problemsOfSettings(
  kind: KindDescription,
  settings: SettingsOfKind,
  before: SettingsOfKind = {},
): Problems {
  const problems: Record<string, readonly string[]> = { ...schemaProblems(kind.settingsSchema, settings) };
  for (const [name, value] of Object.entries(settings)) {
    if (value === CONCEALED && before[name] === CONCEALED && kind.secretSettings.includes(name)) {
      delete problems[name];
      continue;
    }
    if (problems[name] !== undefined) continue;
    if (value === CONCEALED && kind.secretSettings.includes(name)) problems[name] = ["is required: it was never set"];
    // PostgreSQL's jsonb keeps neither NUL nor halves, and none of the others belongs into an address, a name or a key.
    else if (someText(value, isUnreadable)) problems[name] = ["must be a text without control or invisible characters"];
  }
  return noProblems(problems) ? {} : under("settings", problems);
}

const UNREADABLE_CHARACTER = new RegExp(`[${UNREADABLE}]`, "u");
/** Certificates and their keys have several lines. */
const IS_PEM = /^\s*-----BEGIN /;

const isUnreadable = (text: string): boolean =>
  !text.isWellFormed() || UNREADABLE_CHARACTER.test(IS_PEM.test(text) ? text.replaceAll(/[\t\r\n]/g, "") : text);

/** Keys as the whole record has them. @param canSeal whether the gateways have a master key */
export function problemsOfSealing(
  kind: KindDescription,
  { enabled, settings }: { readonly enabled: boolean; readonly settings: SettingsOfKind },
  canSeal: boolean,
): Problems {
  const name = kind.cardNumberSetting;
  if (canSeal || !enabled || name === undefined || settings[name] !== true) return {};
  return { [`settings.${name}`]: [NEEDS_A_MASTER_KEY] };
}

const NEEDS_A_MASTER_KEY =
  "needs a master key, under which card numbers are sealed: set FAREGATE_MASTER_KEY or FAREGATE_MASTER_KEY_FILE for " +
  "the gateway, and start it anew";

/** What is named replaces what is there; null takes it away. A secret that was shown as dots stays. */
export function changedSettings(kind: KindDescription, before: SettingsOfKind, change: SettingsOfKind): SettingsOfKind {
  const unchanged = (name: string, value: unknown) =>
    value === CONCEALED && kind.secretSettings.includes(name) && before[name] !== undefined;
  const changes = Object.entries(change).filter(([name, value]) => !unchanged(name, value));
  return Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(changes) }).filter(([, value]) => value !== null),
  );
}

/** A kind that is not there any more may have had any secrets: then all is one. */
export function concealSecrets(kind: KindDescription | undefined, settings: SettingsOfKind): SettingsOfKind {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      kind === undefined || kind.secretSettings.includes(name) ? CONCEALED : value,
    ]),
  );
}

function someText(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === "string") return test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, inner]) => test(name) || someText(inner, test));
}
