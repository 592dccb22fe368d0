// What operators enter of records that no file imports (webhooks, people, disputes, resolutions, rules of routing) is refused by the command
// line and by the console's forms as it is by the API.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Concealed } from "../../src/settings.ts";
import { type Ended, faregate } from "../command-line.ts";
import { type Form, type Forms, openForms } from "../console/forms.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

const SECRET = Buffer.alloc(32, 9);
const LONG = "x".repeat(256);
const CARD = "4111111111111111";
const HOSTILE = [
  "a\u001b[2J",
  "a\nb",
  "a\u009bb",
  "a\u202eb",
  "a\u2066b",
  "a\u2028b",
  "a\u200bb",
  "\ufeffa",
  "\u2800",
  "a\u200db",
  "a\u2060",
];
const NOT_WORDS = ["", "   ", LONG, CARD, ...HOSTILE];

/** A field; a value that is wrong; the option that has it. */
type Row = readonly [field: string, wrong: unknown, ...options: string[]];
const rows = (field: string, option: string, wrong: readonly string[]): Row[] =>
  wrong.map((value) => [field, value, option, value]);

interface Door {
  readonly path: string;
  readonly right: Json;
  readonly command: readonly string[];
  readonly options: readonly string[];
  readonly rows: readonly Row[];
  readonly form: Form;
  /** Whether the right record is made at the end. */
  readonly made?: boolean;
}

const invitation = (opens: string): Form => ({
  path: "/people",
  opens: [opens],
  sends: "Make a first password",
  labels: { name: "Name", email: "E-mail" },
  right: { Name: "Jane", "E-mail": "jane@example.com" },
});

