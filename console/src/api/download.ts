// A file that the gateway streams, saved by the browser. A link could not carry who asks.

import { apiError } from "../../../packages/client/src/errors.ts";
import type { ApiError as ErrorBody } from "../../../packages/client/src/openapi.ts";
import { fetchHere } from "../base-path.ts";
import { credentials } from "./session.ts";

/** @param onLines told how many lines have come, the first of which names the columns */
export async function download(path: string, name: string, onLines: (lines: number) => void): Promise<void> {
  const response = await fetchHere(path, { headers: credentials("GET", path), credentials: "same-origin" });
  if (!response.ok || response.body === null) throw await faultOf(response);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let lines = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    for (const byte of value) if (byte === 10) lines += 1;
    onLines(Math.max(0, lines - 1));
  }
  save(new Blob(parts, { type: "text/csv" }), name);
}

async function faultOf(response: Response): Promise<Error> {
  const body = (await response.json().catch(() => undefined)) as ErrorBody | undefined;
  return apiError({
    status: response.status,
    code: body?.error.code,
    fields: body?.error.message ?? {},
    refusal: undefined,
    retryAfterSeconds: undefined,
    idempotencyKey: undefined,
    replayed: false,
    requestId: response.headers.get("x-request-id") ?? undefined,
  });
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
