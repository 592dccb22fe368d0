// Lists, page by page or as one sequence. Pages are counted from the newest: what is added while somebody reads moves the rest
// back, which the total of each page tells.

import { ListChangedError } from "./errors.ts";
import type { CallOptions } from "./send.ts";
import type { PageMeta, Search, Transaction } from "./shapes.ts";

export type { Search };

export interface TransactionPage {
  readonly transactions: readonly Transaction[];
  readonly meta: PageMeta;
}

export type GetPage = (search: Search, page: number, options: CallOptions) => Promise<TransactionPage>;

const PAGE_SIZE = 50;

/** `search[zip]=95030&page=2` */
export function queryOf(search: Search, page: number): string {
  const query = parametersOf(search, (name) => `search[${name}]`);
  query.set("page", String(page));
  return query.toString();
}

/** @param parameter what a value is called in the address */
export function parametersOf(values: object, parameter = (name: string) => name): URLSearchParams {
  const query = new URLSearchParams();
  // An undefined filter is left out by JavaScript's habit, and would list everything.
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== "string" || value === "")
      throw new TypeError(`${parameter(name)} must be a text that is not empty`);
    query.set(parameter(name), value);
  }
  return query;
}

/** Each page as it comes, from the newest on. */
export async function* pagesOf<Page extends { readonly meta: PageMeta }>(
  getPage: (page: number) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let page = 1, last = 1; page <= last; page++) {
    const one = await getPage(page);
    yield one;
    last = one.meta.last_page;
  }
}

/** Each item of all pages, once: what is added anywhere meanwhile only makes some come again. */
export async function* itemsOf<Name extends string, Item extends { readonly id: string }>(
  name: Name,
  getPage: (page: number) => Promise<{ readonly meta: PageMeta } & { readonly [Key in Name]: readonly Item[] }>,
): AsyncGenerator<Item> {
  const given = new Set<string>();
  for await (const page of pagesOf(getPage))
    for (const item of page[name])
      if (!given.has(item.id)) {
        given.add(item.id);
        yield item;
      }
}

/**
 * All that matched when the first page was read, each once, from the newest on. No matter how many: none is remembered.
 * @throws ListChangedError if fewer match than before
 */
export async function* transactionsOf(
  getPage: GetPage,
  search: Search,
  options: CallOptions,
): AsyncGenerator<Transaction> {
  let given = 0;
  let total: number | undefined;
  for (let page = 1; ; ) {
    const { transactions, meta } = await getPage(search, page, options);
    total ??= meta.total;
    const added = meta.total - total;
    if (added < 0) throw new ListChangedError(`${total} matched, and now ${meta.total} do: read the list anew`);
    const skipped = Math.max(0, given + added - (page - 1) * PAGE_SIZE);
    for (const transaction of transactions.slice(skipped)) {
      yield transaction;
      given++;
    }
    const next = Math.floor((given + added) / PAGE_SIZE) + 1;
    if (given >= total || next <= page) return;
    page = next;
  }
}
