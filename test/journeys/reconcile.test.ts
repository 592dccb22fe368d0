// A day's trade through a real acquirer host, some of it unanswered, and the host's books of that day compared with the
// journal by the command line: no difference, and then each one that is put into the books.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Control, startControl } from "../../acquirer/control.ts";
import { type Host, startHost } from "../../acquirer/host.ts";
import type { Rule } from "../../acquirer/misbehaviour.ts";
import { STANDARD } from "../../src/processors/iso8583/dialect/standard.ts";
import { rrnOf } from "../../src/processors/iso8583/messages/envelope.ts";
import { type Ended, faregateProcessReading, faregateReading, PROGRAM } from "../command-line.ts";
import { startTestGateway } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  newMerchant,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

const COLUMNS = { operation: 1, terminal: 2, rrn: 4, amount: 6, currency: 7, code: 9, transaction: 13 };
const DECLINED = "4000000000009995";
const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";

describe("a processor's books of a day, compared with the journal", () => {
  let gateway: Gateway;
  let host: Host;
  let control: Control;
  let folder: string;
  let processor: string;
  let day: string;
  let header: string;
  let books: string[];
  before(async () => {
    gateway = await startTestGateway();
    folder = mkdtempSync(join(tmpdir(), "faregate-reconcile-"));
    host = await startHost({
      folder,
      address: "127.0.0.1",
      port: 0,
      framing: { bytes: 2, encoding: "binary" },
      dialect: STANDARD,
      tls: null,
      lateMs: 2_500,
      settleAt: "02:00",
      log: () => undefined,
      crash: () => undefined,
    });
    control = await startControl(host, 0);
    await trade();
  });
  after(async () => {
    await gateway.close();
    await control.stop();
    await host.stop();
    rmSync(folder, { recursive: true });
  });

  const settings = (over: Json = {}) => ({
    ...{ host: "127.0.0.1", port: host.port, result_letters: "simulator", timeout_ms: 300, partial_void: true },
    ...{ terminal_id: "T1", merchant_id: "M1", acquirer_id: "12345", multiple_captures: true },
    ...{ merchant_name: "Northwind", merchant_city: "Oslo", merchant_country: "NO", refund_before_settlement: true },
    ...over,
  });

  /** All of it within one day, which is over when it is done. */
  async function trade(): Promise<void> {
    const untilMidnight = 86_400_000 - (Date.now() % 86_400_000);
    if (untilMidnight < 30_000) await sleep(untilMidnight);
    day = new Date().toISOString().slice(0, 10);
    const { processor: record, charged, follow } = merchantOf(gateway);
    const kind = { kind: "iso8583", settlement: { auto_capture_at: null } };
    processor = await record({ ...kind, settings: settings() });
    const other = await record({ ...kind, settings: settings({ terminal_id: "T2" }) });
    const withSameTerminal = await record({ ...kind, settings: settings() });
    const charge = async (path: "sale" | "auth", amount: string, over: Json = {}): Promise<string> =>
      (await charged(path, sale({ processor_id: processor, amount, ...over }))).id;
    const disturbed = async (rule: Rule, work: () => Promise<unknown>) => {
      host.misbehave(rule);
      await work();
      host.behave();
    };
    const sold = await charge("sale", "10.00");
    await charge("sale", "11.00");
    await charge("sale", "12.00", { card_number: DECLINED });
    await charge("sale", "13.00", { processor_id: other });
    await charge("sale", "14.00", { processor_id: withSameTerminal });
    const held = await charge("auth", "20.00");
    expectStatus(await follow(held, "capture", { amount: "15.00" }), 200);
    expectStatus(await follow(held, "void", { amount: "5.00" }), 200);
    expectStatus(await follow(sold, "refund", { amount: "4.00" }), 200);
    await disturbed({ what: "drop-after", on: ["sale"] }, () => charge("sale", "30.00"));
    await disturbed({ what: "drop-before", on: ["sale"] }, () => charge("sale", "31.00"));
    await disturbed({ what: "drop-after", on: ["refund"], times: 1 }, async () =>
      expectStatus(await follow(sold, "refund", { amount: "1.00" }), 202),
    );
    while ((await gateway.operator("GET", "/operator/unresolved")).body.meta.total > 0) await sleep(50);
    const csv = await (await fetch(`http://127.0.0.1:${control.port}/books/${day}.csv`)).text();
    [header = "", ...books] = csv.trimEnd().split("\n");
    // Far from midnight, on a day that is over.
    await gateway.pool`update events set created_at = ${`${day}T12:00:00Z`}`;
    await gateway.pool`update outcomes set created_at = ${`${day}T12:00:01Z`}`;
    await gateway.pool`update confirmed_reversals set created_at = ${`${day}T12:00:02Z`}`;
    const later = new Date(Date.now() + 2 * 86_400_000).toISOString();
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: later }), 200);
  }

  /** The real command line on the gateway's database. */
  async function reconcile(lines: readonly string[] | string, ...parameters: string[]): Promise<Ended> {
    const file = join(folder, "books.csv");
    writeFileSync(file, typeof lines === "string" ? lines : [header, ...lines, ""].join("\n"));
    return faregate("reconcile", "--processor", processor, "--day", day, file, ...parameters);
  }
  function faregate(...parameters: string[]): Promise<Ended> {
    return faregateReading("", environment(), ...parameters);
  }
  function environment(): NodeJS.ProcessEnv {
    const { host, port, user, password, database } = gateway.address;
    const at = `host=${encodeURIComponent(host)}&port=${port}`;
    return { DATABASE_URL: `postgres://${user}:${password}@localhost/${database}?${at}`, FAREGATE_MODE: "sandbox" };
  }
  const json = async (lines: readonly string[]) => {
    const { code, stdout, stderr } = await reconcile(lines, "--json");
    const found = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    return { code, stderr, sums: found.at(-1).sums, findings: found.slice(0, -1) };
  };
  const changed = (line: string, column: keyof typeof COLUMNS, value: string) =>
    line.split(",").with(COLUMNS[column], value).join(",");
  const at = (operation: string, amount: string): number => {
    const found = books.findIndex((line) => line.includes(`,${operation},`) && line.includes(`,${amount},`));
    assert.ok(found >= 0, `${operation} ${amount} is in the books`);
    return found;
  };
  const having = (index: number, change: (line: string) => string): string[] =>
    books.map((line, place) => (place === index ? change(line) : line));

  test("the ledger of that day is the API's, as CSV and as JSON", async () => {
    const asked = ["ledger", "--merchant", gateway.sandbox.merchant_id, "--from", day, "--to", day];
    const path = `/api/ledger?from=${day}&to=${day}`;
    const csv = await faregate(...asked, "--for-spreadsheet");
    // What reads a response's text leaves the mark out.
    const { text } = await gateway.get(`${path}&for=spreadsheet`);
    assert.deepEqual(csv, { code: 0, stdout: `\ufeff${text}`, stderr: "" });
    const { stdout } = await faregate(...asked, "--json");
    const { movements } = (await gateway.get(path)).body;
    const printed = stdout.trimEnd().split("\n");
    assert.deepEqual(
      printed.map((line) => JSON.parse(line)),
      movements,
    );
    const moved = movements.map(({ movement, amount }: Json) => `${movement} ${amount}`);
    assert.deepEqual(moved.sort(), [
      ...["capture 15.00", "refund -1.00", "refund -4.00"],
      ...["sale 10.00", "sale 11.00", "sale 13.00", "sale 14.00"],
    ]);
  });

  test("agree, with charges that were never answered and what was repeated", async () => {
    for (const [operation, amount] of [
      ["sale", "30.00"],
      ["reversal", "30.00"],
      ["reversal", "31.00"],
      ["refund", "1.00"],
      ["sale", "13.00"],
    ] as const)
      at(operation, amount);
    const { code, stdout, stderr } = await reconcile(books);
    const told = `${day}: 13 lines in the books, 2 of them of other terminals or records; 10 operations in the journal.\nNo difference.\n`;
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: told, stderr: "" });
    assert.deepEqual((await json(books)).findings, []);
    const csv = [header, ...books].join("\r\n");
    const there = ["reconcile", "--processor", processor, "--day", day, "-"];
    const piped = await faregateProcessReading(csv, environment(), ...there);
    assert.deepEqual(piped, { code: 0, stdout: told, stderr: "" });
  });

  const oneFinding = async (lines: readonly string[], expected: Json) => {
    const { code, findings } = await json(lines);
    assert.equal(findings.length, 1, JSON.stringify(findings));
    assert.deepEqual(
      { code, ...Object.fromEntries(Object.keys(expected).map((key) => [key, findings[0][key]])) },
      { code: 1, ...expected },
    );
  };

  test("a line that is gone is missing there, one that nobody sent is missing here", async () => {
    const index = at("sale", "11.00");
    await oneFinding(books.toSpliced(index, 1), { finding: "missing-there", operation: "sale", there: null });
    const foreign = changed(changed(books[index] ?? "", "rrn", rrnOf("nobody")), "transaction", NOBODY);
    await oneFinding([...books, foreign], {
      finding: "missing-here",
      reference: rrnOf("nobody"),
      here: null,
      there: { line: 15, amount: "11.00", currency: "USD", code: "00" },
    });
  });

  test("a line of another merchant's, who has the same terminal, is not missing", async () => {
    const other = await newMerchant(gateway, { kind: "iso8583", settings: settings() });
    const path = "/api/transactions/sale";
    const sold = await gateway.post(path, sale({ amount: "17.00" }), { token: other.token });
    const { id } = transactionOf(expectStatus(sold, 200));
    const line = books[at("sale", "11.00")] ?? "";
    const foreign = changed(changed(line, "rrn", rrnOf("somebody else")), "transaction", id);
    const { code, sums, findings } = await json([...books, foreign]);
    assert.deepEqual([code, sums.others, findings], [0, 3, []]);
  });

  test("another amount, currency or outcome, and a second line, are named with both sides", async () => {
    const capture = at("capture", "15.00");
    for (const [column, value, finding] of [
      ["amount", "15.01", "other-amount"],
      ["currency", "124", "other-currency"],
      ["code", "05", "other-outcome"],
    ] as const)
      await oneFinding(
        having(capture, (line) => changed(line, column, value)),
        { finding, operation: "capture" },
      );
    await oneFinding([...books, books[capture] ?? ""], { finding: "booked-twice", operation: "capture" });
    const { code, stdout } = await reconcile(having(capture, (line) => changed(line, "amount", "15.01")));
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^FINDING +OPERATION +REFERENCE +TRANSACTION +JOURNAL +BOOKS\nother-amount +capture +\w{12} +\S{36} +capture 15\.00 USD approved +15\.01 USD code 00 \(line \d+\)\n\n/,
    );
    assert.match(stdout, /\n1 difference\.\n$/);
  });

  test("a run is kept with its differences in words, for its merchant and for operators; one that breaks off is not", async () => {
    const capture = at("capture", "15.00");
    const { stdout } = await reconcile(
      having(capture, (line) => changed(line, "amount", "15.01")).toSpliced(at("sale", "11.00"), 1),
      "--json",
    );
    const { id } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    const { total } = (await gateway.get("/api/reconciliations")).body.meta;
    const [run] = (await gateway.get(`/api/reconciliations?processor_id=${processor}`)).body.reconciliations;
    const { created_at, ...rest } = run;
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    const none = { pending: 0, not_closed: 0, chargebacks: 0, near_midnight: 0, too_recent: 0, malformed: 0 };
    assert.deepEqual(rest, {
      ...{ id, merchant_id: gateway.sandbox.merchant_id, processor_id: processor, source: "books" },
      ...{ day, payout: null, file: null, currency: "USD", batches: [] },
      counts: { lines: 12, differences: 2, others: 2, ...none, withheld: 0 },
      sums: [
        { finding: "other-amount", currency: "USD", count: 1, here: "15.00", there: "15.01" },
        { finding: "missing-there", currency: "USD", count: 1, here: "11.00", there: "0.00" },
      ],
    });
    const one = (await gateway.get(`/api/reconciliations/${id}`)).body;
    assert.deepEqual([one.reconciliation, one.meta.total], [run, 2]);
    assert.deepEqual(
      one.findings.map(({ number, finding, difference, message }: Json) => [number, finding, difference, message]),
      [
        [
          ...[1, "other-amount", true],
          `The books have 15.01 USD for this capture (line ${one.findings[0].there.line}); here it is 15.00 USD.`,
        ],
        [2, "missing-there", true, "The books have no line for this sale of 11.00 USD, approved here."],
      ],
    );
    const { reconciliation, ...operators } = (await gateway.operator("GET", `/operator/reconciliations/${id}`)).body;
    assert.deepEqual({ ...operators, reconciliation: { ...reconciliation, file: null } }, one);
    assert.equal(reconciliation.file, "books.csv");
    assert.equal((await reconcile("")).code, 2);
    assert.equal((await gateway.get("/api/reconciliations")).body.meta.total, total);
  });

  test("one that cannot be kept tells what it found, and then why", async () => {
    await gateway.pool`alter table reconciliations rename to elsewhere`;
    try {
      const { code, stdout, stderr } = await reconcile(books);
      assert.equal(code, 2);
      assert.match(stdout, /\nNo difference\.\n$/);
      assert.match(stderr, /^error: [^\n]*reconciliations[^\n]*\n$/);
    } finally {
      await gateway.pool`alter table elsewhere rename to reconciliations`;
    }
  });

  test("a charge that was taken back here and not there", async () => {
    await oneFinding(books.toSpliced(at("reversal", "30.00"), 1), { finding: "other-outcome", operation: "sale" });
    await oneFinding(
      having(at("reversal", "30.00"), (line) => changed(changed(line, "operation", "reversal"), "code", "64")),
      {
        finding: "other-outcome",
      },
    );
  });

  test("an operation of long ago is found by its transaction", async () => {
    const [event] = await gateway.pool<{ id: string; created_at: Date }[]>`
      select id, created_at from events where type = 'refund' and amount = 100`;
    assert.ok(event);
    const moveTo = (at: Date) => gateway.pool`update events set created_at = ${at} where id = ${event.id}`;
    await moveTo(new Date(event.created_at.getTime() - 9 * 86_400_000));
    assert.equal((await reconcile(books)).code, 0);
    await moveTo(event.created_at);
  });

  test("what is pending here is told with what the books have of it, and is no difference", async () => {
    const [event] = await gateway.pool<
      [{ merchant_id: string; transaction_id: string; sequence: number }]
    >`select * from events where type = 'refund' and amount = 100`;
    const { merchant_id, transaction_id, sequence } = event;
    const [outcome] = await gateway.pool`
      delete from outcomes
      where merchant_id = ${merchant_id} and transaction_id = ${transaction_id} and sequence = ${sequence} returning *`;
    const { code, findings, sums } = await json(books);
    assert.deepEqual([code, findings.length, findings[0].finding, sums.pending], [0, 1, "pending", 1]);
    assert.deepEqual([findings[0].there.amount, findings[0].there.code], ["1.00", "00"], "what the books have of it");
    assert.match(
      (await reconcile(books)).stdout,
      /^pending .* refund 1\.00 USD pending +1\.00 USD code 00 \(line \d+\)$/m,
    );
    await gateway.pool`insert into outcomes ${gateway.pool(outcome ?? {})}`;
  });

  test("a broken line is named with its number and stops nothing, and the end is exit code 2", async () => {
    const broken = [...having(at("sale", "11.00"), (line) => changed(line, "amount", "11")), '"', books[0] ?? ""];
    const { code, stderr, findings, sums } = await json(broken);
    assert.equal(code, 2);
    const notes = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).note);
    assert.match(
      notes.join("\n"),
      /^line \d+: amount must be digits with a point and two decimals\nline 15: a quote is where/,
    );
    assert.deepEqual(
      findings.map(({ finding }: { finding: string }) => finding),
      ["booked-twice", "missing-there"],
    );
    assert.equal(sums.broken, 2);
  });

  test("what is no day's books, and a command line that is wrong, are said in one line with exit code 2", async () => {
    const cases: readonly (readonly [Promise<Ended>, RegExp])[] = [
      [reconcile(""), /books\.csv is not a day's books: it is empty$/],
      [
        faregate("reconcile", "--processor", processor, "--day", day, "/none"),
        /cannot read the file \/none: it does not exist$/,
      ],
      [faregate("reconcile", "--processor", NOBODY, "--day", day, PROGRAM), /there is no processor 0193e5b0/],
      [
        faregate("reconcile", "--processor", gateway.sandbox.processors.usd ?? "", "--day", day, PROGRAM),
        /processors of the kind simulator have no books$/,
      ],
      [
        faregate("reconcile", "--processor", processor, "--day", "2030-02-30", PROGRAM),
        /It must be a day like 2030-05-15\.$/,
      ],
      [
        faregate("reconcile", "--processor", processor, "--day", day, PROGRAM),
        /not a day's books: line 1 names the columns/,
      ],
      [faregate("reconcile", "--processor", processor, "--day", day, folder), /directory/],
    ];
    for (const [ended, line] of cases) {
      const { code, stdout, stderr } = await ended;
      assert.deepEqual({ code, stdout }, { code: 2, stdout: "" }, stderr);
      assert.match(stderr.trimEnd(), line);
      assert.equal(stderr.split("\n").length, 2, stderr);
    }
  });
});
