// The questions that wait for an answer, and how an answer finds its own: by message type, STAN, terminal and RRN together, and by
// contradicting its question in nothing that tells one operation from another (decision F5). What fits no question is for nobody.

import { approvesAPart } from "../answers/response-codes.ts";
import { answerTypeOf, type Dialect, isWhole } from "../codec/dialect.ts";
import type { Message } from "../codec/message.ts";

export type Reply =
  | { readonly kind: "answered"; readonly message: Message }
  | { readonly kind: "unanswered"; readonly why: string }
  | { readonly kind: "not-sent"; readonly why: string };

/** STAN, terminal, RRN: each of fixed length, so that no two sets of them read alike. */
const MATCHED: readonly number[] = [11, 41, 37];
const AMOUNT = 4;
/** Where an answer has one of these, it is that of its question. Times are not among them: many a host writes its own. */
const ECHOED: readonly number[] = [3, AMOUNT, 32, 42, 49];

/** What is kept of a question while it waits: neither its card nor its CVV. */
interface Waiting {
  readonly key: string;
  readonly echoed: readonly (string | undefined)[];
  /** Which connection it left by. */
  readonly by: object;
  readonly end: (reply: Reply) => void;
}

export class Pending {
  /** The same question asked twice at once waits twice for the one answer. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  readonly #dialect: Dialect;
  #size = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns how to stop waiting */
  add(question: Message, by: object, end: (reply: Reply) => void): () => void {
    const key = keyOf(answerTypeOf(question.mti), question);
    const waiting: Waiting = { key, echoed: ECHOED.map((field) => question.get(field)), by, end };
    const same = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, same.add(waiting));
    this.#size++;
    return () => this.#remove(waiting);
  }

  /** @returns why nobody was answered by this message, or null */
  answer(message: Message): string | null {
    const key = keyOf(message.mti, message);
    const same = this.#waiting.get(key);
    const [one] = same ?? [];
    if (same === undefined || one === undefined) return "late, doubled or foreign";
    if (!isWhole(this.#dialect, message)) return "without all of its fields";
    // Who approves a part of an amount says how much.
    const ofAPart = approvesAPart(message.get(39) ?? "");
    const differs = ECHOED.some(
      (field, index) =>
        message.has(field) && message.get(field) !== one.echoed[index] && !(field === AMOUNT && ofAPart),
    );
    if (differs) return "contradicting its question";
    for (const waiting of [...same]) {
      this.#remove(waiting);
      waiting.end({ kind: "answered", message });
    }
    return null;
  }

  /** Those that left by this connection, or all. */
  giveUp(why: string, by?: object): void {
    for (const waiting of [...this.#all()]) {
      if (by !== undefined && waiting.by !== by) continue;
      this.#remove(waiting);
      waiting.end({ kind: "unanswered", why });
    }
  }

  *#all(): Generator<Waiting> {
    for (const same of this.#waiting.values()) yield* same;
  }

  #remove(waiting: Waiting): void {
    const { key } = waiting;
    const same = this.#waiting.get(key);
    if (!same?.delete(waiting)) return;
    this.#size--;
    if (same.size === 0) this.#waiting.delete(key);
  }
}

const keyOf = (answerType: string, message: Message): string =>
  [answerType, ...MATCHED.map((field) => message.get(field) ?? "")].join("|");
