// Texts that would move a terminal's cursor, hide, or turn what is read, as a merchant, a payer and an operator may send them: every
// command that shows them prints what only shows, and with --json the same value.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type CommandLine, commandLineOfItsOwn, faregate } from "../command-line.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, sale, transactionOf } from "./merchant.fixture.ts";

const HOSTILE = "x\u001b[2J\u001b]0;t\u0007\u009b1A\r\u202egnp\u2066\u200b\u2028\u0085y";
const SHOWS_ONLY = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;

describe("texts that are hostile to a terminal", () => {
  let gateway: Gateway;
  let cli: CommandLine;
  before(async () => {
    gateway = await startTestGateway();
    cli = await commandLineOfItsOwn();
  });
  after(async () => {
    await gateway.close();
    await cli.end();
  });

  /** The command line on the gateway's database. */
  function faregateAt(...parameters: string[]) {
    const { host, port, user, password, database } = gateway.address;
    const at = `host=${encodeURIComponent(host)}&port=${port}`;
    const url = `postgres://${user}:${password}@localhost/${database}?${at}`;
    return faregate({ DATABASE_URL: url, FAREGATE_MODE: "sandbox" }, ...parameters);
  }

  test("commands on what an operator and a merchant named", async () => {
    assert.equal((await cli.run("migrate")).code, 0);
    const name = HOSTILE;
    const { merchant } = await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "x");
    const of = ["--merchant", merchant.id];
    await cli.json("user", "create", ...of, "--name", "x", "--email", "jane@example.com");
    await cli.json("operator-token", "create", "--name", "x");
    await cli.json("person", "create", "--role", "operator", "--name", "x", "--email", "o@example.com");
    // As an older version took them.
    for (const table of ["merchants", "users", "operator_tokens", "people"])
      await cli.database.pool`update ${cli.database.pool(table)} set name = ${name}`;
    for (const command of [
      ["merchant", "list"],
      ["merchant", "change", merchant.id, "--name", name],
      ["merchant", "change", merchant.id, "--require-ip-address"],
      ["user", "list", ...of],
      ["operator-token", "list"],
      ["person", "list"],
      ["audit"],
      ["merchant", "create", "--name", ""],
      ["token", "revoke", name],
      ["webhook", "list", "--merchant", name],
      [name],
      ["user", "list", ...of, `--${name}`],
    ]) {
      const { stdout, stderr } = await cli.run(...command);
      for (const text of [stdout, stderr]) assert.match(text.replaceAll("\n", ""), SHOWS_ONLY, command.join(" "));
      const inJson = await cli.run(...command, "--json");
      assert.match(inJson.stdout.replaceAll("\n", ""), SHOWS_ONLY, command.join(" "));
      if (inJson.stdout.includes("\\u001b"))
        assert.ok(JSON.stringify(JSON.parse(inJson.stdout)).includes("\\u001b[2J"));
    }
    const { merchants } = await cli.json<{ merchants: { name: string }[] }>("merchant", "list");
    assert.equal(merchants[0]?.name, name, "a program reads what was there");
  });

  test("the ledger, of what a payer's order is called", async () => {
    const order = transactionOf(
      expectStatus(await gateway.post("/api/transactions/sale", sale({ merchant_transaction_id: HOSTILE })), 200),
    );
    const day = order.created_at.slice(0, 10);
    const asked = ["ledger", "--merchant", gateway.sandbox.merchant_id, "--from", day, "--to", day];
    const { code, stdout } = await faregateAt(...asked);
    assert.equal(code, 0);
    assert.match(stdout.replaceAll("\r\n", ""), SHOWS_ONLY);
    assert.ok(stdout.includes("x\ufffd[2J"), stdout);
    const inJson = (await faregateAt(...asked, "--json")).stdout;
    assert.match(inJson.trimEnd(), SHOWS_ONLY);
    assert.equal(JSON.parse(inJson).merchant_transaction_id, HOSTILE);
  });

  test("a payer's fields are echoed as sent, and what a terminal shows of them only shows", async () => {
    const payer = Object.fromEntries(
      ["first_name", "last_name", "email", "street_address_1", "city"].map((name) => [name, HOSTILE]),
    );
    const sent = sale({ ...payer, merchant_transaction_id: HOSTILE });
    const order = transactionOf(expectStatus(await gateway.post("/api/transactions/sale", sent), 200));
    for (const [name, value] of Object.entries(payer)) assert.equal(order[name], value, name);
    const asked = ["erase", "--merchant", gateway.sandbox.merchant_id, "--email", HOSTILE];
    const { code, stdout } = await faregateAt(...asked);
    assert.equal(code, 0);
    assert.ok(stdout.includes(String(order.id)), "the payer is found by what was sent");
    assert.match(stdout.replaceAll("\n", ""), SHOWS_ONLY);
    const inJson = (await faregateAt(...asked, "--json")).stdout;
    assert.match(inJson.replaceAll("\n", ""), SHOWS_ONLY);
  });
});
