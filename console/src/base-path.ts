// BASE_PATH: where a proxy shows the gateway under a path, the gateway writes it into the page.

interface Page {
  querySelector(selector: string): { readonly content?: string } | null;
}
/** There is none where the console's modules are tested without a browser. */
const { document: page } = globalThis as { readonly document?: Page };

/** `/pay`, or an empty text. */
export const BASE_PATH: string = page?.querySelector('meta[name="base-path"]')?.content ?? "";

/** `fetch` of a path of the gateway's, wherever the gateway is. */
export const fetchHere = (path: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> =>
  fetch(`${BASE_PATH}${path}`, init);
