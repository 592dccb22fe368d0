// Every command of the docs works as it stands there, in the order of its page, and every answer is the one that the page shows. What
// cannot be run in a test says why behind its first three backticks (`sh not run: needs Docker`), and is checked as far as it can be.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { greeting } from "../../src/greeting.ts";
import { Concealed, readSettings } from "../../src/settings.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import { promisesOf } from "../journeys/published.ts";
import { startReceiver } from "../receiver.ts";
import { prepare } from "./pages.ts";
import { type Block, blocksOf, lastJson, missingLines, unlike } from "./shown.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

const ROOT = join(import.meta.dirname, "../..");
/** They move the clock. */
const LAST = ["docs/sandbox.md", "docs/canadian-dollars.md"];
const PAGES = globSync(["*.md", "docs/**/*.md", "packages/*/*.md"], { cwd: ROOT })
  .filter((page) => blocksOf(page).length > 0)
  .sort((a, b) => LAST.indexOf(a) - LAST.indexOf(b) || a.localeCompare(b));
/** Each has a test of its own, which names the page. */
const PROGRAMS = ["ts", "js", "python", "php", "ruby", "go"];
const SECRET = "0f".repeat(32);

const isRun = ({ language, note }: Block): boolean => language === "sh" && note === "";
const isMarked = ({ note }: Block): boolean => /^not (run|compared): \S/.test(note);
const isTested = ({ note }: Block): boolean =>
  existsSync(join(ROOT, /^tested: ((?:test|src)\/\S+\.(?:test|foreign)\.ts)$/.exec(note)?.[1] ?? "none"));

/** The answers that a page shows of a command: what stands between it and the next one. */
function answersOf(blocks: readonly Block[], command: Block): Block[] {
  const behind = blocks.slice(blocks.indexOf(command) + 1);
  const next = behind.findIndex(({ language, section }) => language === "sh" || section !== command.section);
  return behind
    .slice(0, next < 0 ? behind.length : next)
    .filter(({ language, note }) => ["", "json"].includes(language) && note === "");
}

