// Lists, page by page or as one sequence. Pages are counted from the newest: what is added while somebody reads moves the rest
// back, which the total of each page tells.

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
  const query = new URLSearchParams();
  // An undefined filter is left out by JavaScript's habit, and would list everything.
  for (const [name, value] of Object.entries(search)) {
    if (typeof value !== "string" || value === "")
      throw new TypeError(`search.${name} must be a text that is not empty`);
    query.set(`search[${name}]`, value);
  }
  query.set("page", String(page));
  return query.toString();
}

/** Each page as it comes, from the newest on. */
export async function* pagesOf(
  getPage: GetPage,
  search: Search,
  options: CallOptions,
): AsyncGenerator<TransactionPage> {
  let page = 1;
  for (let last = 1; page <= last; page++) {
    const one = await getPage(search, page, options);
    yield one;
    last = one.meta.last_page;
  }
}

/** All that matched when the first page was read, each once, from the newest on. */
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
