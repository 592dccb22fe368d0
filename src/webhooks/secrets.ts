// The secrets that webhooks are signed with: made here, and kept sealed under the installation's secret, since the gateway
// needs them again for each signature.

import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import { openBytes, sealBytes, secretKey } from "../vault/sealed-bytes.ts";

const SECRET_BYTES = 32;

/** What a merchant verifies with. Standard Webhooks 1.0, "Signature scheme": `whsec_` and base64. */
export const showSecret = (secret: Buffer): string => `whsec_${secret.toString("base64")}`;

export const newSecret = (): Buffer => randomBytes(SECRET_BYTES);

export interface Sealing {
  /** @param endpointId opens it again, and no other does */
  seal(secret: Buffer, endpointId: string): Buffer;
  /** @throws CannotOpen if it was sealed for another endpoint or under another secret */
  open(sealed: Buffer, endpointId: string): Buffer;
}

/** Seals and opens endpoints' secrets under a key that is derived from the installation's. */
export function sealing(installationSecret: Buffer): Sealing {
  const key = secretKey(Buffer.from(hkdfSync("sha256", installationSecret, "", "faregate webhook secrets", 32)));
  const bound = (endpointId: string) => Buffer.from(`webhook endpoint ${endpointId}`);
  return {
    seal: (secret, endpointId) => sealBytes(key, secret, bound(endpointId)),
    open: (sealed, endpointId) => openBytes(key, sealed, bound(endpointId)),
  };
}

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
