// Card numbers and CVVs as values that do not print: whatever writes one out by accident (a log line, an error, JSON)
// writes three dots. This guards against slips, not against code that calls `reveal`; sealing is the vault's work.

const DOTS = "•••";

/** A text that shows only to those who ask for it by name. Its kind keeps one secret from being taken for another. */
export class Secret<Kind extends string> {
  readonly kind: Kind;
  // A private field, not a property: it is out of reach of JSON, structured clones, spreads and debuggers' dumps.
  readonly #text: string;

  constructor(kind: Kind, text: string) {
    this.kind = kind;
    this.#text = text;
  }

  /** The text itself. Every call is a place where it can leak: hand on the Secret wherever that will do. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return DOTS;
  }

  toJSON(): string {
    return DOTS;
  }

  /** What console.log and assert print (node:util, custom inspection functions). */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return DOTS;
  }
}

/** A PAN of 8 to 19 digits. Whether it is one that an issuer could have given out is for `passesLuhn` and the issuer. */
export type CardNumber = Secret<"card number">;

/** Three or four digits; asked of the cardholder for one authorization and kept nowhere after it (PCI DSS 3.3.1). */
export type Cvv = Secret<"CVV">;
