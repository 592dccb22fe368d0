// What the host answers to a request, by its path. It knows keys and permissions, and nothing of how an answer is delayed or lost.

import { hash } from "node:crypto";
import type { Choice } from "../challenge-page.ts";
import { type Answer, balanceBody, bookedRefundBody, fault, ok, paymentBody, refundBody } from "./answer.ts";
import { chosen } from "./challenge.ts";
import { type Fields, numberAt, textAt } from "./form.ts";
import type { Ledger } from "./ledger.ts";
import type { Operation } from "./misbehaviour.ts";
import { attachPaymentMethod, createPaymentMethod, firstMethods, lookPaymentMethod } from "./payment-methods.ts";
import { cancel, capture, confirm, create, update, type Work } from "./payments.ts";
import { refund, released } from "./refunds.ts";
import { setUp } from "./setups.ts";
import type { Payment, Refund, State } from "./state.ts";

export interface Account {
  readonly secretKey: string;
  /** Whether Stripe's support has enabled them. */
  takesCardNumbers: boolean;
  chargesEnabled: boolean;
  /** How long a key is remembered. */
  keysKept: boolean;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly fields: Fields;
  /** As it came, to compare. */
  readonly text: string;
  readonly key: string | undefined;
  readonly authorization: string | undefined;
  readonly version: string | undefined;
}

export type ByItself = "refund" | "capture" | "cancel" | "expire";

export interface Changes {
  payment(payment: Payment, before: Payment | undefined): void;
  refund(refund: Refund): void;
}

export const operationOf = ({ method, path }: Pick<Request, "method" | "path">): Operation => {
  if (method === "GET") return "look";
  if (path === "/v1/refunds") return "refund";
  if (path.startsWith("/v1/payment_methods")) return "card";
  if (path === "/v1/setup_intents") return "setup";
  const [, action] = /^\/v1\/payment_intents\/[^/]+\/(confirm|capture|cancel)$/.exec(path) ?? [];
  return (action as Operation | undefined) ?? "create";
};

export class Service {
  readonly #ledger: Ledger;
  readonly #account: Account;
  readonly #changes: Changes;
  readonly #under = new Set<string>();
  readonly #methods = firstMethods();
  /** Set once it is known. */
  origin = "";

  constructor(ledger: Ledger, account: Account, changes: Changes) {
    this.#ledger = ledger;
    this.#account = account;
    this.#changes = changes;
  }

