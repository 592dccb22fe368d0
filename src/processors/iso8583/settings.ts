// The settings of a record of this kind: where the host is, how it wants its messages written, and who we are to it.

import { type Static, Type } from "typebox";
import { CARD_BRANDS } from "../../payment/card-brand.ts";
import { MUST_BE } from "../../validation/problems.ts";
import { DEFAULT_TIMEOUT_MS, TIMEOUT_MS_SETTING } from "../kind.ts";
import { type Dialect, writtenAs } from "./codec/dialect.ts";
import type { Framing } from "./codec/frames.ts";
import { FIELD_LAYOUTS_MUST_BE, FIELD_LAYOUTS_PATTERN, withLayouts } from "./field-layouts.ts";
import type { Peer } from "./link/connection.ts";
import type { Acceptor } from "./messages/envelope.ts";

/** Two ASCII digits are left out: no charge is as short as 99 bytes. */
const FRAMINGS: Readonly<Record<string, Framing>> = {
  "binary-2": { bytes: 2, encoding: "binary" },
  "binary-4": { bytes: 4, encoding: "binary" },
  "ascii-4": { bytes: 4, encoding: "ascii" },
};

/** Of the setting `framing`. */
export const framingOf = (name: string): Framing => FRAMINGS[name] ?? { bytes: 2, encoding: "binary" };

const Pem = (description: string) => Type.String({ minLength: 1, maxLength: 65_536, description });
const Printable = (most: number, description: string) =>
  Type.String({ pattern: `^[!-~]([ -~]{0,${most - 2}}[!-~])?$`, description });

export const ISO8583_SETTINGS = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253, description: "Name or IP address of the acquirer's host" }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, description: "TCP port of the acquirer's host" }),
    connections: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 16, default: 1, description: "Connections that each node keeps open" }),
    ),
    framing: Type.Optional(
      Type.Enum(["binary-2", "binary-4", "ascii-4"], {
        default: "binary-2",
        description: "The length before each message: how it is written, and in how many bytes",
      }),
    ),
    digits: Type.Optional(
      Type.Enum(["ascii", "bcd"], {
        default: "ascii",
        description: "How the message type, lengths and fields of digits are written",
      }),
    ),
    bitmap: Type.Optional(
      Type.Enum(["hex", "binary"], { default: "binary", description: "How the bitmaps are written" }),
    ),
    field_layouts: Type.Optional(
      Type.String({
        pattern: FIELD_LAYOUTS_PATTERN,
        [MUST_BE]: FIELD_LAYOUTS_MUST_BE,
        maxLength: 4_096,
        description:
          "Fields that the host writes in another length than ISO 8583:1987 has: `55 llvar, 60 lllvar digits, 127 fixed 8`",
      }),
    ),
    terminal_id: Printable(8, "Terminal (field 41), given by the acquirer; 8 characters at most"),
    merchant_id: Printable(15, "Card acceptor (field 42), given by the acquirer; 15 characters at most"),
    acquirer_id: Type.String({
      pattern: "^[0-9]{1,11}$",
      description: "Acquiring institution (field 32), 1 to 11 digits",
    }),
    merchant_name: Type.Optional(
      Printable(25, "On the cardholder's statement (field 43), where a charge brings no descriptor of its own"),
    ),
    merchant_city: Type.Optional(Printable(13, "On the cardholder's statement (field 43)")),
    merchant_country: Type.Optional(
      Type.String({ pattern: "^[A-Z]{2}$", description: "On the cardholder's statement (field 43), ISO 3166 alpha-2" }),
    ),
    echo_interval_ms: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 600_000,
        default: 30_000,
        description:
          "Milliseconds of silence before the host is asked for an echo; a dead link is found within two such intervals",
      }),
    ),
    tls: Type.Optional(Type.Boolean({ default: false, description: "Whether the connections are encrypted by TLS" })),
    tls_ca: Type.Optional(
      Pem("Certificates, PEM, of the authorities that may sign the host's; by default those of the system"),
    ),
    tls_certificate: Type.Optional(Pem("Our certificate, PEM, for hosts that require one of their clients")),
    tls_key: Type.Optional(Pem("The private key, PEM, of tls_certificate")),
    tls_server_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: "The name on the host's certificate, if it is not the host's own",
      }),
    ),
    result_letters: Type.Optional(
      Type.Enum(["brand", "simulator"], {
        default: "brand",
        description: "Whose AVS and CVV letters the host answers with: the card brand's, or the simulator's for all",
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
    partial_void: Type.Optional(
      Type.Boolean({ default: false, description: "Whether the host can void a part of an amount" }),
    ),
    multiple_captures: Type.Optional(
      Type.Boolean({ default: false, description: "Whether an authorization can be captured in several parts" }),
    ),
    refund_before_settlement: Type.Optional(
      Type.Boolean({ default: false, description: "Whether the host refunds money before it settles" }),
    ),
    stored_credentials: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Whether the host is told of stored cards: fields 22 and 25, and the tags SC and NT. If not, charges that the " +
          "merchant initiates are refused",
      }),
    ),
    card_number_in_follow_ups: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether captures, voids, refunds and reversals carry the card number (field 2) and expiry (field 14). The " +
          "number is then kept sealed; follow-ups of charges made before are refused",
      }),
    ),
  },
  { additionalProperties: false, description: "Settings of an acquirer's host that speaks ISO 8583:1987" },
);

export type Iso8583Settings = Static<typeof ISO8583_SETTINGS>;

export const SECRET_SETTINGS = ["tls_key"] as const;

const DEFAULTS = {
  connections: 1,
  framing: "binary-2",
  digits: "ascii",
  bitmap: "binary",
  field_layouts: "",
  merchant_name: "",
  merchant_city: "",
  merchant_country: "",
  echo_interval_ms: 30_000,
  tls: false,
  result_letters: "brand",
  timeout_ms: DEFAULT_TIMEOUT_MS,
  partial_void: false,
  multiple_captures: false,
  refund_before_settlement: false,
  stored_credentials: true,
  card_number_in_follow_ups: false,
} as const;

export const withDefaults = (settings: Iso8583Settings) => ({
  ...DEFAULTS,
  card_brands: [...CARD_BRANDS],
  ...settings,
});
export type WholeSettings = ReturnType<typeof withDefaults>;

export function peerOf(settings: WholeSettings, dialect: Dialect): Peer {
  const { host, port, tls, framing, digits, bitmap, field_layouts } = settings;
  return {
    host,
    port,
    tls: tls
      ? {
          ca: settings.tls_ca,
          certificate: settings.tls_certificate,
          key: settings.tls_key,
          serverName: settings.tls_server_name,
        }
      : null,
    framing: framingOf(framing),
    dialect: withLayouts(writtenAs(dialect, { digits, bitmap }), field_layouts),
    echoIntervalMs: settings.echo_interval_ms,
  };
}

export const acceptorOf = (settings: WholeSettings): Acceptor => ({
  terminalId: settings.terminal_id,
  merchantId: settings.merchant_id,
  acquirerId: settings.acquirer_id,
  name: settings.merchant_name,
  city: settings.merchant_city,
  country: settings.merchant_country,
});
