// The pages at /docs as a browser gets them: everything comes from the gateway, merchants and operators each see their own
// operations, and the samples beside these work as they are pasted.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Browser } from "playwright-core";
import { ERRORS } from "../../src/api/errors-guide.ts";
import { REFUSALS } from "../../src/payment/refusal.ts";
import { launchBrowser } from "../console/browser.ts";
import { assertAccessible, visit } from "../console/visitor.ts";
import { isThere } from "../docs/shown.ts";
import { startTestGateway } from "./gateway.ts";
import { type Document, type Operation, operationsOf } from "./published.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = ["/docs", "/docs/operator", "/docs/errors"];

interface Sample {
  readonly label: string;
  readonly source: string;
}
type Sampled = Operation & { readonly "x-codeSamples"?: readonly Sample[] };

/** What runs a sample, by its label. */
const PROGRAMS: Readonly<Record<string, readonly [file: string, program: string]>> = {
  curl: ["sample.sh", "bash"],
  JavaScript: ["sample.mjs", process.execPath],
  Python: ["sample.py", "python3"],
  PHP: ["sample.php", "php"],
};

/** Texts with tables; an operation with nested fields; one with a choice of bodies. */
const PARTS = `.redoc-markdown, [id="operation/createSale"], [id="operation/captureTransaction"]`;

