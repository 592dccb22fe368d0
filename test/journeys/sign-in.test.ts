// Signing in with a browser: what is told to whom, cookies, sessions and their ends, the second factor, and how guessing is slowed.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { codeAt, STEP_MS } from "../../src/people/one-time-codes.ts";
import { type Browser, browser } from "../browser.ts";
import { startLiveTestGateway, startTestGateway, told } from "./gateway.ts";

const PASSWORD = "a passphrase of my own";

/** As an app reads it. */
function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((one) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(one).toString(2).padStart(5, "0"));
  return Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
/** Codes are taken once each: the next one is that of the next half minute. */
const codeNow = (secret: string, later = 0) => codeAt(bytesOf(secret), Math.floor(Date.now() / STEP_MS) + later);

describe("signing in", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  before(async () => {
    gateway = await startTestGateway({ trustProxy: ["127.0.0.1"] });
  });
  after(() => gateway.close());

  let networks = 0;
  /** Each test comes from an address of its own: tries are counted by it. */
  const elsewhere = () => ({ "x-forwarded-for": `198.51.${networks >> 8}.${networks++ & 255}` });
  const merchantsPeople = () => `/operator/merchants/${gateway.sandbox.merchant_id}/people`;
  const newPerson = async (role = "clerk") => {
    const email = `${crypto.randomUUID()}@example.com`;
    const operators = role.startsWith("operator");
    const path = operators ? "/operator/people" : merchantsPeople();
    const { status, body } = await gateway.operator("POST", path, { name: "Jane Doe", email, role });
    assert.equal(status, 201);
    return body.person as { id: string; email: string; password: string };
  };
  /** Who has a password of their own, signed in. */
  const settled = async (role = "clerk") => {
    const person = await newPerson(role);
    const page = browser(gateway);
    await page.signIn({ email: person.email, password: person.password }, elsewhere());
    const changed = await page.call("PUT", "/session/password", { password: person.password, new_password: PASSWORD });
    assert.equal(changed.status, 200, changed.text);
    return { person, page, who: { email: person.email, password: PASSWORD } };
  };
  const withSecondFactor = async (role = "clerk") => {
    const { page, who } = await settled(role);
    const { body } = await page.call("POST", "/session/second-factor", { password: PASSWORD });
    const { secret } = body.second_factor;
    const on = await page.call("PUT", "/session/second-factor", { code: codeNow(secret, -1) });
    assert.equal(on.status, 200, on.text);
    return { page, who, secret, codes: on.body.recovery_codes as string[] };
  };
  const isIn = async (page: Browser) => (await page.get("/session")).status === 200;

  test("the sandbox has one person of each role, who can sign in at once", async () => {
    for (const [role, who] of Object.entries(gateway.sandbox.people)) {
      const page = browser(gateway);
      const answer = await page.signIn(who, elsewhere());
      assert.equal(answer.status, 201, answer.text);
      const { session } = answer.body;
      const merchant = role.startsWith("operator") ? null : gateway.sandbox.merchant_id;
      assert.deepEqual([session.person.role, session.person.merchant_id, session.must], [role, merchant, null]);
      assert.deepEqual((await page.get("/session")).body, answer.body);
    }
  });

  test("a session's cookie is for the gateway's own pages alone, and behind TLS for nothing else", async () => {
    const plain = await browser(gateway).signIn(gateway.sandbox.people.viewer, elsewhere());
    const [session, device] = plain.headers.getSetCookie();
    assert.match(session ?? "", /^faregate_session=fg_session_[0-9A-Za-z]{49}; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.match(device ?? "", /^faregate_device=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000$/);
    const secure = browser(gateway);
    const tls = { ...elsewhere(), "x-forwarded-proto": "https" };
    const behind = await secure.signIn(gateway.sandbox.people.viewer, tls);
    for (const cookie of behind.headers.getSetCookie())
      assert.match(cookie, /^__Host-faregate_\w+=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure(; Max-Age=\d+)?$/);
    assert.equal((await secure.get("/session", tls)).status, 200);
  });

  test("an unknown e-mail, a wrong password and a locked person look alike", async () => {
    const { person, who } = await settled();
    const answers = [
      await browser(gateway).signIn({ email: "nobody@example.com", password: PASSWORD }, elsewhere()),
      await browser(gateway).signIn({ ...who, password: "another" }, elsewhere()),
    ];
    await gateway.operator("PATCH", `/operator/people/${person.id}`, { locked: true });
    answers.push(await browser(gateway).signIn(who, elsewhere()));
    for (const { status, text, headers } of answers)
      assert.deepEqual([status, text, headers.getSetCookie()], [401, answers[0]?.text, []]);
    assert.match(answers[0]?.text ?? "", /E-mail or password is wrong/);
  });

  test("the e-mail's capitals do not matter, the password's do", async () => {
    const { who } = await settled();
    const shouted = { ...who, email: who.email.toUpperCase() };
    assert.equal((await browser(gateway).signIn(shouted, elsewhere())).status, 201);
    const wrong = { ...who, password: PASSWORD.toUpperCase() };
    assert.equal((await browser(gateway).signIn(wrong, elsewhere())).status, 401);
  });

  test("bodies are JSON, from the gateway's own page, and what is odd in them signs nobody in", async () => {
    const who = gateway.sandbox.people.viewer;
    const sent = (request: object) => gateway.call("POST", "/session", { token: null, ...request });
    const form = { "content-type": "application/x-www-form-urlencoded", ...elsewhere() };
    assert.equal(told(await sent({ raw: new URLSearchParams(who).toString(), headers: form })), "415 base");
    assert.equal(told(await sent({ raw: JSON.stringify(who), headers: { "content-type": "text/plain" } })), "415 base");
    for (const site of ["cross-site", "same-site"])
      assert.equal(told(await sent({ json: who, headers: { "sec-fetch-site": site } })), "403 base");
    for (const [json, expected] of [
      [{}, "422 email password"],
      [{ ...who, password: { a: 1 } }, "422 password"],
      [{ ...who, email: [who.email] }, "422 email"],
      [{ ...who, password: "x".repeat(1_001) }, "422 password"],
      [{ ...who, email: `${who.email}\0` }, "401 base"],
      [{ ...who, email: "\ud800" }, "400 base"],
      [{ ...who, password: "4111111111111111" }, "401 base"],
    ] as const)
      assert.equal(told(await sent({ json, headers: elsewhere() })), expected, JSON.stringify(json));
  });

  test("a change by a session needs its CSRF token; reading does not", async () => {
    const [one, other] = [(await settled()).page, (await settled()).page];
    assert.equal((await one.get("/api/transactions")).status, 200);
    const refused = async (token: string | undefined) => {
      const cookie = [...one.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { cookie, ...(token !== undefined && { "faregate-csrf": token }) };
      const sale = await gateway.call("POST", "/api/transactions/sale", { token: null, json: {}, headers });
      const out = await gateway.call("DELETE", "/session", { token: null, headers });
      assert.deepEqual([told(sale), told(out)], ["403 base", "403 base"]);
      assert.match(sale.headers.get("link") ?? "", /missing-csrf-token/);
    };
    for (const token of [undefined, "", "x", other.csrf, `${one.csrf}x`]) await refused(token);
    assert.equal(told(await one.call("POST", "/api/transactions/sale", {})).slice(0, 3), "422");
  });

  test("a session that was there before does not become that of who signs in, and ends", async () => {
    const { page } = await settled();
    const before = new Map(page.cookies);
    await page.signIn(gateway.sandbox.people.viewer, elsewhere());
    assert.notEqual(page.cookies.get("faregate_session"), before.get("faregate_session"));
    const old = browser(gateway);
    for (const [name, value] of before) old.cookies.set(name, value);
    assert.equal(await isIn(old), false);
    const planted = browser(gateway);
    planted.cookies.set("faregate_session", "fg_session_planted");
    assert.equal(told(await planted.get("/session")), "401 base session");
    assert.equal((await planted.signIn(gateway.sandbox.people.viewer, elsewhere())).status, 201);
    assert.notEqual(planted.cookies.get("faregate_session"), "fg_session_planted");
  });

  test("a token that is sent counts, and a cookie beside it does not", async () => {
    const { page } = await settled("viewer");
    const token = { authorization: `Bearer ${gateway.sandbox.api_token}` };
    assert.equal(
      told(await page.call("POST", "/api/transactions/sale", {}, { ...token, "faregate-csrf": "" })).slice(0, 3),
      "422",
    );
    assert.equal((await page.get("/api/transactions", { authorization: "Bearer x" })).status, 401);
  });

  test("who signs out is out here, or everywhere", async () => {
    const { page, who } = await settled();
    const second = browser(gateway);
    const third = browser(gateway);
    for (const one of [second, third]) await one.signIn(who, elsewhere());
    assert.equal((await second.call("DELETE", "/session")).status, 204);
    assert.deepEqual(
      [second.cookies.has("faregate_session"), await isIn(second), await isIn(page)],
      [false, false, true],
    );
    assert.equal((await page.call("DELETE", "/sessions")).status, 204);
    await gateway.pool`select pg_sleep(0.6)`;
    assert.equal(await isIn(third), false);
  });

  test("a session ends when nobody uses it, and however much it is used", async () => {
    for (const change of [
      "used_at = now() - interval '16 minutes'",
      "created_at = now() - interval '12 hours 1 second'",
    ]) {
      const { page, person } = await settled();
      await gateway.pool.unsafe(`update sessions set ${change} where person_id = '${person.id}'`);
      const late = browser(gateway);
      for (const [name, value] of page.cookies) late.cookies.set(name, value);
      await gateway.pool`select pg_sleep(0.6)`;
      assert.equal(told(await late.get("/api/transactions")), "401 base session", change);
    }
  });

  test("using a session is noted, so that it goes on", async () => {
    const { page, person } = await settled();
    await gateway.pool`update sessions set used_at = now() - interval '14 minutes' where person_id = ${person.id}`;
    await gateway.pool`select pg_sleep(0.6)`;
    assert.equal(await isIn(page), true);
    const [row] = await gateway.pool`
      select used_at > now() - interval '1 minute' as noted from sessions where person_id = ${person.id}`;
    assert.equal(row?.noted, true);
  });

  test("a first password is good for choosing one's own, and for nothing else", async () => {
    const person = await newPerson("merchant_admin");
    const page = browser(gateway);
    const { body } = await page.signIn({ email: person.email, password: person.password }, elsewhere());
    assert.equal(body.session.must, "change_password");
    for (const path of ["/api/transactions", `/operator/merchants/${gateway.sandbox.merchant_id}`])
      assert.match((await page.get(path)).headers.get("link") ?? "", /unfinished-sign-in/);
    const change = (password: string, new_password: string) =>
      page.call("PUT", "/session/password", { password, new_password });
    for (const [old, next, expected] of [
      ["wrong", PASSWORD, "422 password"],
      [person.password, "short", "422 new_password"],
      [person.password, person.password, "422 new_password"],
      [person.password, person.email, "422 new_password"],
      [person.password, "aaaaaaaaaaaaaaaa", "422 new_password"],
      [person.password, "x".repeat(201), "422 new_password"],
      [person.password, PASSWORD, "200"],
    ] as const)
      assert.equal(told(await change(old, next)), expected, next);
    assert.equal((await page.get("/api/transactions")).status, 200);
    assert.equal((await browser(gateway).signIn(person, elsewhere())).status, 401);
  });

  test("a new password ends all other sessions, and this one goes on under a new secret", async () => {
    const { page, who } = await settled();
    const other = browser(gateway);
    await other.signIn(who, elsewhere());
    const before = page.cookies.get("faregate_session");
    const next = "another passphrase of mine";
    assert.equal((await page.call("PUT", "/session/password", { password: PASSWORD, new_password: next })).status, 200);
    assert.notEqual(page.cookies.get("faregate_session"), before);
    assert.equal(await isIn(page), true);
    await gateway.pool`select pg_sleep(0.6)`;
    assert.equal(await isIn(other), false);
  });

  test("a sign-in with the old password that is under way while it is reset leaves no session behind", async () => {
    const { person, who } = await settled();
    const pages = Array.from({ length: 6 }, () => browser(gateway));
    const underWay = pages.map((page) => page.signIn(who, elsewhere()));
    const reset = await gateway.operator("POST", `/operator/people/${person.id}/password`);
    assert.equal(told(reset).slice(0, 3), "200");
    await Promise.all(underWay);
    await gateway.pool`select pg_sleep(0.6)`;
    assert.deepEqual(
      await Promise.all(pages.map(isIn)),
      pages.map(() => false),
    );
  });

  test("a second factor is asked for after the password, and each code is taken once", async () => {
    const { who, secret } = await withSecondFactor();
    const sign = (more: object) => browser(gateway).signIn({ ...who, ...more }, elsewhere());
    assert.equal(told(await sign({})), "401 code");
    assert.equal(told(await sign({ password: "wrong", code: codeNow(secret) })), "401 base");
    assert.equal(told(await sign({ code: "000000" })), "401 code");
    const code = codeNow(secret);
    assert.equal((await sign({ code })).status, 201);
    assert.equal(told(await sign({ code })), "401 code");
  });

  test("the second factor is on when a code of it was sent, and not before", async () => {
    const { page, who } = await settled();
    const prepare = () => page.call("POST", "/session/second-factor", { password: PASSWORD });
    assert.equal(told(await page.call("PUT", "/session/second-factor", { code: "123456" })), "422 code");
    const { body } = await prepare();
    assert.match(body.second_factor.uri, /^otpauth:\/\/totp\/Faregate:/);
    assert.equal(told(await page.call("PUT", "/session/second-factor", { code: "123456" })), "422 code");
    assert.equal((await browser(gateway).signIn(who, elsewhere())).status, 201);
    const [row] = await gateway.pool`select pending_second_factor as sealed from people where email = ${who.email}`;
    assert.ok(Buffer.isBuffer(row?.sealed) && !row.sealed.includes(bytesOf(body.second_factor.secret)));
  });

  test("recovery codes stand in for the second factor, once each", async () => {
    const { page, who, codes } = await withSecondFactor();
    assert.equal(new Set(codes).size, 10);
    const sign = (recovery_code = "") => browser(gateway).signIn({ ...who, recovery_code }, elsewhere());
    assert.equal((await sign(codes[0])).status, 201);
    assert.equal(told(await sign(codes[0])), "401 recovery_code");
    assert.equal((await sign(codes[1]?.toUpperCase().replaceAll("-", " "))).status, 201);
    const { body } = await page.call("POST", "/session/recovery-codes", { password: PASSWORD });
    assert.equal(told(await sign(codes[2])), "401 recovery_code");
    assert.equal((await sign(body.recovery_codes[0])).status, 201);
    const off = await page.call("POST", "/session/second-factor/removal", { password: PASSWORD });
    assert.equal(off.body.session.person.second_factor, false);
    assert.equal((await browser(gateway).signIn(who, elsewhere())).status, 201);
  });

  test("after ten tries an account waits, known or not, with the right password too", async () => {
    const { who } = await settled();
    for (const account of [who, { email: "nobody-at-all@example.com", password: "x" }]) {
      const answers: string[] = [];
      for (let nth = 0; nth < 12; nth++)
        answers.push(told(await browser(gateway).signIn({ ...account, password: "wrong" }, elsewhere())));
      assert.deepEqual(answers, [...Array(10).fill("401 base"), ...Array(2).fill("429 base")]);
      const waiting = await browser(gateway).signIn(account, elsewhere());
      assert.equal(waiting.status, 429);
      assert.ok(Number(waiting.headers.get("retry-after")) <= 1_800);
    }
  });

  test("many guesses at once are counted like one after the other", async () => {
    const { who } = await settled();
    const guess = () => browser(gateway).signIn({ ...who, password: "wrong" }, elsewhere());
    const answers = await Promise.all(Array.from({ length: 15 }, guess));
    assert.equal(answers.filter(({ status }) => status === 401).length, 10);
  });

  test("nobody is locked out by another's guesses on a device that signed in before, and a new password ends the wait", async () => {
    const { person, page, who } = await settled();
    for (let nth = 0; nth < 11; nth++) await browser(gateway).signIn({ ...who, password: "wrong" }, elsewhere());
    assert.equal((await browser(gateway).signIn(who, elsewhere())).status, 429);
    assert.equal((await page.signIn(who, elsewhere())).status, 201);
    const forged = browser(gateway);
    forged.cookies.set("faregate_device", `${"A".repeat(22)}.${"A".repeat(43)}`);
    assert.equal((await forged.signIn(who, elsewhere())).status, 429);
    const stranger = (await settled()).page;
    assert.equal((await stranger.signIn(who, elsewhere())).status, 429);
    const reset = await gateway.operator("POST", `/operator/people/${person.id}/password`);
    const fresh = { email: who.email, password: reset.body.person.password };
    assert.equal((await browser(gateway).signIn(fresh, elsewhere())).status, 201);
    await gateway.pool`update sign_in_tries set since = now() - interval '31 minutes'`;
  });

  test("a wait ends by itself, and tries during it do not prolong it", async () => {
    const { who } = await settled();
    for (let nth = 0; nth < 14; nth++) await browser(gateway).signIn({ ...who, password: "wrong" }, elsewhere());
    await gateway.pool`update sign_in_tries set since = since - interval '30 minutes'`;
    assert.equal((await browser(gateway).signIn(who, elsewhere())).status, 201);
  });

  test("one address tries twenty times a minute, whatever accounts it names", async () => {
    const here = elsewhere();
    const guess = (nth: number) => browser(gateway).signIn({ email: `n${nth}@example.com`, password: "x" }, here);
    const answers: number[] = [];
    for (let nth = 0; nth < 22; nth++) answers.push((await guess(nth)).status);
    assert.deepEqual(answers, [...Array(20).fill(401), 429, 429]);
  });

  test("the password in a session is guessed ten times at most", async () => {
    const { page } = await settled();
    const guess = () => page.call("POST", "/session/second-factor", { password: "wrong" });
    const answers: string[] = [];
    for (let nth = 0; nth < 11; nth++) answers.push(told(await guess()));
    assert.deepEqual(answers, [...Array(10).fill("422 password"), "429 base"]);
  });

  test("sign-ins, what was refused, and changes are in the audit log, without a password", async () => {
    const { person, who } = await settled();
    await browser(gateway).signIn({ ...who, password: "wrong-guess" }, elsewhere());
    const { body, text } = await gateway.operator("GET", `/operator/audit-log?subject=${person.id}`);
    const entries = body.entries.map((one: { action: string; outcome: string }) => `${one.action} ${one.outcome}`);
    assert.deepEqual(entries, [
      "POST /session refused",
      "person.change done",
      "session.create done",
      "person.create done",
    ]);
    assert.doesNotMatch(text, /wrong-guess|passphrase|argon2|fg_session/);
  });

  test("who is refused again and again is noted sixty times a minute, and each person by themselves", async () => {
    const [flooding, other] = [await settled("viewer"), await settled("viewer")];
    const refused = ({ page }: typeof other) => page.call("POST", "/operator/merchants", { name: "Mine" });
    for (let nth = 0; nth < 70; nth++) assert.equal((await refused(flooding)).status, 403);
    assert.equal((await refused(other)).status, 403);
    const { body } = await gateway.operator("GET", "/operator/audit-log");
    const actors = body.entries.map(({ actor }: { actor: string }) => actor);
    assert.equal(actors[0], `viewer ${other.who.email}`);
    const [noted] = await gateway.pool`
      select count(*)::int as count from audit_log where actor = ${`viewer ${flooding.who.email}`} and action like 'POST %'`;
    assert.equal(noted?.count, 60);
  });
});

test("operators in live mode set up a second factor before anything else, and keep it", async () => {
  const gateway = await startLiveTestGateway();
  try {
    const input = { name: "Jane", email: "jane@example.com", role: "operator" };
    const { body } = await gateway.operator("POST", "/operator/people", input);
    const page = browser(gateway);
    const plain = await page.signIn({ email: input.email, password: body.person.password });
    assert.match(plain.headers.getSetCookie()[0] ?? "", /^__Host-faregate_session=.*; Secure$/);
    const change = { password: body.person.password, new_password: PASSWORD };
    const changed = await page.call("PUT", "/session/password", change);
    assert.equal(changed.body.session.must, "set_up_second_factor");
    assert.equal((await page.get("/operator/merchants")).status, 403);
    const { second_factor } = (await page.call("POST", "/session/second-factor", { password: PASSWORD })).body;
    const on = await page.call("PUT", "/session/second-factor", { code: codeNow(second_factor.secret) });
    assert.equal(on.body.session.must, null);
    assert.equal((await page.get("/operator/merchants")).status, 200);
    const off = await page.call("POST", "/session/second-factor/removal", { password: PASSWORD });
    assert.equal(told(off), "422 base");
  } finally {
    await gateway.close();
  }
});
