// The books of the Stripe host as lines like those of the acquirer's host. They hold states of payments and refunds, and first answers
// by their keys; what was done follows from how the states changed. Pure.

import type { Entry, FirstAnswer, Payment, Refund } from "../../../hosts/stripe/state.ts";
import { meaningOf } from "../../../src/processors/stripe/answers/decline-codes.ts";
import { isUuid } from "../../../src/uuid.ts";
import type { Booked } from "../accounts.ts";
import { APPROVED, NOTHING_THERE } from "../check/evidence.ts";

export const STRIPE_BOOK = "stripe";

export const stripeBooked = (entries: readonly Entry[]): readonly Booked[] => booksOf(entries).lines();

/** Of an authorization: by a void whose refund failed, so that the journal has it still. What Stripe released stays released. */
export const stripeReleasedInVain = (entries: readonly Entry[], transaction: string): bigint =>
  booksOf(entries).releasedInVain(transaction);

function booksOf(entries: readonly Entry[]): Books {
  const books = new Books();
  for (const { kind, at, value } of entries) {
    if (kind === "payment") books.payment(value, new Date(at));
    else if (kind === "refund") books.refund(value, new Date(at));
    else if (kind === "key") books.key(value, new Date(at));
  }
  return books;
}

/** A payment that was canceled, and not yet known under which key. */
interface Canceled {
  readonly at: Date;
  /** What was held. */
  readonly released: number;
}

class Books {
  readonly #payments = new Map<string, Payment>();
  readonly #canceled = new Map<string, Canceled>();
  /** By reference: released by a void that gives back captured money, too. */
  readonly #released = new Map<string, number>();
  /** By payment: the first void that released something. Should its refund fail, the next void stands for that, with a refund or without. */
  readonly #firstRelease = new Map<string, string>();
  /** By payment: the key of a cancellation that failed. It is asked again without one. */
  readonly #failedCancellation = new Map<string, string>();
  /** References of payments that could not be created, by what their keys remember: nobody was told an id to send a card for. */
  readonly #notCreated = new Map<string, Date>();
  readonly #lines = new Map<string, Booked>();

  payment(now: Payment, at: Date): void {
    const before = this.#payments.get(now.id);
    this.#payments.set(now.id, now);
    const { faregate_reference: reference = "" } = now.metadata;
    if (now.charge !== null || now.error !== null) this.#charge(now, reference, at);
    for (const [name, amount] of Object.entries(now.metadata))
      if (isUuid(name) && before?.metadata[name] === undefined)
        this.#add(now, { operation: "capture", reference: name, amount: BigInt(amount), code: APPROVED, at });
    if (now.status !== "canceled" || before?.status === "canceled") return;
    this.#canceled.set(now.id, { at, released: before?.capturable ?? 0 });
    const key = this.#failedCancellation.get(now.id);
    if (key !== undefined) this.#cancellation(now, key, at);
  }

  /** The first time that the card came. */
  #charge(now: Payment, reference: string, at: Date): void {
    const operation = now.manual ? "auth" : "sale";
    const code = now.charge === null && now.error ? declineCode(now.error) : APPROVED;
    if (this.#lines.get(`charge ${reference}`)?.code === code) return;
    this.#add(now, { operation, reference, amount: BigInt(now.amount), code, at }, "charge");
  }

  refund(now: Refund, at: Date): void {
    const payment = this.#payments.get(now.payment);
    const { faregate_reference: reference, faregate_reversal_of: reversed } = now.metadata;
    if (payment === undefined) return;
    const holds = now.status === "succeeded" || now.status === "pending";
    if (reversed !== undefined && holds && !this.#lines.has(`reversal ${reversed}`))
      this.#add(payment, {
        operation: "reversal",
        reference: reversed,
        amount: BigInt(now.amount),
        code: APPROVED,
        at,
      });
    if (reference === undefined) return;
    const first = this.#lines.get(`refund ${now.id}`)?.at ?? at;
    const amount = BigInt(now.amount + (this.#released.get(reference) ?? 0));
    const code = holds ? APPROVED : "05";
    this.#add(payment, { operation: "refund", reference, amount, code, at: first }, "refund", now.id);
  }

  /** Captures, voids and refunds have our reference as their key; so has a void, with a word behind it, what it releases first. */
  key({ id, status, body }: FirstAnswer, at: Date): void {
    const [path = "", key = ""] = id.split(" ");
    const [reference = "", part] = key.split("/");
    const payment = this.#payments.get(/\/(pi_[^/]+)\//.exec(path)?.[1] ?? "");
    if (payment && path.endsWith("/cancel")) {
      if (status >= 500 && payment.status !== "canceled") this.#failedCancellation.set(payment.id, key);
      else this.#cancellation(payment, key, at);
    }
    if (path === "/v1/payment_intents" && status >= 500) this.#notCreated.set(reference, at);
    if (part === undefined && (status === 400 || status === 402)) this.#refused(path, reference, body, at);
  }

  #cancellation(payment: Payment, key: string, at: Date): void {
    const [reference = "", part] = key.split("/");
    const canceled = this.#canceled.get(payment.id);
    if (part === "release") this.#release(payment, reference, canceled);
    else this.#void(payment, reference, canceled, at);
  }