describe("the reference", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  let browser: Browser;
  let folder: string;
  const documents: Record<string, Document> = {};
  before(async () => {
    [gateway, browser] = await Promise.all([startTestGateway(), launchBrowser()]);
    folder = mkdtempSync(join(tmpdir(), "faregate-samples-"));
    for (const audience of ["merchant", "operator"])
      documents[audience] = (await gateway.get(`/docs/${audience}.json`, { token: null })).body;
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const shownTo = (audience: string): Sampled[] => operationsOf(documents[audience] as Document);

  test("everything that a page loads comes from the gateway, and its policy allows no other host and no eval", async () => {
    for (const path of PAGES) {
      const { status, headers, text } = await gateway.get(path, { token: null });
      assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"], path);
      const policy = headers.get("content-security-policy") ?? "";
      assert.match(policy, /^default-src 'none'; /);
      assert.doesNotMatch(policy, /\*|https?:|'unsafe-eval'|script-src [^;]*'unsafe-inline'/);
      const loaded = [...text.matchAll(/<link [^>]*href="([^"]+)"| (?:src|data-document)="([^"]+)"/g)].map(
        ([, link, other]) => link ?? other ?? "",
      );
      assert.ok(loaded.includes("/docs/style.css"), path);
      for (const to of loaded.filter((one) => !one.startsWith("data:image/svg"))) {
        assert.match(to, /^\//, path);
        assert.equal((await gateway.get(to, { token: null })).status, 200, `${path}: ${to}`);
      }
    }
  });

  test("the viewer is the published one, but for the picture that it would load from its makers", async () => {
    const file = readFileSync(join(ROOT, "src/api/reference/redoc.standalone.js"));
    const page = readFileSync(join(ROOT, "docs/dependencies.md"), "utf8");
    assert.ok(page.includes(createHash("sha256").update(file).digest("hex")));
    const { text } = await gateway.get("/docs/redoc.js", { token: null });
    assert.ok(text.length > 500_000);
    assert.doesNotMatch(text, /https:\/\/cdn\.|unpkg\.com|googleapis/);
  });

  test("merchants see their operations, operators theirs, and nobody misses one", async () => {
    const whole: Document = (await gateway.get("/openapi.json", { token: null })).body;
    assert.ok(shownTo("merchant").every(({ path }) => path.startsWith("/api/")));
    assert.ok(shownTo("operator").every(({ path }) => !path.startsWith("/api/")));
    const names = [...shownTo("merchant"), ...shownTo("operator")].map(({ name }) => name);
    assert.deepEqual(
      names.sort(),
      operationsOf(whole)
        .map(({ name }) => name)
        .sort(),
    );
    for (const document of Object.values(documents)) {
      const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
      assert.ok(valid, JSON.stringify(errors));
    }
  });

  test("every operation belongs to a group of the menu, and no group has more than twenty", () => {
    for (const [audience, { tags }] of Object.entries(documents))
      for (const { name } of tags) {
        const own = shownTo(audience).filter((one) => one.tags?.includes(name));
        assert.ok(own.length <= 20 && (own.length > 0 || name === "Webhooks"), `${audience}: ${name} ${own.length}`);
      }
    for (const { name, tags } of [...shownTo("merchant"), ...shownTo("operator")]) assert.equal(tags?.length, 1, name);
  });

  test("every operation has a sample in four languages, with its path and a token of the right side", () => {
    for (const audience of Object.keys(documents))
      for (const operation of shownTo(audience)) {
        const samples = operation["x-codeSamples"] ?? [];
        assert.deepEqual(
          samples.map(({ label }) => label),
          Object.keys(PROGRAMS),
        );
        for (const { source } of samples) {
          assert.ok(source.includes(operation.path.replace(/\{.*/, "")), operation.name);
          assert.doesNotMatch(source, /undefined|\[object/, operation.name);
          const token = /FAREGATE_(?:OPERATOR_)?TOKEN/.exec(source)?.[0];
          const open = operation.security?.length === 0;
          const expected = audience === "merchant" ? "FAREGATE_TOKEN" : "FAREGATE_OPERATOR_TOKEN";
          assert.equal(token, open ? undefined : expected, operation.name);
        }
      }
  });

  test("the samples of a sale, of a filtered list and of a new merchant work as they are", async () => {
    const env = {
      ...process.env,
      FAREGATE_URL: gateway.url,
      FAREGATE_TOKEN: gateway.sandbox.api_token,
      FAREGATE_OPERATOR_TOKEN: gateway.sandbox.operator_token,
    };
    const run = async ({ label, source }: Sample) => {
      const [name, program] = PROGRAMS[label] ?? ["", ""];
      if (!isThere(program)) return;
      const file = join(folder, `${crypto.randomUUID()}-${name}`);
      writeFileSync(file, source);
      const { stdout } = await promisify(execFile)(program, [file], { env });
      const [, body = ""] = /^(?:20[01] )?(\{.*)/s.exec(stdout) ?? [];
      return [label, Object.keys(JSON.parse(body))[0]];
    };
    const all = [...shownTo("merchant"), ...shownTo("operator")];
    const answers: Readonly<Record<string, string>> = {
      createSale: "transaction",
      listTransactions: "transactions",
      createMerchant: "merchant",
    };
    for (const [operationId, first] of Object.entries(answers)) {
      const samples = all.find((one) => one.operationId === operationId)?.["x-codeSamples"] ?? [];
      const printed = (await Promise.all(samples.map(run))).filter((one) => one !== undefined);
      assert.ok(printed.length >= 2, operationId);
      for (const [label, name] of printed) assert.equal(name, first, `${operationId} ${label}`);
    }
  });

  test("a browser shows both references and their samples, searches them, and has no complaint", async () => {
    const { page, complaints, leave } = await visit(browser, gateway.url, { colorScheme: "dark" });
    await page.goto(`${gateway.url}/docs#tag/Transactions/operation/createSale`);
    await page
      .getByRole("heading", { name: /Charge a card/ })
      .first()
      .waitFor();
    // Fields within fields, of which every second level has a colour of its own.
    const nested = page.locator("#operation\\/createSale td > button[aria-label^='expand']");
    for (let opened = 0; opened < 3; opened++) await nested.first().click();
    await assertAccessible({ page }, "the reference in the dark", { within: PARTS, rules: ["color-contrast"] });
    for (const label of Object.keys(PROGRAMS)) await page.getByRole("tab", { name: label }).first().waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Operators" }).click();
    await page
      .getByRole("heading", { name: /API for operators/ })
      .first()
      .waitFor();
    await page.getByPlaceholder("Search...").fill("card testing");
    const found = page.locator('[data-role="search:results"]');
    await found.getByText("List what looked like card testing", { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
    await leave();
  });

  test("a page is shown anew when light turns to dark, but not while its reader leaves it", async () => {
    const { page, leave } = await visit(browser, gateway.url, { colorScheme: "light" });
    const shows = (name: RegExp) => page.getByRole("heading", { name }).first().waitFor();
    // When a page is left, as Chromium does it now and then, by a change of its own.
    await page.addInitScript(`
      const [real, lists] = [matchMedia.bind(window), []];
      window.matchMedia = (query) => lists[lists.push(real(query)) - 1];
      const change = () => lists.forEach((list) => list.dispatchEvent(new Event("change")));
      addEventListener("load", () => addEventListener("beforeunload", () => setTimeout(change)));`);
    await page.route("**/docs/operator", (route) => sleep(500).then(() => route.continue()));
    await page.goto(`${gateway.url}/docs`);
    await shows(/Charge a card/);
    await Promise.all([page.waitForEvent("load"), page.emulateMedia({ colorScheme: "dark" })]);
    await shows(/Charge a card/);
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Operators" }).click();
    await shows(/API for operators/);
    await leave();
  });

  test("the page of errors can be used by all, on a phone too, light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const visitor = await visit(browser, gateway.url, { colorScheme, viewport: { width: 390, height: 844 } });
      await visitor.page.goto(`${gateway.url}/docs/errors#expired-token`);
      await assertAccessible(visitor, colorScheme);
      const wider = await visitor.page.evaluate("document.documentElement.scrollWidth");
      assert.deepEqual([wider, visitor.complaints], [390, []]);
      await visitor.leave();
    }
  });

  test("every error and every refusal has its place on the page of errors", async () => {
    const { text } = await gateway.get("/docs/errors", { token: null });
    const places = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(places).size, places.length);
    assert.deepEqual(
      [...Object.keys(ERRORS), ...REFUSALS].filter((name) => !places.includes(name)),
      [],
    );
  });
});
