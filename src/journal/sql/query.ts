// A query, which is sent once, when it is first awaited. Until then it may become part of another query.

import type { Query as Asked, Counted, Named, Value } from "./sql.ts";

export type { Named };

/** A template and what stands in its braces, or a text and its parameters. */
export interface Asking {
  readonly template?: TemplateStringsArray;
  readonly filled: readonly unknown[];
  readonly text: string;
  readonly parameters?: readonly Value[] | undefined;
  readonly prepare: boolean;
}

export class Query<Rows> implements Asked<Rows> {
  readonly [Symbol.toStringTag] = "Query";
  readonly asked: Asking;
  readonly #ask: (asked: Asking) => Promise<unknown>;
  #answer: Promise<Rows & Counted> | undefined;

  constructor(asked: Asking, ask: (asked: Asking) => Promise<unknown>) {
    this.asked = asked;
    this.#ask = ask;
  }

  then<A = Rows & Counted, B = never>(
    done?: ((rows: Rows & Counted) => A | PromiseLike<A>) | null,
    failed?: ((fault: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#answer ??= this.#ask(this.asked) as Promise<Rows & Counted>;
    return this.#answer.then(done, failed);
  }

  catch<B = never>(failed?: ((fault: unknown) => B | PromiseLike<B>) | null): Promise<(Rows & Counted) | B> {
    return this.then(undefined, failed);
  }

  finally(done?: (() => void) | null): Promise<Rows & Counted> {
    return this.then().finally(done);
  }
}
