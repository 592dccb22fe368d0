// Cards on file by the command line: stored from a file or stdin, never from an argument, listed, shown, deleted, and imported again and
// again from one file.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { KEPT_CUSTOMER, KEPT_METHODS } from "../../hosts/stripe/payment-methods.ts";
import {
  type CommandLine,
  commandLineOfItsOwn,
  faregateProcessReading,
  faregateReading,
  WITH_MASTER_KEY,
} from "../../test/command-line.ts";
import { stripeSettings, testHost } from "../../test/conformance/stripe-subject.ts";
import { systemClock } from "../clock.ts";
import { dataKeyStore } from "../journal/data-keys.ts";
import { storedCardsIn } from "../journal/stored-cards.ts";
import { masterKeysOf } from "../master-keys.ts";
import { readSettings } from "../settings.ts";
import { dataKeys } from "../vault/data-keys.ts";
import { vault } from "../vault/vault.ts";

const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const NUMBER = "4111111111111111";
const OTHER = "5555555555554444";
const CARD = { card_number: NUMBER, card_expiry_month: "12", card_expiry_year: "2039" };

interface Card {
  readonly id: string;
  readonly card_number: string;
  readonly fingerprint: string | null;
}
interface Imported {
  readonly applied: boolean;
  readonly cards: readonly { line: number; id: string; external_key?: string; result: string; differs: string[] }[];
}

