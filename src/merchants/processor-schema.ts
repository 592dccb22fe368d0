// The schemas of processor records: what one is created from, what it is changed by, and how it is shown. What no schema
// can say about the input stands in processor-input.ts.
import Type from "typebox";
import { CARD_BRANDS } from "../payment/card-brand.ts";
import { Name, nullable, Timestamp, Uuid } from "../validation/fields.ts";
import { MUST_BE } from "../validation/problems.ts";
import { MAY_HOLD } from "../validation/stray-card-numbers.ts";
import { GIVEN_ID } from "./given-id.ts";

const TIME_OF_DAY = "a time of day from 00:00 to 23:59 (UTC)";
const TimeOfDay = (description: string, example: string) =>
  Type.String({ pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$", [MUST_BE]: TIME_OF_DAY, description, examples: [example] });

const AutoCaptureAt = nullable(TimeOfDay("", "20:30"), {
  [MUST_BE]: `${TIME_OF_DAY}, or null`,
  description: "When authorizations are captured of which nothing was captured or voided; null: only when asked to.",
  examples: ["20:30"],
});
const CutoffAt = TimeOfDay("What was captured before it is in that day's batch.", "22:00");
const SettledAt = TimeOfDay("When the batch has settled at the processor.", "02:00");
const VisibleAt = TimeOfDay("When the API shows the batch as settled.", "02:20");

const CvvOf = Type.Array(Type.Enum([...CARD_BRANDS]), {
  uniqueItems: true,
  description: "Brands whose charges must carry a CVV.",
  examples: [["visa", "mastercard", "amex"]],
});
const Names = Type.Boolean({ description: "Charges must carry first and last name of two characters or more." });
const Document = Type.Boolean({ description: "Charges must carry a Brazilian CPF or CNPJ." });

const RequiresGiven = Type.Object({
  cvv: Type.Optional(CvvOf),
  names: Type.Optional(Names),
  document: Type.Optional(Document),
});
const ScheduleGiven = Type.Object({
  auto_capture_at: Type.Optional(AutoCaptureAt),
  cutoff_at: Type.Optional(CutoffAt),
  settled_at: Type.Optional(SettledAt),
  visible_at: Type.Optional(VisibleAt),
});
const SettingsGiven = Type.Record(Type.String(), Type.Unknown(), {
  [MUST_BE]: "an object",
  // Terminals, accounts and keys have numbers that others have chosen.
  [MAY_HOLD]: "anything",
  description: "Settings of the kind. A secret is taken and never shown again.",
  examples: [{ latency_ms: 50 }],
});
const Enabled = Type.Boolean({ description: "Charges that name it are refused while it is not." });
const InRotation = Type.Boolean({ description: "It may be drawn when a charge names no processor." });
const Kind = Type.String({ minLength: 1, maxLength: 64, description: "Fixed for good.", examples: ["simulator"] });
export const CURRENCY = "a currency of ISO 4217 in capitals, like USD";
const Currency = Type.String({
  pattern: "^[A-Z]{3}$",
  [MUST_BE]: CURRENCY,
  description: "ISO 4217: the currency of every transaction that goes through it. Fixed for good.",
  examples: ["CAD"],
});
const ProcessorName = { ...Name, examples: ["Acquirer in Canada"] };

export const NewProcessor = Type.Object(
  {
    ...GIVEN_ID,
    name: ProcessorName,
    kind: Kind,
    currency: Currency,
    enabled: Type.Optional(Enabled),
    in_rotation: Type.Optional(InRotation),
    requires: Type.Optional(RequiresGiven),
    settlement: Type.Optional(ScheduleGiven),
    settings: Type.Optional(SettingsGiven),
  },
  { description: "What a processor record is created from; what is left out gets its default." },
);
export type NewProcessor = Type.Static<typeof NewProcessor>;

export const ProcessorChange = Type.Object(
  {
    name: Type.Optional(ProcessorName),
    enabled: Type.Optional(Enabled),
    in_rotation: Type.Optional(InRotation),
    requires: Type.Optional(RequiresGiven),
    settlement: Type.Optional(ScheduleGiven),
    settings: Type.Optional(SettingsGiven),
  },
  { description: "What is named is changed, also inside of the objects; a setting that is null is taken away." },
);
export type ProcessorChange = Type.Static<typeof ProcessorChange>;

export const Processor = Type.Object({
  id: Uuid,
  merchant_id: Uuid,
  name: ProcessorName,
  kind: Kind,
  currency: Currency,
  enabled: Enabled,
  in_rotation: InRotation,
  requires: Type.Required(RequiresGiven),
  settlement: Type.Required(ScheduleGiven),
  settings: SettingsGiven,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Processor = Type.Static<typeof Processor>;
