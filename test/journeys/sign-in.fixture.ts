// People who sign in to a gateway under test: new ones, those with a password of their own, and those with a second factor.

import assert from "node:assert/strict";
import { codeAt, STEP_MS } from "../../src/people/one-time-codes.ts";
import { type Browser, browser } from "../browser.ts";
import type { startTestGateway } from "./gateway.ts";

export const PASSWORD = "a passphrase of my own 1";

/** As an app reads it. */
export function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((one) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(one).toString(2).padStart(5, "0"));
  return Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
/**
 * Codes are taken once each: the next one is that of the next half minute, which is taken already. That of the last one would not be
 * taken any more if a half minute ended on the way.
 */
export const codeNow = (secret: string, later = 0) => codeAt(bytesOf(secret), Math.floor(Date.now() / STEP_MS) + later);

/** @param of the gateway, once it runs */
export function signingIn(of: () => Awaited<ReturnType<typeof startTestGateway>>) {
  let networks = 0;
  /** Each test comes from an address of its own: tries are counted by it. */
  const elsewhere = () => ({ "x-forwarded-for": `198.51.${networks >> 8}.${networks++ & 255}` });
  const merchantsPeople = () => `/operator/merchants/${of().sandbox.merchant_id}/people`;
  const newPerson = async (role = "clerk") => {
    const email = `${crypto.randomUUID()}@example.com`;
    const operators = role.startsWith("operator");
    const path = operators ? "/operator/people" : merchantsPeople();
    const { status, body } = await of().operator("POST", path, { name: "Jane Doe", email, role });
    assert.equal(status, 201);
    return body.person as { id: string; email: string; password: string };
  };
  /** Who has a password of their own, signed in. */
  const withOwnPassword = async (role = "clerk") => {
    const person = await newPerson(role);
    const page = browser(of());
    await page.signIn({ email: person.email, password: person.password }, elsewhere());
    const changed = await page.call("PUT", "/session/password", { password: person.password, new_password: PASSWORD });
    assert.equal(changed.status, 200, changed.text);
    return { person, page, who: { email: person.email, password: PASSWORD } };
  };
  const withSecondFactor = async (role = "clerk") => {
    const { person, page, who } = await withOwnPassword(role);
    const { body } = await page.call("POST", "/session/second-factor", { password: PASSWORD });
    const { secret } = body.second_factor;
    const confirmed = codeNow(secret);
    const on = await page.call("PUT", "/session/second-factor", { code: confirmed });
    assert.equal(on.status, 200, on.text);
    return { person, page, who, secret, confirmed, codes: on.body.recovery_codes as string[] };
  };
  const isIn = async (page: Browser) => (await page.get("/session")).status === 200;
  return { elsewhere, merchantsPeople, newPerson, withOwnPassword, withSecondFactor, isIn };
}