describe("cards on file by the command line", () => {
  let cli: CommandLine;
  let folder: string;
  let merchant: string;
  let who: readonly string[];
  before(async () => {
    cli = await commandLineOfItsOwn({ ...WITH_MASTER_KEY, FAREGATE_MODE: "sandbox" });
    await cli.run("migrate");
    folder = mkdtempSync(join(tmpdir(), "faregate-cards-"));
    merchant = (await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "Northwind")).merchant.id;
    const of = ["--merchant", merchant];
    const user = ["user", "create", ...of, "--name", "Jane", "--email", "jane@example.com"];
    who = [...of, "--user", (await cli.json<{ user: { id: string } }>(...user)).user.id];
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await cli.end();
  });

  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const store = async (fields: object) =>
    (await cli.json<{ card: Card }>("card", "store", file("card.json", JSON.stringify(fields)), ...who)).card;
  /** The newest fifty; there may be a note of more. */
  const list = async () => {
    const { code, stdout } = await cli.run("card", "list", "--merchant", merchant, "--json");
    assert.equal(code, 0);
    return (JSON.parse(stdout) as { cards: Card[] }).cards;
  };
  const total = async () => Number((await cli.database.pool`select count(*)::int as n from cards`)[0]?.n);
  const imported = (text: string, ...more: string[]) =>
    cli.json<Imported>("card", "import", file("cards.csv", text), ...who, ...more);
  const actions = async () =>
    (await cli.json<{ entries: { action: string; subject: string }[] }>("audit")).entries.map(
      ({ action, subject }) => `${action} ${subject.split(" ")[0]}`,
    );

  test("one is stored from a file or from stdin, listed, shown and deleted, each with its entry in the audit log", async () => {
    const card = await store({ ...CARD, email: "jane@example.com", card_cvv: "123" });
    assert.equal(card.card_number, "411111******1111");
    const { code, stdout } = await faregateProcessReading(JSON.stringify(CARD), cli.live, "card", "store", "-", ...who);
    assert.deepEqual([code, /^The card is stored\.\n\n {2}id /.test(stdout)], [0, true]);
    const [second, first] = await list();
    assert.deepEqual([first, second?.fingerprint], [card, card.fingerprint]);
    assert.match(
      (await cli.run("card", "list", "--merchant", merchant)).stdout,
      /^ID +NUMBER +BRAND +EXPIRES +KEPT BY/,
    );
    const of = ["--merchant", merchant];
    assert.deepEqual(await cli.json("card", "show", card.id.toUpperCase(), ...of), { card });
    assert.deepEqual(await cli.json("card", "delete", card.id, ...of), { card });
    for (const command of ["show", "delete"]) {
      const gone = await cli.run("card", command, card.id, ...of);
      assert.deepEqual([gone.code, gone.stderr], [1, `error: this merchant has no card on file ${card.id}\n`]);
    }
    assert.deepEqual((await actions()).slice(0, 3), ["card.delete card", "card.create card", "card.create card"]);
    assert.doesNotMatch(JSON.stringify(await cli.json("audit")), /jane@example\.com"?,"zip|4111111111111111/);
  });

  test("what is wrong is told by its field, all at once, and no number is repeated", async () => {
    const wrong = file("wrong.json", JSON.stringify({ ...CARD, card_expiry_month: "13", last_name: OTHER }));
    const { code, stderr } = await cli.run("card", "store", wrong, ...who);
    assert.equal(code, 2);
    assert.match(stderr, /card_expiry_month: must be two digits, 01 to 12.*last_name: /);
    for (const [given, told, exit] of [
      [[wrong], /card_expiry_month/, 2],
      [[file("none.json", "4111 1111")], /not valid JSON/, 2],
      [[file("twice.json", '{"zip":"1","zip":"2"}')], /twice: zip/, 2],
      [[join(folder, "nowhere.json")], /cannot read the file/, 2],
      [[NUMBER], /a card number must not be an argument/, 2],
      [["4111 1111 1111 1111"], /a card number must not be an argument/, 2],
      [[file("both.json", JSON.stringify({ ...CARD, processor_token: "pm_1", processor_id: NOBODY }))], /together/, 2],
      [[file("token.json", JSON.stringify({ processor_token: "pm_1", processor_id: NOBODY }))], /processor_id: /, 2],
    ] as const) {
      const told_ = await cli.run("card", "store", ...given, ...who);
      assert.equal(told_.code, exit, told_.stderr);
      assert.match(told_.stderr, told);
      assert.doesNotMatch(told_.stderr + told_.stdout, /4111 ?1111|5555555555554444/);
    }
    const good = file("card.json", JSON.stringify(CARD));
    const [, of, ...user] = who;
    for (const [parameters, told] of [
      [["store", good, "--merchant", NOBODY, ...user], `there is no merchant ${NOBODY}`],
      [["store", good, "--merchant", String(of), "--user", NOBODY], `this merchant has no user ${NOBODY}`],
      [["list", "--merchant", NOBODY], `there is no merchant ${NOBODY}`],
      [["show", "none", "--merchant", merchant], "this merchant has no card on file none"],
    ] as const)
      assert.equal((await cli.run("card", ...parameters)).stderr, `error: ${told}\n`);
    const live = { ...cli.live, FAREGATE_MODE: "live", FAREGATE_MASTER_KEY: undefined };
    const without = await faregateReading("", live, "card", "store", good, ...who);
    assert.match(without.stderr, /^error: there is no master key/);
    const another = { ...cli.live, FAREGATE_MASTER_KEY: Buffer.alloc(32, 6).toString("base64") };
    assert.match((await faregateReading("", another, "card", "store", good, ...who)).stderr, /another master key/);
  });

  test("a processor's token is stored once the processor has said what it is", async () => {
    const host = await testHost();
    try {
      const settings = Object.entries({ ...stripeSettings(host.port), multiple_captures: "false" }).flatMap(
        ([name, value]) => [
          "--set",
          /key|secret/.test(name) ? `${name}=@${file(name, String(value))}` : `${name}=${value}`,
        ],
      );
      const record = ["processor", "create", "--merchant", merchant, "--name", "Stripe", "--kind", "stripe"];
      const { processor } = await cli.json<{ processor: { id: string } }>(...record, "--currency", "USD", ...settings);
      const token = { processor_id: processor.id, processor_token: KEPT_METHODS.approved };
      const card = await store(token);
      assert.deepEqual([card.card_number, card.fingerprint], ["************4242", null]);
      const refused = async (fields: object) => {
        const path = file("token.json", JSON.stringify({ ...token, ...fields }));
        const { code, stderr } = await cli.run("card", "store", path, ...who, "--json");
        return [code, JSON.parse(stderr).error.code];
      };
      assert.deepEqual(await refused({ processor_token: "pm_none" }), [2, "token-unknown"]);
      assert.deepEqual(await refused({ processor_customer: `${KEPT_CUSTOMER}x` }), [2, "token-unknown"]);
      await host.stop();
      assert.deepEqual(await refused({}), [1, "token-not-checked"]);
    } finally {
      await host.stop().catch(() => undefined);
    }
  });

  const HEADER = "external_key,card_number,card_expiry_month,card_expiry_year,first_name,zip";

  test("a file is checked first, then stored, then found to be there; what it says otherwise is told and left", async () => {
    const before = (await list()).length;
    const text = `${HEADER}\njane-1,${NUMBER},12,2039,Jane,95030\n"john-1","${OTHER}",01,2040,"Doe, John",\n`;
    const results = ({ applied, cards }: Imported) => [
      applied,
      ...cards.map(({ line, external_key, result, differs }) => [line, external_key, result, ...differs].join(" ")),
    ];
    assert.deepEqual(results(await imported(text)), [false, "2 jane-1 new", "3 john-1 new"]);
    assert.equal((await list()).length, before);
    const stored = await imported(text, "--apply");
    assert.deepEqual(results(stored), [true, "2 jane-1 stored", "3 john-1 stored"]);
    assert.deepEqual(results(await imported(text, "--apply")), [true, "2 jane-1 exists", "3 john-1 exists"]);
    const newest = (await list()).slice(0, 2);
    const [jane, john] = stored.cards.map(({ id }) => newest.find((card) => card.id === id));
    assert.equal(jane?.fingerprint, (await store(CARD)).fingerprint);
    assert.equal((await actions())[1], "card.create merchant");
    const other = text.replace("2039,Jane", "2041,Janet");
    assert.deepEqual(results(await imported(other, "--apply"))[1], "2 jane-1 exists card_expiry_year first_name");
    assert.deepEqual(
      (await list()).find(({ id }) => id === jane?.id),
      jane,
    );
    const settings = readSettings(cli.live as Record<string, string>);
    assert.ok(settings.ok);
    const keys = masterKeysOf(settings.settings);
    assert.ok(keys);
    const opens = vault(
      dataKeys(
        dataKeyStore(cli.database.pool, () => systemClock.now()),
        keys,
      ),
    );
    for (const [card, number] of [
      [jane, NUMBER],
      [john, OTHER],
    ] as const) {
      const found = await storedCardsIn(cli.database.pool).find(merchant, String(card?.id));
      assert.ok(found);
      assert.equal((await opens.open(found.sealed, { merchantId: merchant, cardId: found.id })).reveal(), number);
    }
  });

  test("a merchant that forbids card numbers gets none, neither one by one nor from a file", async () => {
    const { id } = (await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "Tokens")).merchant;
    const of = ["--merchant", id];
    const user = ["user", "create", ...of, "--name", "Jane", "--email", "j@example.com"];
    const its = [...of, "--user", (await cli.json<{ user: { id: string } }>(...user)).user.id];
    await cli.json("merchant", "change", id, "--card-numbers", "forbidden");
    const one = await cli.run("card", "store", file("card.json", JSON.stringify(CARD)), ...its);
    assert.deepEqual([one.code, /^error: card_number: /.test(one.stderr)], [2, true], one.stderr);
    const csv = file("cards.csv", `${HEADER}\na,${NUMBER},12,2039,,\n`);
    for (const more of [[], ["--apply"]]) {
      const { code, stderr } = await cli.run("card", "import", csv, ...its, ...more);
      assert.deepEqual([code, /^card_number is forbidden: /.test(stderr)], [2, true], stderr);
    }
  });

  test("a long file is stored in portions, and one that was broken off goes on where it ended", async () => {
    const before = await total();
    const lines = Array.from({ length: 1_001 }, (_, nth) => `many-${nth},${4_000_000_000_000_000 + nth},12,2039,,`);
    const [some, all] = [lines.slice(0, 501), lines].map((part) => `${HEADER}\n${part.join("\n")}\n`);
    const first = await cli.run("card", "import", file("some.csv", String(some)), ...who, "--apply");
    assert.match(first.stderr, /500 of 501 cards stored\n501 of 501 cards stored\n$/);
    assert.match(first.stdout, /Stored: 501 new, 0 existing and unchanged\.\n$/);
    const rest = await cli.run("card", "import", file("all.csv", String(all)), ...who, "--apply");
    assert.match(rest.stdout, /Stored: 500 new, 501 existing and unchanged\.\n$/);
    assert.equal(await total(), before + 1_001);
  });

  test("all that is wrong in a file is told by line, nothing is stored, and no number is repeated", async () => {
    const before = await total();
    const [{ id } = { id: NOBODY }] = await list();
    const rows: readonly (readonly [string, RegExp])[] = [
      [
        `${HEADER}\na,${NUMBER},13,2039,,\nb,411,12,39,,`,
        /line 2 card_expiry_month .*\nline 3 card_number .*\nline 3 card_expiry_year /,
      ],
      [`${HEADER}\na,${NUMBER},12,2039,,\na,${OTHER},12,2039,,`, /line 3 external_key is that of line 2, too/],
      [`${HEADER}\n,${NUMBER},12,2039,,`, /line 2 external_key is required, or an id/],
      [`${HEADER}\n${NUMBER},${NUMBER},12,2039,,`, /line 2 external_key must not hold the card's number/],
      [`${HEADER}\na b,${NUMBER},12,2039,,`, /line 2 external_key must be a key/],
      [`${HEADER}\na,${NUMBER},12,2039,${OTHER},`, /line 2 first_name /],
      [`${HEADER}\na,${NUMBER},12`, /line 2 must have 6 values/],
      [`id,card_number,card_expiry_month,card_expiry_year\nx,${NUMBER},12,2039`, /line 2 id must be a UUID/],
      [
        `id,card_number,card_expiry_month,card_expiry_year\n${id},${OTHER.replace("4444", "4477")},12,2039`,
        /line 2 has the id of a card on file with another number/,
      ],
      [`${HEADER},card_cvv\na,${NUMBER},12,2039,,,123`, /a CVV is never stored/],
      [`${HEADER},${OTHER}\na,${NUMBER},12,2039,,,`, /••• is none/],
      [`${HEADER},zip\na,${NUMBER},12,2039,,,`, /names zip twice/],
      [`card_number,card_expiry_month,card_expiry_year\n${NUMBER},12,2039`, /must name id or external_key/],
      ["external_key,card_number\na,1", /must name card_expiry_month, card_expiry_year/],
      [`${HEADER}\na,"${NUMBER},12,2039,,`, /not CSV: line 2 /],
      ["", /must name card_number/],
    ];
    for (const [text, told] of rows) {
      const { code, stdout, stderr } = await cli.run("card", "import", file("wrong.csv", text), ...who, "--apply");
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.match(stderr, told);
      assert.doesNotMatch(stderr, /4111111111111111|5555555555554444/);
    }
    assert.equal(await total(), before);
    assert.match(
      (await cli.run("card", "import", file("none.csv", `${HEADER}\n`), ...who)).stdout,
      /^The file has no cards/,
    );
  });
});
