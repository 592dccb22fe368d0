// The secrets among a record's settings, which are stored sealed and apart from the others. What is shown of one is dots, and
// only the gateway that asks the processor opens it. The vault seals and opens.

import { count, object, type Reader, text } from "../journal/rows.ts";
import type { KindDescription } from "../processors/kind.ts";
import type { Problems } from "../validation/problems.ts";
import { CONCEALED, type SettingsOfKind } from "./kind-settings.ts";

export interface SealedSetting {
  readonly keyId: number;
  readonly sealed: Buffer;
}

/** By the setting's name. */
export type SealedSettings = Readonly<Record<string, SealedSetting>>;

/** What vault/setting-vault.ts does. */
export interface SettingSecrets {
  seal(value: unknown, place: PlaceOfRecord & { readonly name: string }): Promise<SealedSetting>;
  /** Undefined: it was changed or moved, or its key is not there. */
  open(sealed: SealedSetting, place: PlaceOfRecord & { readonly name: string }): Promise<unknown>;
}

interface PlaceOfRecord {
  readonly merchantId: string;
  readonly processorId: string;
}

interface Stored {
  readonly merchant_id: string;
  readonly id: string;
  readonly settings: SettingsOfKind;
  readonly sealed_settings: SealedSettings;
}

/** `{"secret_key": {"key": 1, "sealed": "base64"}}` */
export const sealedColumn: Reader<SealedSettings> = (value) =>
  Object.fromEntries(
    Object.entries(object(value)).map(([name, one]) => {
      const { key, sealed } = object(one);
      return [name, { keyId: count(key), sealed: Buffer.from(text(sealed), "base64") }];
    }),
  );

/** As the column has it. */
export const sealedJson = (sealed: SealedSettings): object =>
  Object.fromEntries(
    Object.entries(sealed).map(([name, one]) => [name, { key: one.keyId, sealed: one.sealed.toString("base64") }]),
  );

/** All settings by their names; for a sealed secret, dots. */
export const settingsWithDots = ({ settings, sealed_settings }: Stored): SettingsOfKind => ({
  ...settings,
  ...Object.fromEntries(Object.keys(sealed_settings).map((name) => [name, CONCEALED])),
});

/** Keys as the whole record has them. Empty where the secrets among these settings can be sealed here, or none is new. */
export function problemsOfSecrets(
  kind: KindDescription | undefined,
  settings: SettingsOfKind,
  canSeal: boolean,
): Problems {
  const fresh = (kind?.secretSettings ?? []).filter((name) => isSecretValue(settings[name]));
  const withDots = fresh.filter((name) => String(settings[name]).includes(CONCEALED));
  if (withDots.length > 0) return Object.fromEntries(withDots.map((name) => [`settings.${name}`, [HOLDS_DOTS]]));
  if (canSeal) return {};
  return Object.fromEntries(fresh.map((name) => [`settings.${name}`, [NEEDS_A_MASTER_KEY]]));
}

const HOLDS_DOTS = `holds ${CONCEALED} besides what was typed: give all of the secret, or ${CONCEALED} alone to keep the one that is there`;

const NEEDS_A_MASTER_KEY =
  "is a secret, which is sealed under the gateways' master key, and there is none here: set FAREGATE_MASTER_KEY or " +
  "FAREGATE_MASTER_KEY_FILE, the same for every gateway and for the command line";

const isSecretValue = (value: unknown): boolean => value !== undefined && value !== CONCEALED;

/** A secret that is given again as it is becomes dots: then nothing has changed. */
export async function withoutKnownSecrets(
  kind: KindDescription | undefined,
  row: Stored,
  settings: SettingsOfKind,
  secrets: SettingSecrets | undefined,
): Promise<SettingsOfKind> {
  const same = { ...settings };
  for (const name of kind?.secretSettings ?? []) {
    const before = row.sealed_settings[name];
    if (secrets === undefined || before === undefined || !isSecretValue(settings[name])) continue;
    if ((await secrets.open(before, placeOf(row, name))) === settings[name]) same[name] = CONCEALED;
  }
  return same;
}

/**
 * @param row whose sealed secrets stay where its settings have dots
 * @param settings all of the record's
 * @returns what goes into the two columns
 */
export async function sealedApart(
  kind: KindDescription | undefined,
  row: Omit<Stored, "settings">,
  settings: SettingsOfKind,
  secrets: SettingSecrets | undefined,
): Promise<Pick<Stored, "settings" | "sealed_settings">> {
  const plain = { ...settings };
  const sealed: Record<string, SealedSetting> = {};
  // A kind that is not there any more may have had any secrets: what was sealed stays sealed.
  for (const name of kind?.secretSettings ?? Object.keys(row.sealed_settings)) {
    const value = settings[name];
    delete plain[name];
    const before = row.sealed_settings[name];
    if (value === CONCEALED && before !== undefined) sealed[name] = before;
    else if (value !== undefined) {
      if (secrets === undefined) throw new Error("broken invariant: a secret is to be stored and cannot be sealed");
      sealed[name] = await secrets.seal(value, placeOf(row, name));
    }
  }
  return { settings: plain, sealed_settings: sealed };
}

/** For those who ask the processor. @returns all settings, and the names of those that cannot be opened, if there are any */
export async function openSettings(
  row: Stored,
  secrets: SettingSecrets | undefined,
): Promise<{ readonly settings: SettingsOfKind; readonly unopened?: readonly string[] }> {
  const opened: Record<string, unknown> = { ...row.settings };
  const unopened: string[] = [];
  for (const [name, sealed] of Object.entries(row.sealed_settings)) {
    const value = await secrets?.open(sealed, placeOf(row, name));
    if (value === undefined) unopened.push(name);
    else opened[name] = value;
  }
  return { settings: opened, ...(unopened.length > 0 && { unopened }) };
}

const placeOf = ({ merchant_id, id }: Pick<Stored, "merchant_id" | "id">, name: string) => ({
  merchantId: merchant_id,
  processorId: id,
  name,
});
