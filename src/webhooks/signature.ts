// The headers that tell a merchant that a webhook is the gateway's, and whole: Standard Webhooks 1.0.

import { createHmac } from "node:crypto";

/**
 * @param secrets the newest first; each signs, so that a rotation needs no moment at which both sides change
 * @param sentAt real time, whatever the sandbox's clock says: receivers refuse what is old
 */
export function signedHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secrets: readonly Buffer[],
  sentAt: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signature = (secret: Buffer) =>
    `v1,${createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map(signature).join(" "),
  };
}
