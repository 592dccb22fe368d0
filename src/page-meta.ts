// Where a page stands in its list, as each list that is read page by page shows it.

export interface PageMeta {
  /** 1 for an empty list. */
  readonly last_page: number;
  readonly current_page: number;
  /** Of all pages together. */
  readonly total: number;
}

/** @param total of all pages together @param mostOnPage how many a full page has */
export const pageMeta = (total: number, mostOnPage: number, page: number): PageMeta => ({
  last_page: Math.max(1, Math.ceil(total / mostOnPage)),
  current_page: page,
  total,
});
