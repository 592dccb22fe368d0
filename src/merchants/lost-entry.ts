// What an operator enters of an operation that the database has lost: as a page of the processor's shows it.

import Type from "typebox";
import { CARD_BRANDS } from "../payment/card-brand.ts";
import { EVENT_TYPES } from "../payment/transaction.ts";
import { Name, Uuid } from "../validation/fields.ts";
import { MUST_BE } from "../validation/problems.ts";
import { MAY_HOLD } from "../validation/stray-card-numbers.ts";
import { Evidence, ProcessorReference } from "./resolution.ts";

const Word = (pattern: string, words: string) => Type.Optional(Type.String({ pattern, [MUST_BE]: words }));

export const LostEntry = Type.Object({
  type: Type.Enum([...EVENT_TYPES]),
  amount: Type.String(),
  currency: Word("^[A-Z]{3}$", "a currency of ISO 4217 in capitals, like USD"),
  reference: ProcessorReference,
  at: Type.String({ format: "date-time" }),
  evidence: Evidence,
  merchant_transaction_id: Type.Optional(Type.String({ ...Name, [MAY_HOLD]: "identifier" })),
  card: Word("^(?=.{8,19}$)[0-9]{0,6}\\*{4,19}[0-9]{0,4}$", "a mask like 411111******1111"),
  brand: Type.Optional(Type.Enum([...CARD_BRANDS])),
  expiry: Word("^(0[1-9]|1[0-2])/20[0-9]{2}$", "a month like 12/2030"),
  auth_code: Word("^[0-9A-Za-z]{1,6}$", "one to six letters and digits"),
  stan: Word("^[0-9]{6}$", "six digits"),
  sent_at: Type.Optional(Type.String({ format: "date-time" })),
  processor_transaction_id: Type.Optional(ProcessorReference),
  transaction: Type.Optional(Uuid),
  event: Type.Optional(Uuid),
});
export type LostEntry = Type.Static<typeof LostEntry>;
