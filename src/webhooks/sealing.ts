// The secrets that webhooks are signed with: made here, and kept sealed under the installation's secret, since the gateway
// needs them again for each signature.

import { hkdfSync, randomBytes } from "node:crypto";
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

export function sealing(installationSecret: Buffer): Sealing {
  const key = secretKey(Buffer.from(hkdfSync("sha256", installationSecret, "", "faregate webhook secrets", 32)));
  const bound = (endpointId: string) => Buffer.from(`webhook endpoint ${endpointId}`);
  return {
    seal: (secret, endpointId) => sealBytes(key, secret, bound(endpointId)),
    open: (sealed, endpointId) => openBytes(key, sealed, bound(endpointId)),
  };
}
