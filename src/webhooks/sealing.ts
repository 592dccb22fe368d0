// The secrets that webhooks are signed with: made here, and kept sealed under the installation's secret, since the gateway
// needs them again for each signature.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a merchant verifies with. Standard Webhooks 1.0, "Signature scheme": `whsec_` and base64. */
export const showSecret = (secret: Buffer): string => `whsec_${secret.toString("base64")}`;

export const newSecret = (): Buffer => randomBytes(SECRET_BYTES);

export interface Sealing {
  /** @param endpointId opens it again, and no other does */
  seal(secret: Buffer, endpointId: string): Buffer;
  /** @throws if it was sealed for another endpoint or under another secret */
  open(sealed: Buffer, endpointId: string): Buffer;
}

/** AES-256-GCM: nonce, ciphertext, tag. */
export function sealing(installationSecret: Buffer): Sealing {
  const key = Buffer.from(hkdfSync("sha256", installationSecret, "", "faregate webhook secrets", 32));
  return {
    seal: (secret, endpointId) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(endpointId));
      return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, endpointId) => {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(endpointId))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    },
  };
}
