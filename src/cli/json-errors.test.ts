import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Command } from "commander";
import { type CommandLine, commandLineOfItsOwn, faregate } from "../../test/command-line.ts";
import { loseChanges } from "../../test/lost-change.ts";
import { program } from "./program.ts";

const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";

interface Told {
  readonly exit_code: number;
  readonly code: string;
  readonly message: Readonly<Record<string, readonly string[]>>;
}

/** All of stderr is JSON, and its last line is the error. */
function errorIn(stderr: string): Told {
  const lines = stderr.trimEnd().split("\n");
  const [last] = lines.map((line) => JSON.parse(line) as { error: Told }).reverse();
  assert.ok(last);
  return last.error;
}

describe("an error of a command with --json is JSON on stderr", () => {
  let cli: CommandLine;
  before(async () => {
    cli = await commandLineOfItsOwn();
    assert.equal((await cli.run("migrate")).code, 0);
  });
  after(() => cli.end());

  const cases: readonly (readonly [rule: string, parameters: readonly string[], told: Told])[] = [
    [
      "a record that is not there",
      ["merchant", "change", NOBODY, "--name", "x"],
      { exit_code: 1, code: "not-found", message: { base: [`there is no merchant ${NOBODY}`] } },
    ],
    [
      "a list of nobody",
      ["user", "list", "--merchant", NOBODY],
      { exit_code: 1, code: "not-found", message: { base: [`there is no merchant ${NOBODY}`] } },
    ],
    [
      "a field that is missing, by the name that the API has for it",
      ["merchant", "create"],
      { exit_code: 2, code: "invalid-request", message: { name: ["is required"] } },
    ],
    [
      "an unknown command",
      ["merchnt"],
      {
        exit_code: 2,
        code: "wrong-command-line",
        message: { base: ["unknown command 'merchnt' (Did you mean merchant?)"] },
      },
    ],
    [
      "a command without its subcommand",
      ["merchant"],
      { exit_code: 2, code: "wrong-command-line", message: { base: ["unknown option '--json'"] } },
    ],
    [
      "a missing option",
      ["user", "list"],
      {
        exit_code: 2,
        code: "wrong-command-line",
        message: { base: ["required option '--merchant <id>' not specified"] },
      },
    ],
    [
      "a file that is not there",
      ["import", "/none.json"],
      {
        exit_code: 2,
        code: "wrong-command-line",
        message: { base: ["cannot read the file /none.json: it does not exist"] },
      },
    ],
  ];
  for (const [rule, parameters, told] of cases)
    test(rule, async () => {
      const { code, stdout, stderr } = await cli.run(...parameters, "--json");
      assert.deepEqual({ code, stdout, told: errorIn(stderr) }, { code: told.exit_code, stdout: "", told });
    });

  test("every command that takes --json says so of an option that it does not know, and of a database that is away", async () => {
    const away = { ...cli.live, DATABASE_URL: "postgres://u:hidden@127.0.0.1:1/x" };
    let [commands, reached] = [0, 0];
    for (const path of commandsWithJson(program(async () => undefined))) {
      commands++;
      const unknown = await faregate(away, ...path, "--json", "--no-such-option");
      assert.deepEqual([unknown.code, errorIn(unknown.stderr).code], [2, "wrong-command-line"], path.join(" "));
      // Without what it requires, where it requires nothing.
      const ended = await faregate(away, ...path, "--json");
      if (ended.code === 0) continue;
      const { code, exit_code } = errorIn(ended.stderr);
      assert.equal(exit_code, ended.code);
      assert.doesNotMatch(ended.stderr, /hidden/);
      if (code === "cannot-start") reached++;
    }
    assert.ok(commands > 40 && reached > 5, `${commands} commands, ${reached} of them asked for the database`);
  });

  test("wrong settings, and a change whose commit was lost", async () => {
    const wrong = await faregate({ FAREGATE_MODE: "prod" }, "merchant", "list", "--json");
    assert.match(errorIn(wrong.stderr).message.base?.[0] ?? "", /^FAREGATE_MODE /);
    await loseChanges(cli.database.pool, "at commit", async () => {
      const { code, stderr } = await cli.run("merchant", "create", "--name", "Perhaps", "--json");
      assert.deepEqual([code, errorIn(stderr).code], [1, "uncertain"]);
    });
  });

  test("what follows -- is a value, and the error is a sentence then", async () => {
    const { stderr } = await cli.run("merchant", "change", "--", "--json");
    assert.match(stderr, /^error: /);
  });
});

function* commandsWithJson(command: Command, path: readonly string[] = []): Generator<readonly string[]> {
  if (command.options.some(({ long }) => long === "--json")) yield path;
  for (const inner of command.commands) yield* commandsWithJson(inner, [...path, inner.name()]);
}
