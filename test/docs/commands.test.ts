// The commands of the pages work as they stand there, one after the other in a shell, and answer what the pages show.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { startTestGateway } from "../journeys/gateway.ts";
import { type Block, blocksOf, unlike } from "./shown.ts";

/** What starts or sets up a gateway is not for the one that runs. */
const ELSEWHERE = /^(npm |npx |export )/m;
/** With how many commands each has at least. Those that move the clock come last. */
const PAGES = [
  ["README.md", 5],
  ["docs/3-d-secure.md", 3],
  ["docs/airline.md", 6],
  ["docs/reconciliation.md", 4],
  ["docs/sandbox.md", 5],
  ["docs/canadian-dollars.md", 7],
] as const;
const MARK = "\n===== next =====\n";

describe("the commands that the pages show", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  let folder: string;

  before(async () => {
    gateway = await startTestGateway();
    folder = mkdtempSync(join(tmpdir(), "faregate-commands-"));
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "data/sandbox.json"), JSON.stringify(gateway.sandbox));
  });
  after(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What each of them printed, run in one shell so that variables stay. */
  async function printed(commands: readonly Block[]): Promise<string[]> {
    const script = commands
      .map(({ text }) => text.replaceAll("http://127.0.0.1:8080", gateway.url))
      .join(`\nprintf '${MARK.replaceAll("\n", "\\n")}'\n`);
    const path = `${dirname(process.execPath)}:${process.env.PATH}`;
    const options = { cwd: folder, env: { ...process.env, PATH: path }, maxBuffer: 2 ** 24 };
    const { stdout } = await promisify(execFile)("bash", ["-eu", "-o", "pipefail", "-c", script], options);
    return stdout.split(MARK);
  }

  for (const [page, atLeast] of PAGES)
    test(`${page}: every command works, and every answer that follows one is as shown`, async () => {
      const blocks = blocksOf(page);
      const commands = blocks.filter(({ language, text }) => language === "sh" && !ELSEWHERE.test(text));
      const answers = await printed(commands);
      assert.ok(commands.length >= atLeast, `${commands.length} commands`);
      for (const [index, command] of commands.entries()) {
        const text = answers[index] ?? "";
        assert.doesNotMatch(text, /"status":(4(?!22)|5)\d\d/, command.text);
        const next = blocks[blocks.indexOf(command) + 1];
        if (next?.language === "json")
          assert.deepEqual(unlike(JSON.parse(next.text), lastJson(text)), [], command.text);
      }
    });
});

/** Answers have no line end, so that they stand one behind the other. */
function lastJson(text: string): unknown {
  for (let at = text.indexOf('{"'); at >= 0; at = text.indexOf('{"', at + 1))
    try {
      return JSON.parse(text.slice(at));
    } catch {
      // Not the last one, or within it.
    }
  throw new Error(`no JSON in what was printed: ${text}`);
}
