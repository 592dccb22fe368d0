// An idempotency key. Not `crypto.randomUUID`, which browsers have only on https and on this machine.

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
