// The console's forms as a door: what is typed into one is sent, refused by the API, and the field shows the API's words.

import assert from "node:assert/strict";
import type { Browser, Locator, Page, Response } from "playwright-core";
import { buildConsole } from "../../scripts/console.ts";
import type { Gateway, Json } from "../journeys/merchant.fixture.ts";
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
  let opened: Form | undefined;
  return {
    visitor,
    close: () => browser.close(),
    refuses: async (form, field, wrong, messages) => {
      if (opened !== form) await open(visitor, form);
      opened = form;
      const became = await refused(visitor.page, form, field, wrong, messages);
      if (became === "tidied") opened = undefined;
      return became;
    },
  };
}

async function open({ page, go }: Visitor, { path, opens = [], right = {} }: Form): Promise<void> {
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
}

const fieldOf = (page: Page, label: string): Locator =>
  page.getByRole("main").or(page.getByRole("dialog")).getByLabel(label, { exact: true }).last();

async function refused(
  page: Page,
  { sends, labels, right = {} }: Form,
  field: string,
  wrong: unknown,
  messages: Json | undefined,
): Promise<"refused" | "tidied"> {
  const label = labels[field] ?? "";
  const what = `the console's field ${label}, ${JSON.stringify(wrong)}`;
  const input = fieldOf(page, label);
  await input.fill(String(wrong));
  const button = page
    .getByRole("main")
    .or(page.getByRole("dialog"))
    .getByRole("button", { name: sends, exact: true })
    .last();
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
  await button.click();
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
  await page.getByText(words.join(" "), { exact: true }).first().waitFor();
  assert.ok((await described(input)).includes(words.join(" ")), `${what}: ${words} is not said of the field`);
  if (right[label] !== undefined) await input.fill(right[label]);
  else await input.fill("");
  return "refused";
}

/** A field, dotted, of what was sent. */
function sentOf(response: Response, field: string): unknown {
  let at: unknown = response.request().postDataJSON();
  for (const name of field.split(".")) at = (at as Record<string, unknown> | undefined)?.[name];
  return at;
}

/** As a screen reader has it. */
async function described(input: Locator): Promise<string> {
  const ids = ((await input.getAttribute("aria-describedby")) ?? "").split(" ").map((id) => `[id="${id}"]`);
  return (await input.page().locator(ids.join(", ")).allInnerTexts()).join(" ");
}
