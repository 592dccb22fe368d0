// The settings of a record of this kind: the account's keys, and what was agreed on with Stripe about it.

import { type Static, Type } from "typebox";
import { CARD_BRANDS } from "../../payment/card-brand.ts";
import { TIMEOUT_MS_SETTING } from "../kind.ts";

export const STRIPE_SETTINGS = Type.Object(
  {
    secret_key: Type.String({
      pattern: "^(sk|rk)_(test|live)_[0-9A-Za-z]{4,250}$",
      description: "Secret or restricted key of the account, sk_… or rk_…; …_test_… moves no money",
    }),
    webhook_secret: Type.Optional(
      Type.String({
        pattern: "^whsec_[!-+\\--~]{4,250}(,whsec_[!-+\\--~]{4,250})?$",
        description:
          "Signing secret of the webhook endpoint, whsec_…; while it is being rolled, both, separated by a comma",
      }),
    ),
    base_url: Type.Optional(
      Type.String({
        // Card numbers leave the machine encrypted or not at all.
        pattern: "^(https://[^/?#@\\s]+|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]+)?)$",
        maxLength: 255,
        default: "https://api.stripe.com",
        description: "Where the API is, for test and live keys alike; http:// only on this machine",
      }),
    ),
    connections: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 500,
        default: 100,
        description: "The most connections that each node keeps open; further requests wait for one",
      }),
    ),
    timeout_ms: Type.Optional(TIMEOUT_MS_SETTING),
    card_brands: Type.Optional(
      Type.Array(Type.Enum(CARD_BRANDS), {
        minItems: 1,
        uniqueItems: true,
        description: "The card brands that the account takes; by default all but maestro, elo and hipercard",
      }),
    ),
    multiple_captures: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether Stripe has enabled multicapture, so that an authorization can be captured in several parts",
      }),
    ),
  },
  { additionalProperties: false, description: "Settings of an account at Stripe" },
);

export type StripeSettings = Static<typeof STRIPE_SETTINGS>;

export const SECRET_SETTINGS = ["secret_key", "webhook_secret"] as const;

/** Visa, Mastercard, American Express, Discover, Diners Club, JCB and UnionPay: https://docs.stripe.com/payments/cards/supported-card-brands */
const BRANDS = CARD_BRANDS.filter((brand) => !["maestro", "elo", "hipercard"].includes(brand));

export const withDefaults = (settings: StripeSettings) => ({
  base_url: "https://api.stripe.com",
  connections: 100,
  card_brands: BRANDS,
  multiple_captures: false,
  ...settings,
});
export type WholeSettings = ReturnType<typeof withDefaults>;
