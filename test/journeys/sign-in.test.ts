// Signing in with a browser: what is told to whom, cookies, sessions and their ends, the second factor, and how guessing is slowed.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { browser } from "../browser.ts";
import { startLiveTestGateway, startTestGateway, told } from "./gateway.ts";
import { bytesOf, codeNow, PASSWORD, signingIn } from "./sign-in.fixture.ts";

describe("signing in", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  before(async () => {
    gateway = await startTestGateway({ trustProxy: ["127.0.0.1"] });
  });
  after(() => gateway.close());

  const { elsewhere, newPerson, withOwnPassword, withSecondFactor, isIn } = signingIn(() => gateway);

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
    const { person, who } = await withOwnPassword();
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
    const { who } = await withOwnPassword();
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
    const [one, other] = [(await withOwnPassword()).page, (await withOwnPassword()).page];
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
    const { page } = await withOwnPassword();
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
    const { page } = await withOwnPassword("viewer");
    const token = { authorization: `Bearer ${gateway.sandbox.api_token}` };
    assert.equal(
      told(await page.call("POST", "/api/transactions/sale", {}, { ...token, "faregate-csrf": "" })).slice(0, 3),
      "422",
    );
    assert.equal((await page.get("/api/transactions", { authorization: "Bearer x" })).status, 401);
  });

  test("who signs out is out here, or everywhere", async () => {
    const { page, who } = await withOwnPassword();
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
      const { page, person } = await withOwnPassword();
      await gateway.pool.unsafe(`update sessions set ${change} where person_id = '${person.id}'`);
      const late = browser(gateway);
      for (const [name, value] of page.cookies) late.cookies.set(name, value);
      await gateway.pool`select pg_sleep(0.6)`;
      assert.equal(told(await late.get("/api/transactions")), "401 base session", change);
    }
  });

  test("a session goes on when its person does something, and not by requests that a page makes by itself", async () => {
    const { page, person } = await withOwnPassword("merchant_admin");
    const asked = async (path: string, idle: string | undefined, minutes: number) => {
      const headers = { ...(idle !== undefined && { "faregate-idle-seconds": idle }) };
      assert.equal((await page.get(path, headers)).status, 200);
      const [row] = await gateway.pool`
        select round(extract(epoch from now() - used_at) / 60)::int as minutes from sessions where person_id = ${person.id}`;
      assert.equal(row?.minutes, minutes, `${path} ${idle}`);
    };
    await gateway.pool`update sessions set used_at = now() - interval '14 minutes' where person_id = ${person.id}`;
    await gateway.pool`select pg_sleep(0.6)`;
    const paths = ["/session", "/api/transactions", `/operator/merchants/${gateway.sandbox.merchant_id}/tokens`];
    for (const path of paths)
      for (const idle of [undefined, "", "now", "-1", "1.5", "1e1", "0x0", "99999999", "0, 0", "900", "840"])
        await asked(path, idle, 14);
    for (const [at, path] of paths.entries()) await asked(path, String(600 - 180 * at), 10 - 3 * at);
    await asked("/session", "900", 4);
    await asked("/session", "0", 0);
  });

  test("a session that nobody used for 15 minutes has ended, also for who comes back then", async () => {
    const { page, person } = await withOwnPassword();
    await gateway.pool`update sessions set used_at = now() - interval '15 minutes 1 second' where person_id = ${person.id}`;
    await gateway.pool`select pg_sleep(0.6)`;
    for (const headers of [{ "faregate-idle-seconds": "0" }, {}] as const)
      assert.equal(told(await page.get("/api/transactions", headers)), "401 base session");
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
      [person.password, "aaaaaaaaaaaaaaaa1", "422 new_password"],
      [person.password, "letters and no digits", "422 new_password"],
      [person.password, "1234567890 98765", "422 new_password"],
      [person.password, "x".repeat(201), "422 new_password"],
      [person.password, PASSWORD, "200"],
    ] as const)
      assert.equal(told(await change(old, next)), expected, next);
    assert.equal((await page.get("/api/transactions")).status, 200);
    assert.equal((await browser(gateway).signIn(person, elsewhere())).status, 401);
  });

  test("a new password ends all other sessions, and this one goes on under a new secret", async () => {
    const { page, who } = await withOwnPassword();
    const other = browser(gateway);
    await other.signIn(who, elsewhere());
    const before = page.cookies.get("faregate_session");
    const next = "another passphrase of mine 2";
    assert.equal((await page.call("PUT", "/session/password", { password: PASSWORD, new_password: next })).status, 200);
    assert.notEqual(page.cookies.get("faregate_session"), before);
    assert.equal(await isIn(page), true);
    await gateway.pool`select pg_sleep(0.6)`;
    assert.equal(await isIn(other), false);
  });

  test("a sign-in with the old password in flight while it is reset leaves no session behind", async () => {
    const { person, who } = await withOwnPassword();
    const pages = Array.from({ length: 6 }, () => browser(gateway));
    const inFlight = pages.map((page) => page.signIn(who, elsewhere()));
    const reset = await gateway.operator("POST", `/operator/people/${person.id}/password`);
    assert.equal(told(reset).slice(0, 3), "200");
    await Promise.all(inFlight);
    await gateway.pool`select pg_sleep(0.6)`;
    assert.deepEqual(
      await Promise.all(pages.map(isIn)),
      pages.map(() => false),
    );
  });

  test("a second factor is asked for after the password, and each code is taken once", async () => {
    const { who, secret, confirmed } = await withSecondFactor();
    const sign = (more: object) => browser(gateway).signIn({ ...who, ...more }, elsewhere());
    assert.equal(told(await sign({})), "401 code");
    assert.equal(told(await sign({ password: "wrong", code: codeNow(secret, 1) })), "401 base");
    assert.equal(told(await sign({ code: "000000" })), "401 code");
    assert.equal(told(await sign({ code: confirmed })), "401 code", "the one that turned it on");
    const code = codeNow(secret, 1);
    assert.equal((await sign({ code })).status, 201);
    assert.equal(told(await sign({ code })), "401 code");
    assert.equal(told(await sign({ code: confirmed })), "401 code", "one of before it");
  });

  test("the second factor is on when a code of it was sent, and not before", async () => {
    const { page, who } = await withOwnPassword();
    const prepare = () => page.call("POST", "/session/second-factor", { password: PASSWORD });
    assert.equal(told(await page.call("PUT", "/session/second-factor", { code: "123456" })), "422 code");
    const { body } = await prepare();
    assert.match(body.second_factor.uri, /^otpauth:\/\/totp\/Faregate:/);
    assert.equal(told(await page.call("PUT", "/session/second-factor", { code: "123456" })), "422 code");
    assert.equal((await browser(gateway).signIn(who, elsewhere())).status, 201);
    const [row] = await gateway.pool`select pending_second_factor as sealed from people where email = ${who.email}`;
    assert.ok(Buffer.isBuffer(row?.sealed) && !row.sealed.includes(bytesOf(body.second_factor.secret)));
    const { page: other, secret } = await withSecondFactor();
    // A second time would give new recovery codes for no more than a code.
    assert.equal(told(await other.call("PUT", "/session/second-factor", { code: codeNow(secret, 1) })), "422 code");
  });

  test("recovery codes stand in for the second factor, once each", async () => {
    const { page, who, secret, codes } = await withSecondFactor();
    assert.equal(new Set(codes).size, 10);
    const sign = (recovery_code = "") => browser(gateway).signIn({ ...who, recovery_code }, elsewhere());
    assert.equal((await sign(codes[0])).status, 201);
    assert.equal(told(await sign(codes[0])), "401 recovery_code");
    const other = await withSecondFactor();
    assert.equal(told(await sign(other.codes[0])), "401 recovery_code", "another person's");
    const theirs = { ...other.who, recovery_code: other.codes[0] };
    assert.equal((await browser(gateway).signIn(theirs, elsewhere())).status, 201, "which is good for them still");
    assert.equal((await sign(codes[1]?.toUpperCase().replaceAll("-", " "))).status, 201);
    const proof = { password: PASSWORD, code: codeNow(secret, 1) };
    const { body } = await page.call("POST", "/session/recovery-codes", proof);
    assert.equal(told(await sign(codes[2])), "401 recovery_code");
    assert.equal((await sign(body.recovery_codes[0])).status, 201);
    const lost = { password: PASSWORD, recovery_code: body.recovery_codes[1] };
    const off = await page.call("POST", "/session/second-factor/removal", lost);
    assert.equal(off.body.session.person.second_factor, false);
    assert.equal((await browser(gateway).signIn(who, elsewhere())).status, 201);
  });

  test("a second factor that is on is changed by its code, and not by the password alone", async () => {
    const { page, secret } = await withSecondFactor();
    for (const path of ["/session/second-factor", "/session/recovery-codes", "/session/second-factor/removal"]) {
      const change = (more: object) => page.call("POST", path, { password: PASSWORD, ...more });
      assert.equal(told(await change({})), "422 code", path);
      assert.equal(told(await change({ code: "000000" })), "422 code", path);
      assert.equal(told(await change({ recovery_code: "aaaa-aaaa-aaaa-aaaa" })), "422 recovery_code", path);
    }
    const code = codeNow(secret, 1);
    const replaced = await page.call("POST", "/session/second-factor", { password: PASSWORD, code });
    assert.equal(replaced.status, 200, replaced.text);
    const again = await page.call("POST", "/session/second-factor/removal", { password: PASSWORD, code });
    assert.equal(told(again), "422 code", "it is spent");
  });

  test("none of the last four passwords is chosen again, also after a reset", async () => {
    const { person, page } = await withOwnPassword();
    const nth = (n: number) => `a passphrase of my own ${n}`;
    const change = (from: string, to: string) =>
      page.call("PUT", "/session/password", { password: from, new_password: to });
    for (let n = 1; n < 5; n++) assert.equal(told(await change(nth(n), nth(n + 1))).slice(0, 3), "200", nth(n + 1));
    assert.equal(told(await change(nth(5), nth(2))), "422 new_password");
    const { body } = await gateway.operator("POST", `/operator/people/${person.id}/password`);
    const first = body.person.password;
    await page.signIn({ email: person.email, password: first }, elsewhere());
    for (const n of [5, 2]) assert.equal(told(await change(first, nth(n))), "422 new_password", nth(n));
    assert.equal((await change(first, nth(1))).status, 200, "the fifth to last");
  });

  test("a session that has ended changes nothing any more, though a node still remembers it", async () => {
    const { person, page } = await withOwnPassword();
    assert.equal(await isIn(page), true);
    await gateway.pool`delete from sessions where person_id = ${person.id}`;
    const change = { password: PASSWORD, new_password: "another passphrase of mine 2" };
    assert.equal(told(await page.call("PUT", "/session/password", change)), "401 base session");
    const [row] = await gateway.pool`select count(*)::int as sessions from sessions where person_id = ${person.id}`;
    assert.equal(row?.sessions, 0);
  });

  test("nor does it make new recovery codes: the old ones stay good", async () => {
    const { person, page, who, secret, codes } = await withSecondFactor();
    assert.equal(await isIn(page), true);
    await gateway.pool`delete from sessions where person_id = ${person.id}`;
    const proof = { password: PASSWORD, code: codeNow(secret, 1) };
    assert.equal(told(await page.call("POST", "/session/recovery-codes", proof)), "401 base session");
    const recovered = await browser(gateway).signIn({ ...who, recovery_code: codes[0] }, elsewhere());
    assert.equal(recovered.status, 201);
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
