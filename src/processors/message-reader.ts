// What bytes on the way to or from a processor say, for a person who looks for a fault: field by field, with a card number
// masked and a CVV left out. A kind whose protocol is worth reading brings a reader.

export interface DescribedValue {
  /** A field, or a part of it: `48.TI`. */
  readonly place: string;
  readonly name: string;
  /** Nothing in it that is not for people's eyes. */
  readonly value: string;
}

export interface DescribedMessage {
  readonly type: string;
  readonly name: string;
  readonly values: readonly DescribedValue[];
  /** Fields that such a message must have, and this one has not. */
  readonly missing: readonly string[];
}

/** The bytes are no message; says where they stop to be one, and nothing of what is in them. */
export class UnreadableMessage extends Error {
  override readonly name = "UnreadableMessage";
}

export interface MessageReader {
  /**
   * @param settings of a record of the kind, as far as they say how messages are written
   * @param framed whether each message comes after its length; otherwise the bytes are one message
   * @throws UnreadableMessage
   */
  describe(bytes: Buffer, settings: Readonly<Record<string, unknown>>, framed: boolean): readonly DescribedMessage[];
}