  /** The answer to an earlier request of this key, or what to do: `end` keeps what it answers. */
  begin(request: Request): (Answer & { readonly replayed: boolean }) | { readonly end: (answer: Answer) => void } {
    const turnedAway = this.#gate(request);
    if (turnedAway) return { ...turnedAway, replayed: false };
    const { key } = request;
    if (key === undefined || request.method === "GET") return { end: () => undefined };
    const id = `${request.path} ${key}`;
    const asked = hash("sha256", `${this.#ledger.pepper}|${request.text}`);
    const elsewhere = this.#account.keysKept && this.#ledger.state.pathOf(key);
    if (elsewhere && elsewhere !== request.path) return { ...OTHER_ENDPOINT, replayed: false };
    const first = this.#account.keysKept ? this.#ledger.state.keys.get(id) : undefined;
    if (first) {
      if (first.request !== asked) return { ...OTHER_WORDS, replayed: false };
      return { status: first.status, body: JSON.parse(first.body), kept: true, replayed: true };
    }
    if (this.#under.has(id)) return { ...IN_USE, replayed: false };
    this.#under.add(id);
    return {
      end: (answer) => {
        this.#under.delete(id);
        if (answer.kept)
          this.#ledger.key({ id, request: asked, status: answer.status, body: JSON.stringify(answer.body) });
      },
    };
  }

  carryOut({ method, path, fields }: Request, accepts: boolean): Answer {
    const { state } = this.#ledger;
    if (method === "GET") return this.#look(path, fields);
    if (path === "/v1/payment_intents") return create(this.#work(fields, accepts));
    if (path === "/v1/refunds") return refund(state, this.#work(fields, accepts), (made) => this.#writeRefund(made));
    if (path === "/v1/payment_methods")
      return createPaymentMethod(fields, new Date(), {
        takesCardNumbers: this.#account.takesCardNumbers,
        methods: this.#methods,
      });
    if (path === "/v1/setup_intents") return setUp(this.#methods, fields);
    const [, attached] = /^\/v1\/payment_methods\/([^/]+)\/attach$/.exec(path) ?? [];
    if (attached !== undefined) return attachPaymentMethod(this.#methods, attached, fields);
    const [, id = "", action = "update"] = /^\/v1\/payment_intents\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const act = { confirm, capture, cancel, update }[action];
    const payment = state.payments.get(id);
    return act && payment ? act(payment, this.#work(fields, accepts)) : noSuch(id);
  }

  /** What somebody does in the dashboard, or Stripe by itself: nothing of the gateway's is in it. */
  byItself(payment: Payment, does: ByItself, amount: number | undefined): Answer {
    const named = (field: string) => (amount === undefined ? {} : { [field]: String(amount) });
    switch (does) {
      case "refund": {
        const work = this.#work({ payment_intent: payment.id, ...named("amount") }, false);
        return refund(this.#ledger.state, work, (made) => this.#writeRefund(made));
      }
      case "capture":
        return capture(payment, this.#work(named("amount_to_capture"), false));
      case "cancel":
        return cancel(payment, this.#work({ cancellation_reason: "requested_by_customer" }, false));
      case "expire":
        return cancel(payment, this.#work({ cancellation_reason: "automatic" }, false));
    }
  }

  #work(fields: Fields, accepts: boolean): Work {
    const write = (payment: Payment) => {
      const before = this.#ledger.state.payments.get(payment.id);
      this.#ledger.payment(payment);
      this.#changes.payment(payment, before);
    };
    const now = new Date();
    const release: Work["release"] = (payment, amount, releases) =>
      this.#writeRefund(released(payment, amount, releases, now));
    return { fields, now, accepts, methods: this.#methods, origin: this.origin, write, release };
  }

  /** What the payer does at the page of a challenge. */
  choose(payment: Payment, choice: Choice): void {
    const after = chosen(payment, choice);
    if (after !== payment) this.#work({}, false).write(after);
  }

  #writeRefund(made: Refund): void {
    this.#ledger.refund(made);
    this.#changes.refund(made);
  }

  #gate({ authorization, version }: Request): Answer | undefined {
    if (authorization !== `Bearer ${this.#account.secretKey}`)
      return fault(401, "invalid_request_error", undefined, "Invalid API Key provided: sk_test_****");
    if (version === undefined) return fault(400, "invalid_request_error", undefined, "Stripe-Version is missing");
    return undefined;
  }

  #look(path: string, fields: Fields): Answer {
    const { state } = this.#ledger;
    const expanded = fields.expand !== undefined;
    if (path === "/v1/balance") return ok({ object: "balance", livemode: false });
    if (path === "/v1/account") {
      const { chargesEnabled } = this.#account;
      return ok({ id: "acct_host", charges_enabled: chargesEnabled, payouts_enabled: true, details_submitted: true });
    }
    const [, one] = /^\/v1\/refunds\/(\w+)$/.exec(path) ?? [];
    if (one !== undefined) {
      const found = state.refunds.get(one);
      return found ? ok(bookedRefundBody(found)) : noSuch(one);
    }
    const [, method] = /^\/v1\/payment_methods\/([^/]+)$/.exec(path) ?? [];
    if (method !== undefined) return lookPaymentMethod(this.#methods, method);
    if (path === "/v1/refunds") {
      const payment = textAt(fields, "payment_intent");
      if (payment !== undefined) return listOf(state.refundsOf(payment).map(refundBody));
      return page([...state.refunds.values()], fields, refundBody);
    }
    if (path === "/v1/balance_transactions") return balance(state, fields);
    if (path === "/v1/payment_intents")
      return page([...state.payments.values()], fields, (one) => paymentBody(one, expanded));
    if (path === "/v1/payment_intents/search") {
      const [, name = "", value] = /^metadata\['(\w+)'\]:'([^']+)'$/.exec(textAt(fields, "query") ?? "") ?? [];
      const found = [...state.payments.values()].filter(({ metadata }) => metadata[name] === value);
      return listOf(found.map((payment) => paymentBody(payment, true)));
    }
    const id = path.replace("/v1/payment_intents/", "");
    const payment = state.payments.get(id);
    return payment ? ok(paymentBody(payment, expanded)) : noSuch(id);
  }
}

interface Listed {
  readonly id: string;
  readonly created: number;
}

/** The newest first, a page after the one that was named. https://docs.stripe.com/api/pagination */
function page<T extends Listed>(all: readonly T[], fields: Fields, body: (one: T) => object): Answer {
  const [from, until] = [
    numberAt(fields, "created", "gte") ?? 0,
    numberAt(fields, "created", "lt") ?? Number.MAX_VALUE,
  ];
  const found = all.filter(({ created }) => created >= from && created < until).toReversed();
  const after = textAt(fields, "starting_after");
  const begin = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1;
  const some = found.slice(begin, begin + (numberAt(fields, "limit") ?? 10));
  return ok({ object: "list", data: some.map(body), has_more: begin + some.length < found.length });
}

/** https://docs.stripe.com/api/balance_transactions/list */
function balance(state: State, fields: Fields): Answer {
  const payout = textAt(fields, "payout");
  const all = payout === undefined ? state.money.transactions : state.money.of(payout);
  const withCharges = JSON.stringify(fields.expand ?? "").includes("data.source.charge");
  return page(all, fields, (one) => balanceBody(one, state, withCharges));
}

const listOf = (data: readonly unknown[]): Answer => ok({ object: "list", data, has_more: false });

const noSuch = (id: string): Answer =>
  fault(404, "invalid_request_error", "resource_missing", `No such payment_intent: '${id}'`);

const OTHER_WORDS = fault(
  400,
  "idempotency_error",
  undefined,
  "Keys for idempotent requests can only be used with the same parameters they were first used with.",
);

/** A key is the account's, whatever it was used for. */
const OTHER_ENDPOINT = fault(
  400,
  "idempotency_error",
  undefined,
  "Keys for idempotent requests can only be used for the same endpoint they were first used for.",
);

const IN_USE = fault(
  409,
  "invalid_request_error",
  "idempotency_key_in_use",
  "There is currently another in-progress request using this key.",
);
