import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type CommandLine, commandLineOfItsOwn, faregate, faregateProcess } from "../../test/command-line.ts";
import { loseChanges } from "../../test/lost-change.ts";

const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";

describe("a command that cannot be carried out", () => {
  let cli: CommandLine;
  before(async () => {
    cli = await commandLineOfItsOwn();
    assert.equal((await cli.run("migrate")).code, 0);
  });
  after(() => cli.end());

  const merchantCommand = ["merchant", "change", NOBODY, "--name", "x"];
  const simulator = [
    "processor",
    "create",
    "--merchant",
    "",
    "--name",
    "x",
    "--kind",
    "simulator",
    "--currency",
    "CAD",
  ];
  const ledger = ["ledger", "--merchant", NOBODY, "--from", "2031-05-01"];
  const refusals: readonly (readonly [rule: string, parameters: readonly string[], code: number, line: RegExp])[] = [
    ["an id that nobody has", merchantCommand, 1, /^error: there is no merchant 0193e5b0-\S+$/],
    ["an id that is none", ["token", "revoke", "7"], 1, /^error: there is no token 7$/],
    [
      "a merchant that is not there",
      ["user", "list", "--merchant", NOBODY],
      1,
      /^error: there is no merchant 0193e5b0-/,
    ],
    ["a processor that is not there", ["processor", "change", NOBODY], 1, /^error: there is no processor 0193e5b0-/],
    ["what is required", ["merchant", "create"], 2, /^error: --name is required$/],
    ["a wrong value", ["merchant", "create", "--name", ""], 2, /^error: --name must be a text of 1 to 255 characters/],
    ["an unknown command", ["merchnt"], 2, /^error: unknown command 'merchnt' \(Did you mean merchant\?\)$/],
    ["an unknown option", ["migrate", "--jsno"], 2, /^error: unknown option '--jsno' \(Did you mean --json\?\)$/],
    ["a missing option", ["user", "list"], 2, /^error: required option '--merchant <id>' not specified$/],
    [
      "a merchant's role without its merchant",
      ["person", "create", "--role", "clerk", "--name", "x", "--email", "x@example.com"],
      2,
      /^error: --role clerk needs a merchant: name it with --merchant$/,
    ],
    [
      "an operator's role at a merchant",
      ["person", "create", "--role", "operator", "--merchant", NOBODY, "--name", "x", "--email", "x@example.com"],
      2,
      /^error: --role operator has no merchant: leave --merchant out$/,
    ],
    ["changes by nobody in particular", ["audit", "--actor", ""], 2, /It must not be empty\.$/],
    ["a page that is none", ["unresolved", "--page", "0"], 2, /It must be a whole number from 1 to 1000000\.$/],
    [
      "a period that ends before it begins",
      [...ledger, "--to", "2031-04-30"],
      2,
      /^error: --to must not be before --from$/,
    ],
    [
      "a day that is none",
      [...ledger, "--to", "2031-02-30"],
      2,
      /It must be a day such as 2031-05-31, or a date and time/,
    ],
    ["the ledger of nobody", [...ledger, "--to", "2031-05-31"], 1, /^error: there is no merchant 0193e5b0-/],
    ["a list after what is no id", ["merchant", "list", "--after", "x"], 2, /It must be a UUID\.$/],
    ["a setting without a value", [...simulator, "--set", "x"], 2, /It must be of the form name=value\.$/],
    [
      "a file that is not there",
      [...simulator, "--set", "x=@/none"],
      2,
      /Cannot read the file \/none: it does not exist\.$/,
    ],
  ];
  describe("it names in one line", { concurrency: 2 }, () => {
    for (const [rule, parameters, code, line] of refusals) {
      test(rule, async () => {
        const ended = await cli.run(...parameters);
        assert.deepEqual({ code: ended.code, stdout: ended.stdout }, { code, stdout: "" });
        assert.match(ended.stderr.trimEnd(), line);
        assert.equal(ended.stderr.split("\n").length, 2);
      });
    }
  });

  test("all that is wrong with a command is said at once, by the names of its options", async () => {
    const { merchant } = await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "Westwind");
    const of = ["--merchant", merchant.id];
    const wrong = ["--currency", "cad", "--kind", "simulator", "--require-cvv", "monopoly", "--cutoff-at", "25:00"];
    wrong.push("--id", "account-7");
    const { code, stderr } = await faregate(
      { ...cli.live, FAREGATE_MODE: "sandbox" },
      ...["processor", "create", ...of, ...wrong, "--set", "latency_ms=fast", "--set", "speed=1"],
    );
    assert.equal(code, 2);
    for (const part of [
      "--name is required",
      "--currency must be a currency",
      "--id must be a UUID",
      "--require-cvv must be one of visa,",
    ])
      assert(stderr.includes(part), stderr);
    for (const part of [
      "--cutoff-at must be a time of day",
      "--set latency_ms must be a whole",
      "--set speed is unknown",
    ])
      assert(stderr.includes(part), stderr);
    const token = await cli.run("token", "create", ...of, "--user", NOBODY, "--scopes", "all", "--rate-limit", "many");
    for (const part of ["--user must be the id of", "--scopes must be one of charge,", "--rate-limit must be a whole"])
      assert(token.stderr.includes(part), token.stderr);
  });

  test("live mode has no simulator", async () => {
    const { merchant } = await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "Upwind");
    const parameters = simulator.map((one) => one || merchant.id);
    const { code, stderr } = await cli.run(...parameters);
    assert.equal(code, 2);
    assert.match(stderr, /^error: --kind must not be simulator in live mode: it approves charges and moves no money\./);
  });

  test("a day that an option may not have is a wrong command line: nothing can be archived that is not old enough", async () => {
    const { merchant } = await cli.json<{ merchant: { id: string } }>("merchant", "create", "--name", "Archive");
    for (const more of [[], ["--apply"], ["--json"]]) {
      const { code, stderr } = await cli.run("archive", "--merchant", merchant.id, "--before", "2100-01-01", ...more);
      const [text = ""] = more.includes("--json")
        ? JSON.parse(stderr).error.message.base
        : [stderr.slice("error: ".length)];
      assert.deepEqual([code, text.split("(")[0]], [2, "--before must be 180 days ago or earlier "]);
    }
    assert.equal((await cli.run("archive", "--merchant", NOBODY, "--before", "2100-01-01")).code, 1);
  });

  test("a database that cannot be reached, and a wrong setting, are said in one line", async () => {
    const away = await faregateProcess({ DATABASE_URL: "postgres://u:hidden@127.0.0.1:1/x" }, "migrate");
    assert.equal(away.code, 1);
    assert.match(away.stderr, /^error: Cannot use the database postgres:\/\/u:•••@127\.0\.0\.1:1\/x: .*\n$/);
    const wrong = await faregate({ DATABASE_URL: "mysql://x", FAREGATE_MODE: "prod" }, "migrate");
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /^error: FAREGATE_MODE .*; DATABASE_URL .*\n$/);
  });

  test("of a change whose commit was lost with the database it is said that it may have been made", () =>
    loseChanges(cli.database.pool, "at commit", async () =>
      assert.deepEqual(await cli.run("merchant", "create", "--name", "Perhaps"), {
        code: 1,
        stdout: "",
        stderr:
          "error: the database went away while this change was written. It may have been made: check before you try again\n",
      }),
    ));
});
