// A person at the console in a real browser: what tests of it share. What the page asks of others, and what it says to the browser's
// log, is noted.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { SuiteContext, TestContext } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

export interface Visitor {
  readonly page: Page;
  /** Requests to anybody but the gateway, and faults of the page. */
  readonly complaints: readonly string[];
  /** Bytes of all responses so far, as they were sent. */
  readonly received: () => number;
  /** Another view, as a link in the page would show it. */
  readonly go: (path: string) => Promise<void>;
  readonly leave: () => Promise<void>;
}

let visitors = 0;
/** Sign-ins are limited by address: with a gateway that believes its proxy, each visitor has one. */
export const fromElsewhere = () => ({ "x-forwarded-for": `198.51.${visitors >> 8}.${visitors++ & 255}` });

/** For what is to come, however busy the machine is: what never comes is told of with what was shown. */
const PATIENCE_MS = 180_000;
const complaintsOf = new WeakMap<Page, readonly string[]>();

export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const page = await newPage(browser, { extraHTTPHeaders: fromElsewhere(), ...options });
  return visitorOn(page, url, () => page.context().close());
}

/** By a page, of which a visitor takes note. */
const TOLD = ["request", "response", "pageerror", "console"];
const DESK = { width: 1280, height: 720 };

interface View {
  readonly colorScheme?: "light" | "dark";
  readonly viewport?: { readonly width: number; readonly height: number };
}

/**
 * For visitors one after the other, in one page as long as each leaves it: there the console's code is compiled already, and opening it
 * costs 0.6 s of processor time, not 0.9. Nobody finds cookies, storage or listeners of those before. Not for who changes the page
 * itself: its clock, or what its requests are answered.
 */
export function inOnePage(browser: Browser, url: string): (view?: View) => Promise<Visitor> {
  const free: Page[] = [];
  return async ({ colorScheme = "light", viewport = DESK } = {}) => {
    const page = free.pop() ?? (await newPage(browser));
    await page.context().setExtraHTTPHeaders(fromElsewhere());
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    return visitorOn(page, url, async () => {
      for (const told of TOLD) page.removeAllListeners(told);
      await page.evaluate("localStorage.clear(); sessionStorage.clear()");
      await page.goto("about:blank");
      await page.context().clearCookies();
      free.push(page);
    });
  };
}

async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  // Without a language of its own, a machine gives the browser one that is none: `en-US@posix`.
  const context = await browser.newContext({ locale: "en-US", reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  return context.newPage();
}

function visitorOn(page: Page, url: string, leave: () => Promise<void>): Visitor {
  const complaints: string[] = [];
  complaintsOf.set(page, complaints);
  let bytes = 0;
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
      complaints.push(`asked ${request.url()}`);
  });
  page.on("response", (response) => {
    bytes += Number(response.headers()["content-length"] ?? 0);
  });
  page.on("pageerror", (fault) => complaints.push(String(fault)));
  page.on("console", (message) => {
    // The browser logs each 4xx: those are the gateway's answers, and the page's to show.
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
  });
  return {
    page,
    complaints,
    received: () => bytes,
    go: async (path) => {
      await page.evaluate(`history.pushState(null, "", ${JSON.stringify(`/console${path}`)})`);
    },
    leave,
  };
}

export async function signIn(
  { page }: Pick<Visitor, "page">,
  who: { readonly email: string; readonly password: string },
): Promise<void> {
  await page.getByLabel("E-mail").fill(who.email);
  await page.getByLabel("Password", { exact: true }).fill(who.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** @param heading of the page that was asked for */
export async function signInByToken({ page }: Visitor, token: string, heading = "Transactions"): Promise<void> {
  const field = page.getByLabel("API token", { exact: true });
  const other = page.getByRole("button", { name: "With an API token" });
  await field.or(other).first().waitFor();
  if (await other.isVisible()) await other.click();
  await field.fill(token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

const SHOWN_WITHIN_MS = 5_000;

/** After a test: if it failed, what each page shows, and what it complained of. */
export async function tellShown(test: TestContext | SuiteContext, browser: Browser): Promise<void> {
  if (!("error" in test) || !test.error) return;
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    const text = await page.locator("body").innerText({ timeout: SHOWN_WITHIN_MS }).catch(String);
    const told = (complaintsOf.get(page) ?? []).map((complaint) => `\nIt complained: ${complaint}`);
    test.diagnostic(`${page.url()} shows:\n${text}${told.join("")}`);
  }
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** WCAG 2.2, levels A and AA, as far as a program can tell. */
const STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The same program as its source, of less than half the size. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** As a script: an `eval` of Playwright's in the page takes half as much again. */
async function loadAxe(page: Page): Promise<void> {
  if (await page.evaluate("'axe' in window")) return;
  const devtools = await page.context().newCDPSession(page);
  const { exceptionDetails } = await devtools.send("Runtime.evaluate", { expression: AXE });
  assert.equal(exceptionDetails, undefined);
  await devtools.detach();
}

interface Part {
  /** A selector: only there. */
  readonly within: string;
  /** By default those of the standard. */
  readonly rules?: readonly string[];
}

/** @param part of the page; otherwise all of it */
export async function assertAccessible({ page }: Pick<Visitor, "page">, where: string, part?: Part): Promise<void> {
  await loadAxe(page);
  const options = JSON.stringify({
    runOnly: part?.rules ?? { type: "tag", values: STANDARD },
    resultTypes: ["violations"],
  });
  const found = (await page.evaluate(
    `axe.run(${JSON.stringify(part?.within ?? "html")}, ${options}).then(({ violations, passes }) => ({ violations, passes: passes.length }))`,
  )) as {
    readonly violations: readonly Violation[];
    readonly passes: number;
  };
  assert.ok(found.passes > (part === undefined ? 5 : 0), `${where}: axe looked at hardly anything`);
  const told = found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary}`),
  );
  assert.deepEqual(told, [], where);
}
