// The console's forms as a door: what is typed into one is sent, refused by the API, and the field shows the API's words.

import assert from "node:assert/strict";
import type { Browser, ElementHandle, Locator, Page, Response } from "playwright-core";
import { buildConsole } from "../../scripts/console.ts";
import type { Gateway, Json } from "../journeys/merchant.fixture.ts";
import { until } from "../receiver.ts";
import { launchBrowser } from "./browser.ts";
import { inOnePage, signIn, type Visitor } from "./visitor.ts";

export interface Form {
  /** Of its page, below /console. */
  readonly path: string;
  /** The buttons that open it, one after the other. */
  readonly opens?: readonly string[];
  /** The button that sends it. */
  readonly sends: string;
  /** The label of each field of the API that it has a field for. */
  readonly labels: Readonly<Record<string, string>>;
  /** What is right, by label; a field of choices by the choice. */
  readonly right?: Readonly<Record<string, string>>;
}

export interface Forms {
  readonly visitor: Visitor;
  /**
   * @param messages what the API says of the same value, by field; undefined where it was not asked
   * @returns what became of it: a form may tidy what was typed, as by taking spaces away, and then sends what is right
   */
  readonly refuses: (form: Form, field: string, wrong: unknown, messages?: Json) => Promise<"refused" | "tidied">;
  readonly close: () => Promise<void>;
}

/** Signed in as an operator. */
export async function openForms(gateway: Gateway): Promise<Forms> {
  const [browser] = await Promise.all([launchBrowser(), buildConsole()]);
  const visitor = await inOnePage(browser, gateway.url)();
  const { page } = visitor;
  await page.goto(`${gateway.url}/console/keys?merchant=${gateway.sandbox.merchant_id}`);
  await signIn(visitor, gateway.sandbox.people.operator);
  await page.getByRole("heading", { name: "Keys" }).waitFor();
  return formsOn(visitor, browser);
}

/** Of somebody who is signed in. */
function formsOn(visitor: Visitor, browser: Browser): Forms {
  let opened: Opened | undefined;
  return {
    visitor,
    close: () => browser.close(),
    refuses: async (form, field, wrong, messages) => {
      if (opened?.form !== form) opened = await open(visitor, form);
      const became = await refused(visitor.page, opened, field, wrong, messages);
      if (became === "tidied") opened = undefined;
      return became;
    },
  };
}

/** A form on the page. To find a field by its label or a button by its name takes more of the browser's time than all else. */
interface Opened {
  readonly form: Form;
  readonly button: Element;
  readonly field: (label: string) => Promise<Element>;
}
type Element = ElementHandle<SVGElement | HTMLElement>;

async function open({ page, go }: Visitor, form: Form): Promise<Opened> {
  const { path, opens = [], right = {}, sends } = form;
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await go("/keys");
  await page.getByRole("heading", { name: "Keys" }).waitFor();
  await go(path);
  for (const name of opens) await page.getByRole("button", { name, exact: true }).first().click();
  for (const [label, value] of Object.entries(right)) {
    const field = fieldOf(page, label);
    if ((await field.getAttribute("role")) !== "combobox") await field.fill(value);
    else {
      await field.click();
      await page.getByRole("option", { name: value, exact: true }).click();
    }
  }
  const found = new Map<string, Promise<Element>>();
  return {
    form,
    button: await there(partsOf(page).getByRole("button", { name: sends, exact: true }).last()),
    field: (label) => {
      const known = found.get(label) ?? there(fieldOf(page, label));
      found.set(label, known);
      return known;
    },
  };
}

const partsOf = (page: Page): Locator => page.getByRole("main").or(page.getByRole("dialog"));

const fieldOf = (page: Page, label: string): Locator => partsOf(page).getByLabel(label, { exact: true }).last();

async function there(element: Locator): Promise<Element> {
  await element.waitFor();
  const handle = await element.elementHandle();
  assert.ok(handle);
  return handle;
}

async function refused(
  page: Page,
  { form: { labels, right = {} }, field: elementOf, button }: Opened,
  field: string,
  wrong: unknown,
  messages: Json | undefined,
): Promise<"refused" | "tidied"> {
  const label = labels[field] ?? "";
  const what = `the console's field ${label}, ${JSON.stringify(wrong)}`;
  const input = await elementOf(label);
  await input.fill(String(wrong));
  const held = await input.inputValue();
  // A line end, or spaces around an address: no field has them to send.
  if (held !== String(wrong)) {
    await input.fill(right[label] ?? "");
    return "tidied";
  }
  if (await button.isDisabled()) {
    assert.equal(held.trim(), right[label]?.trim() ?? "", `${what} cannot be sent, and does not say why`);
    await input.fill(right[label] ?? "");
    return "refused";
  }
  const came = page.waitForResponse((response) => response.request().method() !== "GET");
  // That the mouse hits each button is tested where all pages are walked.
  await button.dispatchEvent("click");
  const response = await came;
  if (response.status() < 300) {
    assert.notEqual(sentOf(response, field), wrong, `${what} is sent, and not refused`);
    return "tidied";
  }
  assert.equal(response.status(), 422, what);
  const { error } = await response.json();
  const words = error.message[field];
  if (words === undefined) {
    // Another field is wrong, or in use; this one was tidied.
    assert.notEqual(sentOf(response, field), wrong, `${what}: ${JSON.stringify(error.message)}`);
    return "tidied";
  }
  if (messages !== undefined && sentOf(response, field) === wrong) assert.deepEqual(words, messages[field], what);
  const said = words.join(" ");
  await until(`${what}: "${said}" is said of the field`, async () => (await described(page, input)).includes(said));
  await input.fill(right[label] ?? "");
  return "refused";
}

/** A field, dotted, of what was sent. */
function sentOf(response: Response, field: string): unknown {
  let at: unknown = response.request().postDataJSON();
  for (const name of field.split(".")) at = (at as Record<string, unknown> | undefined)?.[name];
  return at;
}

/** As a screen reader has it, as far as it can be seen. */
async function described(page: Page, input: Element): Promise<string> {
  const ids = ((await input.getAttribute("aria-describedby")) ?? "").split(" ");
  const texts = `${JSON.stringify(ids)}.map((id) => document.getElementById(id)?.innerText ?? "")`;
  return ((await page.evaluate(texts)) as readonly string[]).join(" ");
}
