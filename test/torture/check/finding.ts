// What the checker says: which rule was broken, and by what.

export const RULES = {
  lost: "what was acknowledged is in the journal, with the outcome that was told",
  doubled: "one key is one operation, and each operation is booked once",
  differs: "journal and books agree on operations, amounts and sums",
  guessed: "no outcome stands without evidence in the books",
  open: "everything that was begun comes to an end",
  alive: "a node that lives is not silent for so long that it counts as dead",
} as const;
export type Rule = keyof typeof RULES;

export interface Finding {
  readonly rule: Rule;
  /** With the identifiers by which it is found in notes, journal and books. */
  readonly what: string;
}

export const finding = (rule: Rule, what: string): Finding => ({ rule, what });
