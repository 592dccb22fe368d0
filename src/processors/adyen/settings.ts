// The settings of a record of this kind: the account at Adyen, its keys, and what was agreed on for it.

import { type Static, Type } from "typebox";
import { CARD_BRANDS } from "../../payment/card-brand.ts";
import { DEFAULT_TIMEOUT_MS, TIMEOUT_MS_SETTING } from "../kind.ts";

const HMAC_KEY = "^[0-9A-Fa-f]{64}$";

export const ADYEN_SETTINGS = Type.Object(
  {
    merchant_account: Type.String({
      pattern: "^[!-~]{1,80}$",
      description: "The merchant account's name, as the Customer Area shows it",
    }),
    api_key: Type.String({
      pattern: "^[!-~]{1,512}$",
      description: "Key of an API credential with the roles that the gateway needs",
    }),
    hmac_key: Type.String({
      pattern: HMAC_KEY,
      description: "What Adyen signs the standard webhook with: 64 hexadecimal digits",
    }),
    previous_hmac_key: Type.Optional(
      Type.String({ pattern: HMAC_KEY, description: "The previous HMAC key, as long as Adyen still signs with it" }),
    ),
    webhook_user: Type.Optional(
      Type.String({
        pattern: "^[!-9;-~]{1,255}$",
        description: "User of the webhook's basic authentication, if it has one",
      }),
    ),
    webhook_password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: "Password of the webhook's basic authentication" }),
    ),
    live_url_prefix: Type.Optional(
      Type.String({
        pattern: "^[0-9A-Za-z][0-9A-Za-z-]{0,62}$",
        description:
          "The live account's URL prefix, 1797a841fbb37ca7-YourCompany; without it the test platform is used",
      }),
    ),
    base_url: Type.Optional(
      Type.String({
        pattern: "^(https://[^/?#\\s@]+|http://(127\\.0\\.0\\.1|\\[::1\\]|localhost)(:\\d+)?)(/[^?#\\s]*)?$",
        maxLength: 255,
        description: "Where the API is, if not at Adyen, with the version in its path; http:// only on this machine",
      }),
    ),
    return_url: Type.Optional(
      Type.String({
        pattern: "^https?://[!-~]{1,1000}$",
        default: "https://checkout.invalid/",
        description: "An address for payers after a redirect: Adyen requires one, but nobody is redirected",
      }),
    ),
    capture_delay_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 672,
        default: 1,
        description:
          "Hours after which Adyen captures a sale. Until then one without an answer can be cancelled by our reference; " +
          "at 0 it may have been captured before, and an operator has to look",
      }),
    ),
    multiple_captures: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether Adyen has enabled multiple partial captures for the account",
      }),
    ),
    timeout_ms: Type.Optional(TIMEOUT_MS_SETTING),
    card_brands: Type.Optional(
      Type.Array(Type.Enum(CARD_BRANDS), {
        minItems: 1,
        uniqueItems: true,
        description: "The card brands that the account takes; by default all",
      }),
    ),
  },
  { additionalProperties: false, description: "Settings of a merchant account at Adyen" },
);

export type AdyenSettings = Static<typeof ADYEN_SETTINGS>;

export const ADYEN_SECRETS = ["api_key", "hmac_key", "previous_hmac_key", "webhook_password"] as const;

const DEFAULTS = {
  return_url: "https://checkout.invalid/",
  capture_delay_hours: 1,
  multiple_captures: false,
  timeout_ms: DEFAULT_TIMEOUT_MS,
} as const;

export const withDefaults = (settings: AdyenSettings) => ({
  ...DEFAULTS,
  card_brands: [...CARD_BRANDS],
  ...settings,
});
export type WholeSettings = ReturnType<typeof withDefaults>;

const VERSION = "v72";

/** docs.adyen.com/development-resources/live-endpoints: with the API's version, and no slash at its end. */
export function baseUrlOf({ base_url, live_url_prefix }: AdyenSettings): string {
  if (base_url !== undefined) return base_url.replace(/\/+$/, "");
  if (live_url_prefix === undefined) return `https://checkout-test.adyen.com/${VERSION}`;
  return `https://${live_url_prefix}-checkout-live.adyenpayments.com/checkout/${VERSION}`;
}
