// A transaction without what tells whose it was. Money, times, masks and the merchant's own numbers stay. Pure.

/** Columns of `transactions` that hold something of the payer's. */
export const PAYER_COLUMNS = [
  "first_name",
  "last_name",
  "email",
  "mobile_phone",
  "city",
  "state",
  "zip",
  "shipping_city",
  "shipping_state",
  "shipping_zip",
] as const;

/** Fields in `details` that do. */
const PAYER_FIELDS: ReadonlySet<string> = new Set([
  ...PAYER_COLUMNS,
  "street_address_1",
  "street_address_2",
  "country",
  "shipping_street_address_1",
  "shipping_street_address_2",
  "shipping_country",
  "document_number",
]);

/** In place of a passenger's name, which is part of every passenger. */
export const NO_NAME = "ERASED";

type Json = Readonly<Record<string, unknown>>;

/** @param keepMeta what the merchant sent as `meta` has nothing of the payer's */
export function erasedDetails(details: Json | null, keepMeta: boolean): Json | null {
  if (details === null) return null;
  // The merchant's address may name the payer.
  const { fields, meta, returnUrl: _, ...others } = details;
  const left = Object.entries((fields ?? {}) as Json).filter(([name]) => !PAYER_FIELDS.has(name));
  return {
    ...(left.length > 0 && { fields: Object.fromEntries(left) }),
    ...(keepMeta && meta !== undefined && { meta }),
    ...others,
  };
}

/** The passengers without their names; their ids, tickets and fares stay, since money follows from them. */
export const erasedPassengers = (passengers: readonly Json[] | null): readonly Json[] | null =>
  passengers?.map((one) => ({ ...one, passenger_name: NO_NAME })) ?? null;
