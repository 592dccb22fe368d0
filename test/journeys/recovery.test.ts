// A database that is put back to a moment in the past, and an acquirer that has booked more since: what was lost is adopted from its books,
// once, and is an ordinary transaction from then on.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Control, startControl } from "../../acquirer/control.ts";
import { type Host, startHost } from "../../acquirer/host.ts";
import { STANDARD } from "../../src/processors/iso8583/dialect/standard.ts";

import { compiled } from "../compiled.ts";
import { findingsIn, isReplay, type Json, Restored, until } from "./recovery.fixture.ts";

const DECLINED = "4000000000009995";

describe("an acquirer's books, after a restore", () => {
  let restored: Restored;
  let host: Host;
  let control: Control;
  let folder: string;
  let processor: string;
  let books: string;
  const made: Record<string, Json> = {};
  /** Before the command was killed. */
  let written = 0;

  before(async () => {
    restored = await Restored.open();
    await restored.start();
    folder = mkdtempSync(join(tmpdir(), "faregate-acquirer-"));
    host = await startHost({
      ...{ folder, address: "127.0.0.1", port: 0, framing: { bytes: 2, encoding: "binary" }, dialect: STANDARD },
      ...{ tls: null, lateMs: 2_500, settleAt: "02:00", log: () => undefined, crash: () => undefined },
    });
    control = await startControl(host, 0);
    processor = await restored.record("iso8583", {
      ...{ host: "127.0.0.1", port: host.port, result_letters: "simulator", timeout_ms: 9_000, partial_void: true },
      ...{ terminal_id: "T1", merchant_id: "M1", acquirer_id: "12345", multiple_captures: true },
      ...{ merchant_name: "Northwind", merchant_city: "Oslo", merchant_country: "NO", refund_before_settlement: true },
    });
    await trade();
  });
  after(async () => {
    await restored.close();
    await control.stop();
    await host.stop();
    rmSync(folder, { recursive: true });
  });

  async function trade(): Promise<void> {
    const charge = async (name: string, path: "sale" | "auth", amount: string, over: Json = {}) => {
      made[name] = await restored.charge(path, processor, amount, `order, "${name}"`, over);
      return made[name].id as string;
    };
    const kept = await charge("kept", "sale", "10.00");
    const held = await charge("held", "auth", "20.00");
    // Booked at once, and answered after the backup.
    host.misbehave({ what: "delay", on: ["sale"], ms: 4_000, times: 1 });
    const answered = charge("open", "sale", "11.00");
    await sleep(500);
    await restored.database.backUp("T");
    await answered;
    await charge("lost", "sale", "12.00");
    const partly = await charge("refunded", "sale", "13.00");
    await restored.follow(partly, "refund", { amount: "3.00" });
    const authorized = await charge("captured", "auth", "30.00");
    await restored.follow(authorized, "capture", { amount: "25.00" });
    await charge("authorized", "auth", "31.00");
    await charge("voided", "sale", "14.00").then((id) => restored.follow(id, "void"));
    await charge("declined", "sale", "15.00", { card_number: DECLINED });
    await restored.follow(held, "capture", { amount: "20.00" });
    await restored.follow(kept, "refund", { amount: "4.00" });
    for (const [name, { id }] of Object.entries(made)) made[name] = await restored.find(id);
    const day = new Date().toISOString().slice(0, 10);
    await restored.restore("T");
    const csv = await (await fetch(`http://127.0.0.1:${control.port}/books/${day}.csv`)).text();
    books = join(folder, `books-${day}.csv`);
    writeFileSync(books, csv);
  }

  const compare = (...more: string[]) =>
    restored.faregate("recovery", "compare", "--processor", processor, books, ...more);
  const adopt = (...more: string[]) =>
    restored.faregate("recovery", "adopt", "--processor", processor, "--from-books", books, ...more);

  const counted = (findings: readonly Json[]) =>
    Object.fromEntries(
      [...Map.groupBy(findings, ({ kind }) => kind)].map(([kind, some]) => [
        kind,
        some.map(({ operation, amount }) => `${operation} ${amount}`),
      ]),
    );

  const LOST = [
    ...["sale 12.00", "sale 13.00", "refund 3.00", "auth 30.00", "capture 25.00", "auth 31.00", "sale 14.00"],
    ...["void 14.00", "capture 20.00", "refund 4.00"],
  ];

  it("a comparison tells what is the same, what is open and what is lost, and has an exit code of its own", async () => {
    const compared = await compare("--json");
    assert.equal(compared.code, 3, compared.stderr);
    const findings = findingsIn(compared);
    assert.deepEqual(counted(findings.slice(0, -1)), { "open-booked": ["sale 11.00"], lost: LOST });
    const { totals } = findings.at(-1) ?? {};
    assert.deepEqual([totals.equal, totals.lost_declined, totals.broken], [2, 1, 0]);
    const lost = findings.find(({ transaction_id }) => transaction_id === made.lost?.id);
    assert.equal(lost?.merchant_transaction_id, 'order, "lost"');
    const told = await compare();
    assert.equal(told.code, 3);
    assert.match(told.stdout, /10 lost: approved there, absent here: adopt it\./);
  });

  it("books that do not name the gateway's transactions are compared by the acquirer's references", async () => {
    const file = join(folder, "nameless.csv");
    const uuid = /,[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21},/g;
    writeFileSync(file, readFileSync(books, "utf8").replaceAll(uuid, ",,"));
    const compared = await restored.faregate("recovery", "compare", "--processor", processor, file, "--json");
    const findings = findingsIn(compared).slice(0, -1);
    assert.deepEqual(counted(findings), { "open-booked": ["sale 11.00"], lost: LOST });
    const of = (operation: string, amount: string) =>
      findings.find((one) => one.operation === operation && one.amount === amount)?.transaction_id;
    assert.deepEqual([of("refund", "4.00"), of("sale", "12.00")], [made.kept.id, null]);
  });

  it("without --yes the plan is shown, and nothing is written", async () => {
    const shown = await adopt();
    assert.equal(shown.code, 3, shown.stderr);
    assert.match(shown.stdout, /Nothing is written yet/);
    assert.equal((await restored.gateway.get(`/api/transactions/${made.lost?.id}`)).status, 404);
  });

  it("a kind without books says so, and so does what names no books", async () => {
    const asked = (...parameters: string[]) => restored.faregate("recovery", "compare", ...parameters);
    const none = await asked("--processor", restored.usual);
    assert.deepEqual([none.code, /simulator have no books and cannot be asked/.test(none.stderr)], [1, true]);
    const nameless = await asked("--processor", processor);
    assert.deepEqual([nameless.code, /name the files: the acquirer's books/.test(nameless.stderr)], [2, true]);
    for (const [text, words] of [
      ["", /it is empty/],
      ["at,operation\n", /lacks terminal/],
    ] as const) {
      const file = join(folder, "wrong.csv");
      writeFileSync(file, text);
      const wrong = await asked("--processor", processor, file);
      assert.equal(wrong.code, 2);
      assert.match(wrong.stderr, words);
    }
    const overview = await asked("--json");
    assert.equal(overview.code, 3);
    const { processors } = JSON.parse(overview.stdout);
    assert.equal(processors.find(({ processor_id }: Json) => processor_id === processor).open, 1);
  });

  it("a day without lines is no evidence, unless it is said that there are none", async () => {
    const [header = ""] = readFileSync(books, "utf8").split("\n");
    const file = join(folder, "empty.csv");
    writeFileSync(file, `${header}\n`);
    const asked = async (...more: string[]) => {
      const { code, stdout } = await restored.faregate(
        ...["recovery", "compare", "--processor", processor, file, "--json", ...more],
      );
      return {
        code,
        kinds: stdout
          .trimEnd()
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
      };
    };
    const silent = await asked();
    assert.equal(silent.code, 3);
    assert.ok(silent.kinds.every(({ kind }) => kind === "no-evidence"));
    assert.ok(silent.kinds.some(({ advice }) => /missing: books of \d{4}-\d\d-\d\d/.test(advice)));
    const later = new Date(Date.now() + 600_000).toISOString();
    const said = await asked("--until", later);
    assert.ok(said.kinds.every(({ kind }) => kind === "open-absent" || kind === "approved-absent"));
  });

  it("what cannot be kept of a line is not taken over: a reference that holds the card's number is none", async () => {
    const text = readFileSync(books, "utf8");
    for (const order of ["4111111111111111", "card 4111-1111-1111-1111", "a\u0000b", "a\nb", "   ", "x".repeat(256)]) {
      const file = join(folder, "other.csv");
      writeFileSync(file, text.replace('"order, ""lost"""', `"${order}"`));
      const { stdout } = await restored.faregate(
        ...["recovery", "compare", "--processor", processor, file, "--json", "--until", new Date().toISOString()],
      );
      const findings = findingsIn({ code: 0, stdout, stderr: "" });
      const one = findings.find(({ transaction_id }) => transaction_id === made.lost.id);
      assert.deepEqual([one?.kind, one?.lacks], ["lost-incomplete", "the merchant's reference"], order);
      assert.ok(!stdout.includes("4111111111111111"));
    }
  });

  it("a lost operation is entered by hand: each wrong field is told, and a right one is written once", async () => {
    const lines = readFileSync(books, "utf8").split("\n");
    const cells = (id: string) =>
      lines.find((line) => line.includes(`,sale,`) && line.includes(`,${id},`))?.split(",") ?? [];
    const [at = "", , , , rrn = "", stan = "", amount = ""] = cells(made.lost.id);
    const given: Record<string, string> = {
      ...{
        type: "sale",
        amount,
        reference: rrn,
        at,
        stan,
        transaction: made.lost.id,
        evidence: "page 3 of the portal",
      },
      ...{ "merchant-transaction-id": 'order, "lost"', card: "411111******1111", expiry: "12/2040" },
      ...{ "auth-code": made.lost.events[0].auth_code },
      "processor-transaction-id": made.lost.events[0].processor_transaction_id,
    };
    const enter = (over: Record<string, string | undefined> = {}) => {
      const options = Object.entries({ ...given, ...over }).filter(([, value]) => value !== undefined);
      const parameters = options.flatMap(([name, value]) => [`--${name}`, value ?? ""]);
      return restored.faregate("recovery", "adopt", "--processor", processor, ...parameters);
    };
    for (const [over, words] of [
      [{ amount: "12.345" }, /--amount must be/],
      [{ amount: "-1.00" }, /--amount must be/],
      [{ amount: "0" }, /--amount must be/],
      [{ currency: "EUR" }, /--currency must be USD/],
      [{ reference: "short" }, /--reference must be an RRN/],
      [{ at: "2099-01-01T00:00:00Z" }, /--at must not be later than now/],
      [{ card: "4111111111111111" }, /--card must/],
      [{ expiry: "13/2040" }, /--expiry must/],
      [{ "merchant-transaction-id": undefined }, /--merchant-transaction-id is required/],
      [{ type: "refund", transaction: undefined }, /--transaction is required/],
      [{ evidence: undefined }, /--evidence is required/],
    ] as const) {
      const wrong = await enter(over);
      assert.deepEqual([wrong.code, words.test(wrong.stderr)], [2, true], wrong.stderr);
    }
    const [, , , , known = ""] = cells(made.kept.id);
    const here = await enter({ reference: known, transaction: undefined });
    assert.match(here.stderr, new RegExp(`is here, in transaction ${made.kept.id}`));
    const orphan = await enter({ type: "refund", transaction: made.refunded.id, reference: "ABCDEFGHIJKL" });
    assert.match(orphan.stderr, /its charge is not here/);
    const much = await enter({ type: "refund", transaction: made.kept.id, reference: "ABCDEFGHIJKL", amount: "10.01" });
    assert.match(much.stderr, /more than what is left \(10\.00\)/);
    for (const words of [/It is on record/, /It is here already/]) {
      const done = await enter();
      assert.equal(done.code, 0, done.stderr);
      assert.match(done.stdout, words);
    }
    const rounded = await enter({ at: `${at.slice(0, 19)}Z` });
    assert.match(rounded.stderr, /this operation is here/);
    LOST.splice(LOST.indexOf("sale 12.00"), 1);
  });

  it("an operator's command that is killed in the middle leaves whole transactions, and is repeated", async () => {
    const adopted = async () => {
      const [row] = await restored.database.pool`
        select count(*)::int as count from audit_log where action = 'recovery.create'`;
      return Number(row?.count);
    };
    const before = await adopted();
    const parameters = ["recovery", "adopt", "--processor", processor, "--from-books", books, "--yes"];
    const env = { PATH: process.env.PATH, ...restored.environment };
    const child = spawn(process.execPath, ["--", compiled("faregate"), ...parameters], { env, stdio: "ignore" });
    const over = once(child, "exit");
    while ((await adopted()) === before && child.exitCode === null) await sleep(1);
    child.kill("SIGKILL");
    await over;
    const { stdout } = await compare("--json");
    const left = findingsIn({ code: 0, stdout, stderr: "" }).filter(
      ({ kind }) => kind === "lost" || kind === "open-booked",
    );
    written = LOST.length + 1 - left.length;
    assert.ok(written > 0);
  });

  it("two operators who adopt at once, and one who adopts again, write everything once", async () => {
    const [one, other] = await Promise.all([adopt("--yes", "--json"), adopt("--yes", "--json")]);
    assert.deepEqual([one.code, other.code], [0, 0], one.stderr + one.stdout);
    const each = [one, other].map(({ stdout }) => JSON.parse(stdout).adopted?.operations ?? 0);
    assert.equal(each[0] + each[1] + written, LOST.length + 1);
    assert.equal((await adopt("--yes")).code, 0);
    assert.equal((await compare()).code, 0);
    const { body } = await restored.gateway.get("/api/transactions");
    assert.equal(body.meta.total, Object.keys(made).length - 1);
  });

  it("what was adopted is as it was", async () => {
    for (const [name, before] of Object.entries(made)) {
      if (name === "declined") continue;
      const now = await restored.find(before.id);
      const facts = (one: Json) => ({
        ...{ amount: one.amount, order: one.merchant_transaction_id, card: one.card_number, brand: one.card_brand },
        ...{ month: one.card_expiry_month, year: one.card_expiry_year, actions: one.actions, user: one.user_id },
        events: one.events.map((event: Json) => [
          ...[event.event_type, event.amount, event.success, event.processor_transaction_id, event.auth_code],
        ]),
      });
      assert.deepEqual(facts(now), facts(before), name);
    }
    const day = new Date().toISOString().slice(0, 10);
    const { body } = await restored.gateway.get(`/api/ledger?from=${day}&to=${day}`);
    const refunds = body.movements.filter((one: Json) => JSON.stringify(one).includes('"refund"'));
    assert.equal(refunds.length, 2);
  });

  it("in recovery mode a charge that is repeated with its key is not answered", async () => {
    const { status } = await restored.chargeAgain("sale", processor, "12.00", 'order, "lost"');
    assert.equal(status, 503);
  });

  it("after the release a charge that is repeated with its key is not charged again: it gets the one that came back", async () => {
    await restored.release();
    const charge = (name: string, path: "sale" | "auth", amount: string, over: Json = {}, key?: string) =>
      restored.chargeAgain(path, processor, amount, `order, "${name}"`, over, key);
    const bookings = async () => {
      const day = new Date().toISOString().slice(0, 10);
      const text = await (await fetch(`http://127.0.0.1:${control.port}/books/${day}.csv`)).text();
      return text.split("\n").filter((line) => /,(sale|auth),/.test(line)).length;
    };
    const before = await bookings();
    for (const [name, path, amount] of [
      ["kept", "sale", "10.00"],
      ["open", "sale", "11.00"],
      ["lost", "sale", "12.00"],
      ["refunded", "sale", "13.00"],
      ["captured", "auth", "30.00"],
      ["authorized", "auth", "31.00"],
      ["voided", "sale", "14.00"],
    ] as const) {
      const again = await charge(name, path, amount);
      assert.ok(isReplay(again), `${name}: ${again.status} ${again.text}`);
      assert.equal(again.body.transaction.id, made[name].id, name);
      const [first] = again.body.transaction.events;
      assert.deepEqual([first.event_type, first.success, first.amount], [path, true, amount], name);
      assert.equal((await charge(name, path, amount)).text, again.text, name);
    }
    const other = await charge("lost", "sale", "12.00", { zip: "0150" });
    assert.match(`${other.status} ${other.text}`, /^422 .*another request/);
    const elsewhere = await charge("lost", "auth", "12.00", {}, 'sale order, "lost"');
    assert.match(`${elsewhere.status} ${elsewhere.text}`, /^422 .*another request/);
    assert.equal(await bookings(), before);
    // What moved no money is not in the books as something to adopt: nobody knows its key.
    assert.ok(!isReplay(await charge("declined", "sale", "15.00", { card_number: DECLINED })));
    assert.ok(!isReplay(await charge("another", "sale", "12.00")));
    assert.equal(await bookings(), before + 2);
  });

  it("after the release nothing is reversed, and follow-ups find their charges at the acquirer", async () => {
    await restored.follow(made.open?.id, "void");
    await restored.follow(made.lost?.id, "refund", { amount: "5.00" });
    await restored.follow(made.refunded?.id, "reversal");
    await restored.follow(made.captured?.id, "refund", { amount: "25.00" });
    await restored.follow(made.authorized?.id, "capture", { amount: "30.00" });
    await restored.follow(made.held?.id, "refund");
    const balance = async (name: string) =>
      (await fetch(`http://127.0.0.1:${control.port}/balance/${made[name]?.id}`)).text();
    const left = await Promise.all(["open", "lost", "refunded", "captured", "authorized", "held", "kept"].map(balance));
    assert.deepEqual(
      left.map((text) => /\d+/.exec(text)?.[0]),
      ["0", "700", "0", "500", "3100", "0", "600"],
    );
    await until("books that agree", async () => {
      const day = new Date().toISOString().slice(0, 10);
      writeFileSync(books, await (await fetch(`http://127.0.0.1:${control.port}/books/${day}.csv`)).text());
      return (await compare()).code === 0;
    });
  });
});
