// What a charge may say of a card on file: whoever initiates it, for each reason, the first charge of it or a later one.

import { mayInitiate, REASONS, type StoredCredential } from "../../src/payment/stored-credential.ts";

/** Without the scheme's id of a first charge. */
export const STORED: readonly StoredCredential[] = [
  { initiator: "payer", use: "first" },
  { initiator: "payer", use: "later" },
  ...REASONS.flatMap((reason): StoredCredential[] => [
    ...(mayInitiate("payer", reason) ? [{ initiator: "payer", reason, use: "first" } as const] : []),
    { initiator: "merchant", reason, use: "later" },
  ]),
];
