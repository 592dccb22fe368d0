// Guessing: how it is slowed, what it tells, and that it locks out nobody but who guesses.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { browser } from "../browser.ts";
import { until } from "../receiver.ts";
import { startTestGateway, told } from "./gateway.ts";
import { codeNow, PASSWORD, signingIn } from "./sign-in.fixture.ts";

describe("guessing at the sign-in", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  before(async () => {
    gateway = await startTestGateway({ trustProxy: ["127.0.0.1"] });
  });
  after(() => gateway.close());

  const { elsewhere, merchantsPeople, newPerson, withOwnPassword, withSecondFactor } = signingIn(() => gateway);

  test("after ten tries an account waits, known or not, with the right password too", async () => {
    const { who } = await withOwnPassword();
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
    const { who } = await withOwnPassword();
    const guess = () => browser(gateway).signIn({ ...who, password: "wrong" }, elsewhere());
    const answers = await Promise.all(Array.from({ length: 15 }, guess));
    assert.equal(answers.filter(({ status }) => status === 401).length, 10);
  });

  test("nobody is locked out by another's guesses on a device that signed in before, and a new password ends the wait", async () => {
    const { person, page, who } = await withOwnPassword();
    for (let nth = 0; nth < 11; nth++) await browser(gateway).signIn({ ...who, password: "wrong" }, elsewhere());
    assert.equal((await browser(gateway).signIn(who, elsewhere())).status, 429);
    assert.equal((await page.signIn(who, elsewhere())).status, 201);
    const forged = browser(gateway);
    forged.cookies.set("faregate_device", `${"A".repeat(22)}.${"A".repeat(43)}`);
    assert.equal((await forged.signIn(who, elsewhere())).status, 429);
    const stranger = (await withOwnPassword()).page;
    assert.equal((await stranger.signIn(who, elsewhere())).status, 429);
    const reset = await gateway.operator("POST", `/operator/people/${person.id}/password`);
    const fresh = { email: who.email, password: reset.body.person.password };
    assert.equal((await browser(gateway).signIn(fresh, elsewhere())).status, 201);
    await gateway.pool`update sign_in_tries set since = now() - interval '31 minutes'`;
  });

  test("a reset ends the wait on a device that signed in before, too", async () => {
    const { person, page, who } = await withOwnPassword();
    for (let nth = 0; nth < 10; nth++) await page.signIn({ ...who, password: "wrong" }, elsewhere());
    assert.equal((await page.signIn(who, elsewhere())).status, 429);
    const { body } = await gateway.operator("POST", `/operator/people/${person.id}/password`);
    const password = body.person.password;
    const other = browser(gateway);
    await other.signIn({ ...who, password }, elsewhere());
    const chosen = "another passphrase of mine 2";
    assert.equal((await other.call("PUT", "/session/password", { password, new_password: chosen })).status, 200);
    assert.equal((await page.signIn({ ...who, password: chosen }, elsewhere())).status, 201);
  });

  test("strangers' guesses do not keep anybody from the first sign-in, and a guess in a first password's form waits too", async () => {
    const person = await newPerson();
    const guess = (password: string) => browser(gateway).signIn({ email: person.email, password }, elsewhere());
    for (let nth = 0; nth < 10; nth++) assert.equal((await guess("wrong")).status, 401);
    assert.equal((await guess("abcde-fghjk-mnpqr-stuvw")).status, 429);
    assert.equal((await guess(person.password)).status, 201);
    const { who } = await withOwnPassword();
    for (let nth = 0; nth < 10; nth++) await browser(gateway).signIn({ ...who, password: "wrong" }, elsewhere());
    assert.equal((await browser(gateway).signIn(who, elsewhere())).status, 429, "a chosen one");
  });

  test("who has the first password guesses the code ten times, also where strangers have used up the tries", async () => {
    const { person, who } = await withSecondFactor();
    for (let nth = 0; nth < 10; nth++) await browser(gateway).signIn({ ...who, password: "wrong" }, elsewhere());
    const { body } = await gateway.operator("POST", `/operator/people/${person.id}/password`);
    for (let nth = 0; nth < 10; nth++) await browser(gateway).signIn({ ...who, password: "wrong" }, elsewhere());
    const first = { ...who, password: body.person.password };
    const guess = (code: string) => browser(gateway).signIn({ ...first, code }, elsewhere());
    const answers: string[] = [];
    for (let nth = 0; nth < 11; nth++) answers.push(told(await guess("000000")));
    assert.deepEqual(answers, [...Array(10).fill("401 code"), "429 base"]);
  });

  test("a password in a first one's form that the person chose waits like any other", async () => {
    const chosen = "abcde-fghjk-mnpqr-stuv2";
    const { page, who } = await withOwnPassword();
    const change = { password: who.password, new_password: chosen };
    assert.equal((await page.call("PUT", "/session/password", change)).status, 200);
    for (let nth = 0; nth < 10; nth++) await browser(gateway).signIn({ ...who, password: "wrong" }, elsewhere());
    assert.equal((await browser(gateway).signIn({ ...who, password: chosen }, elsewhere())).status, 429);
  });

  test("a right password without the code is no guess, however often it is sent", async () => {
    const { who } = await withSecondFactor();
    for (let nth = 0; nth < 12; nth++)
      assert.equal(told(await browser(gateway).signIn(who, elsewhere())), "401 code", `${nth}`);
  });

  test("whether there is such a person does not show by how long the answer takes: it does not wait for the audit log", async () => {
    const { person, who } = await withOwnPassword();
    const signIn = (email: string) => browser(gateway).signIn({ email, password: "wrong" }, elsewhere());
    await gateway.pool.begin(async (sql) => {
      await sql`lock table audit_log in exclusive mode`;
      for (const email of [who.email, "nobody-of-that-name@example.com"])
        assert.equal((await signIn(email)).status, 401);
    });
    await until("it is noted", async () => {
      const { body } = await gateway.operator("GET", `/operator/audit-log?subject=${person.id}`);
      return body.entries[0].action === "POST /session";
    });
  });

  test("a merchant's admins together are told ten times in half an hour that an e-mail is taken", async () => {
    const [{ page }, { page: colleague }] = [
      await withOwnPassword("merchant_admin"),
      await withOwnPassword("merchant_admin"),
    ];
    const other = await newPerson("operator");
    const create = (email: string) => page.call("POST", merchantsPeople(), { name: "Jane", email, role: "viewer" });
    assert.equal((await create(`${crypto.randomUUID()}@example.com`)).status, 201);
    for (let nth = 0; nth < 10; nth++) assert.equal(told(await create(other.email)), "422 email");
    const refused = await create(other.email);
    assert.equal(told(refused), "429 base");
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    const again = { name: "Jane", email: other.email, role: "viewer" };
    assert.equal(told(await colleague.call("POST", merchantsPeople(), again)), "429 base");
    const inCapitals = merchantsPeople().replace(/[0-9a-f-]{36}/, (id) => id.toUpperCase());
    assert.equal(told(await colleague.call("POST", inCapitals, again)), "429 base");
  });

  test("a wait ends by itself, and tries during it do not prolong it", async () => {
    const { who } = await withOwnPassword();
    for (let nth = 0; nth < 14; nth++) await browser(gateway).signIn({ ...who, password: "wrong" }, elsewhere());
    await gateway.pool`update sign_in_tries set since = since - interval '29 minutes'`;
    assert.equal((await browser(gateway).signIn(who, elsewhere())).status, 429);
    await gateway.pool`update sign_in_tries set since = since - interval '1 minute'`;
    assert.equal((await browser(gateway).signIn(who, elsewhere())).status, 201);
  });

  test("one address tries twenty times a minute, whatever accounts it names", async () => {
    const here = elsewhere();
    const guess = (nth: number) => browser(gateway).signIn({ email: `n${nth}@example.com`, password: "x" }, here);
    const answers: number[] = [];
    for (let nth = 0; nth < 22; nth++) answers.push((await guess(nth)).status);
    assert.deepEqual(answers, [...Array(20).fill(401), 429, 429]);
  });

  test("the code that turns a second factor on is guessed ten times at most; then the right one waits, too", async () => {
    const { page } = await withOwnPassword();
    const { body } = await page.call("POST", "/session/second-factor", { password: PASSWORD });
    const confirm = (code: string) => page.call("PUT", "/session/second-factor", { code });
    const answers: string[] = [];
    for (let nth = 0; nth < 10; nth++) answers.push(told(await confirm("wrong")));
    assert.deepEqual(answers, Array(10).fill("422 code"));
    assert.equal(told(await confirm(codeNow(body.second_factor.secret))), "429 base");
  });

  test("the password in a session is guessed ten times at most", async () => {
    const { page } = await withOwnPassword();
    const guess = () => page.call("POST", "/session/second-factor", { password: "wrong" });
    const answers: string[] = [];
    for (let nth = 0; nth < 11; nth++) answers.push(told(await guess()));
    assert.deepEqual(answers, [...Array(10).fill("422 password"), "429 base"]);
  });

  test("sign-ins, what was refused, and changes are in the audit log, without a password", async () => {
    const { person, who } = await withOwnPassword();
    await browser(gateway).signIn({ ...who, password: "wrong-guess" }, elsewhere());
    const read = () => gateway.operator("GET", `/operator/audit-log?subject=${person.id}`);
    await until("what was refused is noted", async () => (await read()).body.entries.length === 4);
    const { body, text } = await read();
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
    const [flooding, other] = [await withOwnPassword("viewer"), await withOwnPassword("viewer")];
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
