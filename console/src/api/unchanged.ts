// What came last from an address stays in memory, with its ETag, for as long as the same person looks at the same merchant: while nothing
// has changed, the gateway answers 304 and does not send it again.

import { onChange, signedIn, viewerOf } from "./session.ts";

interface Known {
  readonly etag: string;
  readonly text: string;
}

/** Of a view and those before it. */
const MOST_ADDRESSES = 16;

const known = new Map<string, Known>();
let viewer = viewerOf(signedIn());

onChange(() => {
  if (viewerOf(signedIn()) === viewer) return;
  viewer = viewerOf(signedIn());
  known.clear();
});

/**
 * A GET of what may be known.
 * @param ask sends it with these headers besides its own
 * @returns what the gateway answers, as if it had been sent in full
 */
export async function readAgain(
  address: string,
  ask: (headers: Readonly<Record<string, string>>) => Promise<Response>,
): Promise<Response> {
  const requestedBy = viewer;
  const before = known.get(address);
  const response = await ask(before === undefined ? {} : { "if-none-match": before.etag });
  if (response.status === 304 && before !== undefined) return new Response(before.text, { status: 200 });
  const etag = response.headers.get("etag");
  if (!response.ok || etag === null) return response;
  const text = await response.text();
  // It may be another's turn by now.
  if (requestedBy === viewer) keep(address, { etag, text });
  return new Response(text, response);
}

function keep(address: string, one: Known): void {
  known.delete(address);
  known.set(address, one);
  for (const oldest of known.keys()) {
    if (known.size <= MOST_ADDRESSES) break;
    known.delete(oldest);
  }
}
