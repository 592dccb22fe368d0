// What is made of the installation's secret for people: second factors are sealed with it, devices known by it, and tries
// counted under names that tell nobody what was typed.

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { openBytes, sealBytes, secretKey } from "../vault/sealed-bytes.ts";

export interface PersonKeys {
  /** @param personId opens it again, and no other does */
  seal(secondFactor: Buffer, personId: string): Buffer;
  /** @throws CannotOpen */
  open(sealed: Buffer, personId: string): Buffer;
  /** For a device on which somebody signed in to this account. */
  newDevice(account: string): string;
  /** Whether the account was signed in to on this device. */
  knows(device: string | undefined, account: string): device is string;
  /** Under which tries are counted. */
  nameOfTries(what: string): Buffer;
  /** Under which sign-ins from a network are counted: a UUID. */
  idOf(network: string): string;
}

const DEVICE = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** Each purpose has a key of its own, derived from the secret. */
export function personKeys(installationSecret: Buffer): PersonKeys {
  const derived = (purpose: string) => Buffer.from(hkdfSync("sha256", installationSecret, "", purpose, 32));
  const sealing = secretKey(derived("faregate second factors"));
  const devices = derived("faregate devices");
  const tries = derived("faregate sign-in tries");
  const networks = derived("faregate sign-in networks");
  const bound = (personId: string) => Buffer.from(`second factor of ${personId}`);
  const mark = (id: string, account: string) => createHmac("sha256", devices).update(`${id} ${account}`).digest();
  return {
    seal: (secondFactor, personId) => sealBytes(sealing, secondFactor, bound(personId)),
    open: (sealed, personId) => openBytes(sealing, sealed, bound(personId)),
    newDevice: (account) => {
      const id = randomBytes(16).toString("base64url");
      return `${id}.${mark(id, account).toString("base64url")}`;
    },
    knows: (device, account): device is string => {
      const [, id, given] = DEVICE.exec(device ?? "") ?? [];
      if (id === undefined || given === undefined) return false;
      return timingSafeEqual(mark(id, account), Buffer.from(given, "base64url"));
    },
    nameOfTries: (what) => createHmac("sha256", tries).update(what).digest(),
    idOf: (network) =>
      createHmac("sha256", networks)
        .update(network)
        .digest("hex")
        .slice(0, 32)
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  };
}
