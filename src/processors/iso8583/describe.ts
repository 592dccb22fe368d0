// A message in words, field by field, by its dialect: for support. What the dialect marks is masked or left out, and so is
// whatever else holds a card number, in whichever field a host has put it.

import { maskCard, parseCardNumber } from "../../payment/card.ts";
import type { CardNumber } from "../../payment/secret.ts";
import { holdsCardNumber } from "../../payment/stray-card-number.ts";
import {
  type DescribedMessage,
  type DescribedValue,
  type MessageReader,
  UnreadableMessage,
} from "../message-reader.ts";
import { type Dialect, fieldOf, messageTypeOf, missingFields, type Shown, tagOf, writtenAs } from "./codec/dialect.ts";
import { CodecFault } from "./codec/fault.ts";
import { FrameReader } from "./codec/frames.ts";
import type { Message } from "./codec/message.ts";
import { type Decoded, decodeWhole } from "./codec/message-codec.ts";
import { parseTagged } from "./codec/tagged.ts";
import { withLayouts } from "./field-layouts.ts";
import { framingOf } from "./settings.ts";

const DOTS = "•••";

export function describe({ message, mti, skipped }: Decoded, dialect: Dialect): DescribedMessage {
  const own = ownNumber(message, dialect);
  const fields = [...message.fieldNumbers, ...skipped].toSorted((one, other) => one - other);
  return {
    type: mti,
    name: messageTypeOf(dialect, message.mti)?.name ?? "",
    values: fields.flatMap((field) => {
      const value = message.get(field);
      return value === undefined ? [skippedField(field, dialect)] : valuesOf(field, value, dialect, own);
    }),
    missing: missingFields(dialect, message).map(String),
  };
}

/** Nobody knows what is in it: it may be a track or a PIN. */
const skippedField = (field: number, dialect: Dialect): DescribedValue => ({
  place: `${field}`,
  name: fieldOf(dialect, field)?.name ?? "Not read",
  value: DOTS,
});

/** The card of this message, which is found anywhere else in it too. */
function ownNumber(message: Message, dialect: Dialect): CardNumber | undefined {
  const field = message.fieldNumbers.find((number) => fieldOf(dialect, number)?.shown === "mask");
  return field === undefined ? undefined : parseCardNumber(message.get(field) ?? "");
}

function valuesOf(
  field: number,
  value: string,
  dialect: Dialect,
  own: CardNumber | undefined,
): readonly DescribedValue[] {
  const format = fieldOf(dialect, field);
  const name = format?.name ?? "";
  if (format?.content !== "tagged") return [{ place: `${field}`, name, value: shown(value, format?.shown, own) }];
  return parseTagged(value, dialect, field).map(([tag, inner]) => {
    const described = tagOf(dialect, tag);
    return { place: `${field}.${tag}`, name: described?.name ?? "", value: shown(inner, described?.shown, own) };
  });
}

function shown(value: string, how: Shown | undefined, own: CardNumber | undefined): string {
  if (how === "nothing") return DOTS;
  const number = how === "mask" ? parseCardNumber(value) : undefined;
  if (how === "mask") return number === undefined ? DOTS : maskCard(number);
  return holdsCardNumber(value, { own }) ? DOTS : value;
}

export const messageReader = (dialect: Dialect): MessageReader => ({
  describe(bytes, settings, framed) {
    const { digits = dialect.digits, bitmap = dialect.bitmap, framing, field_layouts = "" } = settings;
    const how = { digits: digits === "bcd" ? "bcd" : "ascii", bitmap: bitmap === "hex" ? "hex" : "binary" } as const;
    const written = withLayouts(writtenAs(dialect, how), String(field_layouts));
    try {
      return messagesIn(bytes, framed ? framingOf(String(framing ?? "")) : undefined).map((one) =>
        describe(decodeWhole(one, written), written),
      );
    } catch (fault) {
      throw fault instanceof CodecFault ? new UnreadableMessage(fault.message) : fault;
    }
  },
});

function messagesIn(bytes: Buffer, framing: ReturnType<typeof framingOf> | undefined): readonly Buffer[] {
  if (framing === undefined) return [bytes];
  const reader = new FrameReader(framing);
  const { frames, fault } = reader.push(bytes);
  if (fault !== null) throw fault;
  if (reader.unfinished) throw new CodecFault(`the last of ${frames.length + 1} frames ends early`);
  return frames;
}