  #void(payment: Payment, reference: string, canceled: Canceled | undefined, at: Date): void {
    if (canceled) this.#canceled.delete(payment.id);
    const first = this.#firstRelease.get(payment.id);
    const before = first === undefined || this.#releaseStands(payment.metadata) ? undefined : this.#released.get(first);
    const released = canceled?.released ?? before;
    if (released === undefined) return;
    if (!canceled) this.#released.set(reference, released);
    this.#add(payment, {
      ...{ operation: "void", reference, amount: BigInt(released), code: APPROVED, at: canceled?.at ?? at },
    });
  }

  /** A void that released something holds. */
  #releaseStands({ faregate_transaction: transaction = "" }: Payment["metadata"]): boolean {
    return [...this.#lines.values()].some(
      (line) => line.transaction === transaction && line.code === APPROVED && this.#released.has(line.reference),
    );
  }

  #release({ id }: Payment, reference: string, canceled: Canceled | undefined): void {
    const first = this.#firstRelease.get(id);
    if (canceled) {
      this.#canceled.delete(id);
      this.#released.set(reference, canceled.released);
      this.#firstRelease.set(id, reference);
    } else if (first !== undefined) this.#released.set(reference, this.#released.get(first) ?? 0);
  }

  #refused(path: string, reference: string, body: string, at: Date): void {
    const { error } = JSON.parse(body) as { readonly error: Parameters<typeof meaningOf>[0] & WithPayment };
    const payment = this.#payments.get(error.payment_intent?.id ?? /\/(pi_[^/]+)\//.exec(path)?.[1] ?? "");
    const operation = path.endsWith("/capture") ? "capture" : path.endsWith("/cancel") ? "void" : "refund";
    const known = [...this.#lines.values()].some((line) => line.reference === reference && line.code === APPROVED);
    if (payment === undefined || known) return;
    this.#add(payment, { operation, reference, amount: 0n, code: meaningOf(error).code, at }, "refused");
  }

  releasedInVain(transaction: string): bigint {
    const released = [...this.#firstRelease].filter(
      ([payment]) => this.#payments.get(payment)?.metadata.faregate_transaction === transaction,
    );
    return this.#releaseStands({ faregate_transaction: transaction })
      ? 0n
      : released.reduce((sum, [, first]) => sum + BigInt(this.#released.get(first) ?? 0), 0n);
  }

  #add(
    { id, charge, metadata }: Payment,
    line: Pick<Booked, "operation" | "reference" | "amount" | "code" | "at">,
    as: string = line.operation,
    name: string = line.reference,
  ): void {
    const { faregate_transaction: transaction = "" } = metadata;
    const own = as === "refund" ? name : id;
    const booked = { ...line, book: STRIPE_BOOK, authCode: charge?.authCode ?? "", id: own, transaction };
    this.#lines.set(`${as} ${name}`, booked);
  }

  /** What was canceled under no key was taken back: for good, since a canceled payment takes no card. */
  lines(): readonly Booked[] {
    for (const [id, { at }] of this.#canceled) {
      const payment = this.#payments.get(id);
      const { faregate_reference: reference = "" } = payment?.metadata ?? {};
      if (payment)
        this.#add(payment, { operation: "reversal", reference, amount: BigInt(payment.amount), code: APPROVED, at });
    }
    const nothing = {
      ...({ book: STRIPE_BOOK, operation: "reversal", amount: 0n, code: NOTHING_THERE } as const),
      ...{ authCode: "", id: "", transaction: "" },
    };
    const notCreated = [...this.#notCreated]
      .filter(([reference]) => !this.#lines.has(`charge ${reference}`) && !this.#lines.has(`reversal ${reference}`))
      .map(([reference, at]): Booked => ({ ...nothing, reference, at }));
    return [...this.#lines.values(), ...notCreated];
  }
}

interface WithPayment {
  readonly payment_intent?: { readonly id: string };
}

const declineCode = (error: NonNullable<Payment["error"]>): string => meaningOf({ type: "card_error", ...error }).code;
