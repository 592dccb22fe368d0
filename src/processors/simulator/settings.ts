// The settings of a simulator's record: how it misbehaves, and what it is able to do.

import { type Static, Type } from "typebox";
import { CARD_BRANDS } from "../../payment/card-brand.ts";
import { DEFAULT_TIMEOUT_MS, TIMEOUT_MS_SETTING } from "../kind.ts";
import { CHARGE_DECLINES } from "./processor-response.ts";

const OPERATIONS = ["sale", "auth", "capture", "void", "refund", "reversal"] as const;
export type Operation = (typeof OPERATIONS)[number];

export const SIMULATOR_SETTINGS = Type.Object(
  {
    latency_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 60_000, default: 0, description: "Milliseconds before every answer" }),
    ),
    timeout_ms: Type.Optional(TIMEOUT_MS_SETTING),
    card_brands: Type.Optional(
      Type.Array(Type.Enum(CARD_BRANDS), {
        minItems: 1,
        uniqueItems: true,
        description: "The card brands that it takes; by default all",
      }),
    ),
    refuse_connections: Type.Optional(
      Type.Boolean({ default: false, description: "Every connection is refused: nothing is ever sent" }),
    ),
    declines_with: Type.Optional(
      Type.Enum([...CHARGE_DECLINES], {
        description: "Every sale and auth is declined with this code, whatever the card",
      }),
    ),
    silent_operations: Type.Optional(
      Type.Array(Type.Enum(OPERATIONS), {
        uniqueItems: true,
        default: [],
        description: "Operations that are never answered; reversal is the gateway's own, of a charge without an answer",
      }),
    ),
    partial_void: Type.Optional(
      Type.Boolean({ default: true, description: "Whether a part of an amount can be voided; in CAD it never can" }),
    ),
    multiple_captures: Type.Optional(
      Type.Boolean({ default: true, description: "Whether an authorization can be captured in several parts" }),
    ),
    refund_before_settlement: Type.Optional(
      Type.Boolean({ default: true, description: "Whether money is refunded before it settles; in CAD it never is" }),
    ),
    voids_whole_payments_only: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether only whole payments can be voided: not once a part was captured, voided or refunded",
      }),
    ),
    refunds_captured_authorizations: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether what was captured of an authorization is refunded before it settles, even where a sale is not; in CAD it never is",
      }),
    ),
    settles_unseen: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether money settles at an instant of the window that nobody is told, so that a void may come too late; in CAD " +
          "it always does",
      }),
    ),
  },
  { additionalProperties: false, description: "Settings of the sandbox's simulated processor" },
);

type Settings = Static<typeof SIMULATOR_SETTINGS>;
export type SimulatorSettings = Required<Omit<Settings, "declines_with">> & Pick<Settings, "declines_with">;

/** What holds for the settings that a record leaves out. */
export const SIMULATOR_DEFAULTS: SimulatorSettings = {
  latency_ms: 0,
  timeout_ms: DEFAULT_TIMEOUT_MS,
  card_brands: [...CARD_BRANDS],
  refuse_connections: false,
  silent_operations: [],
  partial_void: true,
  multiple_captures: true,
  refund_before_settlement: true,
  voids_whole_payments_only: false,
  refunds_captured_authorizations: false,
  settles_unseen: false,
};