describe("the commands of the docs", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  let terminal: Terminal;
  let shop: Awaited<ReturnType<typeof startReceiver>>;
  let forwarder: Server;
  const folder = mkdtempSync(join(tmpdir(), "faregate-docs-"));
  const data = join(folder, "data");

  before(async () => {
    mkdirSync(data);
    gateway = await startTestGateway({ secret: new Concealed(Buffer.from(SECRET, "hex")), dataFolder: data });
    const { host, port, user, password, database } = gateway.address;
    forwarder = createServer((client) => {
      const server = connect(join(host, `.s.PGSQL.${port}`));
      client.pipe(server).pipe(client);
      client.on("error", () => server.destroy());
      server.on("error", () => client.destroy());
    });
    await once(forwarder.listen(0, "127.0.0.1"), "listening");
    const at = forwarder.address();
    assert(typeof at === "object" && at !== null);
    const DATABASE_URL = `postgres://${user}:${password}@127.0.0.1:${at.port}/${database}`;
    const env = { DATABASE_URL, FAREGATE_SECRET: SECRET, FAREGATE_MODE: "sandbox", FAREGATE_DATA: data };
    const read = readSettings(env);
    assert(read.ok);
    const started = { ...gateway, dataPlace: join(data, "postgresql"), close: async () => undefined };
    terminal = await openTerminal({ url: gateway.url, env, greeting: greeting(started, read.settings, 2.2) }, folder);
    shop = await startReceiver();
  });
  after(async () => {
    await Promise.all([terminal.close(), shop.close(), gateway.close()]);
    forwarder.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const page of PAGES)
    if (blocksOf(page).some(isRun))
      test(`${page}: every command works, and every answer is as shown`, async (t) => {
        const blocks = blocksOf(page);
        const commands = blocks.filter(isRun);
        const ends: (() => Promise<unknown>)[] = [terminal.clear];
        t.after(async () => {
          for (const end of ends) await end();
        });
        const ground = { gateway, folder, shop: shop.url, later: (end: () => Promise<unknown>) => void ends.push(end) };
        const { given, instead } = await prepare(page, ground);
        const here = (text: string) =>
          Object.entries(instead).reduce((all, [one, other]) => all.replaceAll(one, other), text);
        for (const { note, text } of blocks) {
          const [, name] = /^file: (\S+)$/.exec(note) ?? [];
          if (name !== undefined) writeFileSync(join(folder, name), here(terminal.inTest(text)));
        }
        // What a section exports is for its own commands.
        const lastOf = commands.map(({ section }, index) => section !== commands[index + 1]?.section);
        const exported = (text: string) => [...text.matchAll(/^export (\w+)=/gm)].map(([, name = ""]) => name);
        const ended = (index: number) =>
          commands
            .slice(0, index + 1)
            .flatMap(({ section, text }) => (section === commands[index]?.section ? exported(text) : []));
        const script = commands.map(({ text }, index) =>
          lastOf[index] && ended(index).length > 0 ? `${here(text)}\nunset ${ended(index).join(" ")}` : here(text),
        );
        const { printed, failed } = await terminal.run(script, given);
        for (const [index, command] of commands.entries()) {
          const place = `${page}:${command.line}`;
          const text = (printed[index] ?? "").replaceAll(folder, "/home/jane/faregate");
          const answers = answersOf(blocks, command);
          const fails = answers.some((answer) => /^(error: |\{"error":\{"exit_code":)/m.test(answer.text));
          assert.equal((failed[index] ?? "") !== "", fails, `${place}: ${failed[index]}\n${text}`);
          assert.doesNotMatch(text, /"status":(4(?!22)|5)\d\d/, place);
          for (const answer of answers)
            assert.deepEqual(
              differences(answer, text, here),
              [],
              `${page}:${answer.line}, of what was printed:\n${text}`,
            );
        }
        for (const { text } of blocks.filter(({ note }) => note === "delivered"))
          assert.deepEqual(unlike(JSON.parse(text), JSON.parse(shop.received.at(-1)?.body ?? "null")), [], page);
        assert.equal(failed[commands.length], undefined, `${page}: ${failed[commands.length]}\n${printed.join("\n")}`);
      });

  function differences({ language, text }: Block, printed: string, here: (text: string) => string): string[] {
    const shown = here(terminal.inTest(text));
    return language === "json" ? unlike(JSON.parse(shown), lastJson(printed)) : missingLines(shown, printed);
  }
});

test("what a page shows of a shape is of that shape, and its queries work", async (t) => {
  const gateway = await startTestGateway();
  t.after(gateway.close);
  const { faults } = promisesOf((await gateway.get("/openapi.json")).body);
  for (const page of PAGES)
    for (const { language, note, text, line } of blocksOf(page)) {
      if (language === "sql" && note === "") await gateway.pool.unsafe(text);
      const [, name] = /^schema: (\w+)$/.exec(note) ?? [];
      if (name === undefined) continue;
      const shown = JSON.parse(text, (key, value) => (key === "…" ? undefined : value));
      const wrong = faults({ $ref: `#/components/schemas/${name}` }, shown);
      assert.deepEqual(
        wrong.filter((fault) => !/required property/.test(fault)),
        [],
        `${page}:${line}`,
      );
    }
});

test("every block is run, compared, tested elsewhere, or says why not", (t) => {
  const blocks = PAGES.flatMap((page) => blocksOf(page).map((block) => ({ ...block, page })));
  const compared = new Set(
    PAGES.flatMap((page) => {
      const all = blocksOf(page);
      return all.filter(isRun).flatMap((command) => answersOf(all, command).map(({ line }) => `${page}:${line}`));
    }),
  );
  const tests = globSync("test/**/*.test.ts", { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), "utf8"));
  const kindOf = (block: (typeof blocks)[number]): string => {
    const { page, line, language, note } = block;
    if (isMarked(block)) return "marked";
    if (isTested(block)) return "tested elsewhere";
    if (note === "delivered") return "compared";
    if (/^file: \S+$/.test(note)) return "read by a command";
    if (/^schema: \w+$/.test(note)) return "checked by its schema";
    if (note !== "") return "unknown note";
    if (language === "sh" || language === "sql") return "run";
    if (compared.has(`${page}:${line}`)) return "compared";
    return PROGRAMS.includes(language) && tests.some((one) => one.includes(page)) ? "tested elsewhere" : "neither";
  };
  const kinds = Map.groupBy(blocks, kindOf);
  const places = (kind: string) => (kinds.get(kind) ?? []).map(({ page, line }) => `${page}:${line}`);
  t.diagnostic([...kinds].map(([kind, { length }]) => `${kind}: ${length}`).join(", "));
  assert.deepEqual([places("neither"), places("unknown note")], [[], []]);
});
