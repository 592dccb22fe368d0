// The programs of docs/quickstart.md do what the page says: each that this machine has the language for is run against a gateway.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { startTestGateway, type TestGateway } from "../journeys/gateway.ts";
import { blocksOf, isThere } from "./shown.ts";

const BLOCKS = blocksOf("docs/quickstart.md");

/** By the word after the three backticks: the file, and what runs it. */
const LANGUAGES: Readonly<Record<string, readonly [file: string, program: string, ...words: string[]]>> = {
  ts: ["quickstart.ts", process.execPath],
  python: ["quickstart.py", "python3"],
  php: ["quickstart.php", "php"],
  ruby: ["quickstart.rb", "ruby"],
  go: ["quickstart.go", "go", "run"],
};

/** Where Go's own library is not compiled yet, that takes most of the test: without optimizing it takes a fifth less. */
const GO = { GOFLAGS: "'-gcflags=all=-N -l'" };

const blocks = (language: string): string[] =>
  BLOCKS.filter((block) => block.language === language).map(({ text }) => text);

describe("the programs of the quickstart", () => {
  let gateway: TestGateway & { readonly sandbox: { readonly api_token: string } };
  let folder: string;
  before(async () => {
    gateway = await startTestGateway();
    folder = mkdtempSync(join(tmpdir(), "faregate-quickstart-"));
  });
  after(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("each program prints what the page says, where the machine has its language", async (t) => {
    const [promised] = blocks("text");
    const run = async (language: string): Promise<string | undefined> => {
      const [file, program, ...words] = LANGUAGES[language] ?? ["", ""];
      if (!isThere(program)) return void t.diagnostic(`${program} is not on this machine`);
      writeFileSync(join(folder, file), blocks(language).join("\n"));
      const env = { ...GO, ...process.env, FAREGATE_URL: gateway.url, FAREGATE_TOKEN: gateway.sandbox.api_token };
      const { stdout } = await promisify(execFile)(program, [...words, join(folder, file)], { env, cwd: folder });
      return stdout;
    };
    const printed = await Promise.all(Object.keys(LANGUAGES).map(run));
    assert.equal(printed[0], promised);
    for (const text of printed) if (text !== undefined) assert.equal(text, promised);
  });

  test("the page has one program in each language", () => {
    for (const language of Object.keys(LANGUAGES)) assert.equal(blocks(language).length, 1, language);
  });
});