/** An empty text of an optional field counts as not sent. */
describe("the doors for what is in no import", () => {
  let gateway: Gateway;
  let forms: Forms;
  let folder: string;
  let merchant: string;
  before(async () => {
    gateway = await startTestGateway({ rateLimitPerMinute: 100_000, secret: new Concealed(SECRET) });
    forms = await openForms(gateway);
    folder = mkdtempSync(join(tmpdir(), "faregate-doors-"));
    merchant = gateway.sandbox.merchant_id;
  });
  after(async () => {
    await forms?.close();
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  function run(...parameters: string[]): Promise<Ended> {
    const { host, port, user, password, database } = gateway.address;
    const at = `host=${encodeURIComponent(host)}&port=${port}`;
    return faregate(
      {
        ...{ FAREGATE_MODE: "sandbox", FAREGATE_SECRET: SECRET.toString("base64") },
        DATABASE_URL: `postgres://${user}:${password}@localhost/${database}?${at}`,
      },
      ...parameters,
    );
  }

  async function refusedAtEach({ path, right, command, options, rows, form, made = true }: Door): Promise<void> {
    let entered = false;
    for (const [field, wrong, ...more] of rows) {
      const what = `${field}: ${JSON.stringify(wrong)}`;
      const { status, body } = await gateway.operator("POST", path, { ...right, [field]: wrong });
      assert.equal(status, 422, `HTTP, ${what}`);
      assert.match(Object.keys(body.error.message).join(" "), new RegExp(field), what);
      const { code, stderr } = await run(...command, ...options, ...more);
      assert.equal(code, 2, `the command line, ${what}: ${stderr}`);
      assert.doesNotMatch(stderr, /4111111111111111|[^\P{Cc}\n]|\p{Cf}|\u2028/u, what);
      // The console sends no empty optional field.
      if (field in form.labels && String(wrong).trim() !== "")
        entered = (await forms.refuses(form, field, wrong, body.error.message)) === "tidied" || entered;
    }
    // What a form has tidied is right, and was made.
    if (made && !entered)
      assert.equal((await gateway.operator("POST", path, right)).status, 201, "and what is right is not");
  }

  test("a webhook: its address and its event types", () =>
    refusedAtEach({
      path: `/operator/merchants/${merchant}/webhooks`,
      right: { url: "https://shop.example.com/faregate" },
      command: ["webhook", "create", "--merchant", merchant],
      options: ["--url", "https://shop.example.com/faregate"],
      form: { path: "/webhooks", sends: "Create the endpoint", labels: { url: "Address" } },
      rows: [
        ...rows("url", "--url", [
          ...["", " ", "shop.example.com", "/faregate", "https://", "ftp://shop.example.com/", "javascript:alert(1)"],
          ...["https://user@shop.example.com/", "https://:secret@shop.example.com/", "https://shop.example.com:65536/"],
          ...["https://shop.example.com/\n", "\thttps://shop.example.com/", "https:\\\\shop.example.com/"],
          ...[
            "https://shop.example.com/a b",
            "https://shop.example.com/\u001b[2J",
            "https://shop.example.com/\u202egpj",
          ],
          ...["https://[::1", "https://shop..example.com:x/", `https://shop.example.com/${"x".repeat(2_048)}`],
          ...[`https://shop.example.com/?card=${CARD}`],
        ]),
        ["event_types", ["everything"], "--event-types", "everything"],
        ["event_types", ["transaction.sale"], "--event-types", "transaction.sale"],
        ["event_types", ["TRANSACTION.SETTLED"], "--event-types", "TRANSACTION.SETTLED"],
        ["event_types", [], "--event-types", ","],
        [
          "event_types",
          ["transaction.settled", "transaction.settled"],
          ...["--event-types", "transaction.settled,transaction.settled"],
        ],
      ],
    }));

  test("a person: name, e-mail and role", async () => {
    const who = ["--name", "Jane", "--email", "jane@example.com"];
    const wrong = [
      ...rows("name", "--name", NOT_WORDS),
      ...rows("email", "--email", [
        ...["", "jane", "jane@", "@example.com", "jane@example.com\n", "jane doe@example.com", `${LONG}@example.com`],
        ...[
          "jane@example.com\u202e",
          "jane\u001b@example.com",
          "jane@exam\u2028ple.com",
          "jane@example.com,joe@example.com",
        ],
      ]),
    ];
    await refusedAtEach({
      path: "/operator/people",
      right: { name: "Jane", email: "jane@example.com", role: "operator" },
      command: ["person", "create", "--role", "operator"],
      options: who,
      form: invitation("Invite an operator"),
      rows: [...wrong, ...rows("role", "--role", ["root", "Operator", "", "operator,operator_read"])],
    });
    await refusedAtEach({
      path: `/operator/merchants/${merchant}/people`,
      right: { name: "Joe", email: "joe@example.com", role: "clerk" },
      command: ["person", "create", "--role", "clerk", "--merchant", merchant],
      options: who,
      form: invitation("Invite somebody"),
      rows: [...wrong, ...rows("role", "--role", ["operator", "CLERK", ""])],
    });
  });

  const charged = async (over: Json = {}): Promise<Json> =>
    transactionOf(await gateway.post("/api/transactions/sale", sale(over)));

  test("a dispute: amounts, currency, reference, reason, codes and dates", async () => {
    const { id } = await charged();
    await refusedAtEach({
      path: `/operator/merchants/${merchant}/disputes`,
      right: { transaction_id: id, amount: "3.56" },
      command: ["dispute", "create", "--merchant", merchant],
      options: ["--transaction", String(id), "--amount", "3.56"],
      form: {
        path: "/disputes",
        opens: ["Enter a dispute"],
        sends: "Enter it",
        labels: {
          transaction_id: "Transaction id",
          amount: "Disputed",
          amount_withdrawn: "Withdrawn by the processor",
          reason: "Reason, in words",
          reason_code: "The network's code",
          processor_dispute_id: "The processor's name for it",
        },
        right: { "Transaction id": String(id), Disputed: "3.56" },
      },
      rows: [
        ...rows("transaction_id", "--transaction", ["", "x", `${id} `, "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77"]),
        ...rows("amount", "--amount", ["", "0", "0.00", "-1", "1.234", "1,00", "1e3", " 3.56", "9".repeat(16), "٣"]),
        ...rows("amount_withdrawn", "--amount-withdrawn", ["-1", "1.234", "0x10"]),
        ...rows("currency", "--currency", ["cad", "ZZZ", "CAD ", "124"]),
        ...rows("stage", "--stage", ["Chargeback", "lost"]),
        ...rows("status", "--status", ["ended", "NEEDS_RESPONSE"]),
        ...rows("outcome", "--outcome", ["Won", "draw"]),
        ...rows("reason", "--reason", NOT_WORDS.slice(1)),
        ...rows("reason_code", "--reason-code", [" ", "10 4", "x".repeat(33), "-1\n", "10.4\u202e"]),
        ...rows("respond_by", "--respond-by", [
          "tomorrow",
          "2031-02-30T00:00:00Z",
          "2031-05-31",
          "2031-05-31T25:00:00Z",
        ]),
        ...rows("processor_dispute_id", "--processor-dispute-id", ["du 1", LONG, "du\u001b", "dü", CARD]),
      ],
    });
  });

  test("how an unresolved operation ended: outcome, evidence and reference", async () => {
    const silent = await merchantOf(gateway).processor({ settings: {} });
    const { id } = await charged({ processor_id: silent, amount: "10.00" });
    const settings = { silent_operations: ["refund"], timeout_ms: 100 };
    expectStatus(await gateway.operator("PATCH", `/operator/processors/${silent}`, { settings }), 200);
    expectStatus(await gateway.post(`/api/transactions/${id}/refund`, { amount: "4.00" }), 202);
    const { body } = await gateway.operator("GET", "/operator/unresolved");
    const { event_id: event } = body.unresolved.find((one: Json) => one.transaction_id === id);
    await refusedAtEach({
      path: `/operator/unresolved/${event}/resolution`,
      right: { outcome: "approved", evidence: "the processor's site" },
      command: ["resolve", event],
      options: ["--outcome", "approved", "--evidence", "the processor's site"],
      form: {
        path: `/unresolved?event=${event}`,
        opens: ["Enter how it ended"],
        sends: "Enter it",
        labels: {
          evidence: "Where you saw that, for the audit log",
          processor_transaction_id: "The processor's reference",
        },
        right: {
          "Outcome at the processor": "Approved",
          "Where you saw that, for the audit log": "the processor's site",
        },
      },
      rows: [
        ...rows("outcome", "--outcome", ["", "Approved", "reversed", "pending"]),
        ...rows("evidence", "--evidence", NOT_WORDS),
        ...rows("processor_transaction_id", "--processor-transaction-id", [
          ...["re 1", LONG, "re\u001b", "ré", "re\u202e", CARD, `re_${CARD}`],
        ]),
      ],
    });
  });

  test("rules of routing, in a file", async () => {
    const processor = gateway.sandbox.processors.usd;
    const rule = { name: "All", processors: [{ id: processor }] };
    const file = join(folder, "routing.json");
    const path = `/operator/merchants/${merchant}/routing`;
    for (const wrong of [
      ...["", LONG, ...HOSTILE, CARD].map((name) => ({ rules: [{ ...rule, name }] })),
      { rules: [{ ...rule, when: { currencies: ["ZZZ"] } }] },
      { rules: [{ ...rule, when: { currencies: [] } }] },
      { rules: [{ ...rule, when: { card_ranges: ["411111-4111"] } }] },
      { rules: [{ ...rule, when: { card_ranges: [CARD] } }] },
      { rules: [{ ...rule, when: { amount_at_least: "2.00", amount_at_most: "1.00" } }] },
      { rules: [{ ...rule, when: { countries: ["can"] } }] },
      { rules: [{ ...rule, when: { weekday: "monday" } }] },
      ...["a\u0000b", ...HOSTILE].map((value) => ({
        rules: [{ ...rule, when: { meta: [{ name: "channel", values: [value] }] } }],
      })),
      { rules: [{ ...rule, processors: [{ id: "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77" }] }] },
      { rules: [{ ...rule, processors: [{ id: processor, weight: -1 }] }] },
      { rules: [{ ...rule, processors: [{ id: processor, weight: 0.5 }] }] },
      { rules: [{ ...rule, processors: [{ id: processor }, { id: processor }] }] },
      { attempts_at_most: 0 },
      { attempts_at_most: 1.5 },
      { rules: "all" },
      { version: -1, rules: [] },
    ]) {
      const what = JSON.stringify(wrong);
      assert.equal((await gateway.operator("PATCH", path, wrong)).status, 422, `HTTP, ${what}`);
      writeFileSync(file, what);
      assert.equal((await run("routing", "set", merchant, file)).code, 2, `the command line, ${what}`);
    }
    assert.equal((await gateway.operator("PATCH", path, { rules: [rule] })).status, 200);
  });

  test("when money is captured, cut off and settled", async () => {
    const processor = gateway.sandbox.processors.usd;
    const schedule: Form = {
      path: `/processors/${processor}`,
      sends: "Save",
      labels: {
        "settlement.auto_capture_at": "Automatic capture at",
        "settlement.cutoff_at": "Cut-off at",
        "settlement.settled_at": "Settled at",
        "settlement.visible_at": "Shown as settled at",
      },
    };
    for (const field of ["auto_capture_at", "cutoff_at", "settled_at", "visible_at"])
      for (const at of ["24:00", "9:00", "20:30:00", "20:60", "20.30", "٢٠:٣٠", "20:30Z", " 20:30", "noon"]) {
        const json = { settlement: { [field]: at } };
        const { status } = await gateway.operator("PATCH", `/operator/processors/${processor}`, json);
        assert.equal(status, 422, `HTTP, ${field}: ${at}`);
        const option = `--${field.replaceAll("_", "-")}`;
        const { code } = await run("processor", "change", String(processor), option, at);
        assert.equal(code, 2, `the command line, ${field}: ${at}`);
        await forms.refuses(schedule, `settlement.${field}`, at);
      }
  });

  test("an erasing that names nobody", async () => {
    for (const options of [
      ["--email", ""],
      ["--phone", ""],
      ["--first-name", "Jane"],
      ["--first-name", "Jane", "--last-name", ""],
      ["--email", "jane@example.com", "--merchant", "x"],
    ]) {
      const { code, stderr } = await run("erase", "--merchant", merchant, ...options);
      assert.equal(code, 2, `${options.join(" ")}: ${stderr}`);
    }
  });
});
