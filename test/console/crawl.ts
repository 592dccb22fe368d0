// Walks a page with the mouse: every field, list, box, link and button of it, and of each dialog that opens, is clicked once where it is
// seen. What each kind of control does is known here; what a button does is told by who asks for the walk.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../receiver.ts";
import { allAreHit, type Control, clickOn, controlsIn, type Kind, shapeOf } from "./pointer.ts";
import { assertAccessible, type Visitor } from "./visitor.ts";

/** What comes of a click. A change of the gateway is sent, and refused by the test before it gets there. */
export type Deed =
  /** `DELETE /operator/tokens/*`: nothing else is sent, and its refusal is shown. */
  | { readonly sends: string }
  /** A dialog: its own buttons do this, besides those that close it. */
  | {
      readonly opens: Buttons;
      /** It is there at some times of the day only. */
      readonly atTimes?: true;
    }
  /** Choices, with what each does. */
  | { readonly menu: Buttons }
  /** To another view of the console. */
  | { readonly leads: RegExp }
  /** A part of the page. */
  | { readonly shows: string | RegExp }
  | { readonly saves: RegExp };
export type Buttons = readonly (readonly [name: string | RegExp, deed: Deed])[];

export interface Walk {
  readonly path: string;
  /** A text that is there when the page is. */
  readonly ready: string | RegExp;
  readonly buttons?: Buttons;
}

const REFUSAL = "Somebody else is changing it.";
export const DESK = { width: 1280, height: 720 };
export const PHONE = { width: 360, height: 740 };
const CLOSERS = /^(Not now|Close|Close the filters|I have saved it|Leave it as it is)$/;
const PAGE = "#page";
const DIALOG = "[role=dialog]";

/** A script for the page: while `refusing`, changes are noted and get no further; with a `lastPage`, each list has so many pages. */
export const IN_THE_WAY = `{ const real = fetch;
  const refusal = { error: { status: 409, code: "conflict", message: { base: [${JSON.stringify(REFUSAL)}] } }, debug: [] };
  window.changes = [];
  const atOnce = new CSSStyleSheet();
  atOnce.replaceSync("* { transition: none !important; }");
  document.adoptedStyleSheets.push(atOnce);
  window.fetch = async (to, how = {}) => {
    const method = how.method ?? "GET";
    if (window.refusing && method !== "GET") {
      changes.push(method + " " + new URL(to, location.href).pathname);
      return Response.json(refusal, { status: 409 });
    }
    if (window.lastPage === undefined || method !== "GET") return real(to, how);
    how.headers?.delete("if-none-match");
    const response = await real(to, how);
    const body = await response.json();
    return Response.json(body.meta === undefined ? body : { ...body, meta: { ...body.meta, last_page: lastPage } });
  };
}`;

export async function walk(visitor: Visitor, { path, ready, buttons = [] }: Walk): Promise<void> {
  const { page } = visitor;
  const open = async () => {
    await visitor.go(path);
    await page.getByRole("main").getByText(ready).first().waitFor();
    await settled(page);
  };
  await open();
  await page.evaluate("window.refusing = true");
  try {
    await looksRight(visitor, PAGE, path);
    const address = page.url();
    const used = new Set<Deed>();
    await clickAll(visitor, { root: PAGE, where: path, buttons, used }, async () => {
      if (page.url() !== address) await open();
    });
    assert.deepEqual(unused(buttons, used), [], `${path} has no such buttons`);
  } finally {
    await page.evaluate("window.refusing = false");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(DESK);
    await page.keyboard.press("Escape");
  }
}

const WAITS = `document.querySelector(".mantine-Loader-root, [data-loading]") !== null ||
  [...document.querySelectorAll("[role=status]")].some((one) => one.textContent === "Loading")`;

/** Nothing is on its way any more. */
export async function settled(page: Page): Promise<void> {
  await until("all has come", async () => !(await page.evaluate(WAITS)));
}

/** What colours and widths change. */
const OF_THE_VIEW = ["color-contrast", "target-size", "scrollable-region-focusable"];

/** Shapes of what axe has seen in both views: what differs from it in words alone is no other case of any of its rules. */
const seen = new Set<string>();

/** In both colours, at a desk and on a phone; at the end as at a desk. */
export async function looksRight(visitor: Visitor, root: string, where: string): Promise<void> {
  const { page } = visitor;
  const shape = await shapeOf(page, root);
  if (seen.has(shape)) return allAreHit(page, root, where);
  seen.add(shape);
  for (const [name, colorScheme, viewport, rules] of [
    ["dark, on a phone", "dark", PHONE, OF_THE_VIEW],
    ["light, at a desk", "light", DESK, undefined],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await settled(page);
    await assertAccessible(visitor, `${where}, ${name}`, { within: root, ...(rules && { rules }) });
    await allAreHit(page, root, `${where}, ${name}`);
  }
}

/** Buttons come after what they send, in the order in which they are told of; then what leaves the page, and what closes a dialog. */
const ORDER: readonly Kind[] = ["field", "checkbox", "radio", "summary", "list", "button", "link"];
const turnOf = ({ kind, name }: Control, buttons: Buttons): number =>
  (CLOSERS.test(name) ? ORDER.length : ORDER.indexOf(kind)) + (1 + orderOf(buttons, name)) / (2 + buttons.length);
const orderOf = (buttons: Buttons, name: string): number =>
  buttons.findIndex(([one]) => (typeof one === "string" ? one === name : one.test(name)));

/** Of a table's rows one is clicked for all: `mouse.ts` clicks others, and compares records. */
const placeOf = ({ kind, name, table, cell }: Control): string =>
  table === null
    ? `${kind} ${name.replace(/\d+/g, "#")}`
    : `${kind} in column ${cell} of ${table}, ${name.split(/[:\d]/)[0]}`;
const uniquely = (control: Control): string =>
  control.table !== null && (control.kind === "link" || control.kind === "checkbox" || control.expanded !== null)
    ? `${control.kind} in column ${control.cell} of ${control.table}`
    : placeOf(control);

interface There {
  readonly root: string;
  readonly where: string;
  readonly buttons: Buttons;
  /** What was clicked of those, here and in dialogs. */
  readonly used: Set<Deed>;
}

const unused = (buttons: Buttons, used: ReadonlySet<Deed>): readonly string[] =>
  buttons
    .filter(([, deed]) => used.has(deed) || !("atTimes" in deed))
    .flatMap(([name, deed]) => [
      ...(used.has(deed) ? [] : [String(name)]),
      ...("opens" in deed ? unused(deed.opens, used) : []),
    ]);

async function clickAll(visitor: Visitor, there: There, restore: () => Promise<void>): Promise<void> {
  const { page } = visitor;
  const { root } = there;
  const clicked = new Set<string>();
  for (;;) {
    const [next] = (await controlsIn(page, root))
      .filter((control) => !control.disabled && !clicked.has(uniquely(control)))
      .sort((one, other) => turnOf(one, there.buttons) - turnOf(other, there.buttons));
    if (next === undefined) return;
    clicked.add(uniquely(next));
    await click(visitor, there, next);
    if (root === DIALOG && CLOSERS.test(next.name)) return;
    await restore();
  }
}

async function click(visitor: Visitor, there: There, control: Control): Promise<void> {
  const { page } = visitor;
  const { root, where } = there;
  const { kind, name } = control;
  const at = `${where}, ${kind} "${name}"`;
  const again = async () => (await controlsIn(page, root)).find((one) => uniquely(one) === uniquely(control));
  switch (kind) {
    case "field":
      await clickOn(page, root, control, where);
      assert.ok((await again())?.focused, `${at}: a click gives it no focus`);
      if (!/date/.test(control.type)) {
        if (control.value !== "") await page.keyboard.press("End");
        await page.keyboard.press(control.value === "" ? "1" : "Backspace");
        assert.notEqual((await again())?.value, control.value, `${at}: cannot be typed in`);
      }
      return;
    case "checkbox":
    case "radio":
      return chooses(visitor, there, control, at);
    case "list":
      return picks(visitor, root, control, at);
    case "summary":
      await clickOn(page, root, control, where);
      await page.locator("details[open]").first().waitFor();
      return;
    case "link":
      assert.match(control.href ?? "", /^(\/console\/|otpauth:)/, at);
      await clickOn(page, root, control, where);
      await page.waitForURL((url) => `${url.pathname}${url.search}` === control.href);
      return;
    default:
      return presses(visitor, there, control, at);
  }
}

/** What is checked changes for this box, or among this box and its fellows, and for no other. */
async function chooses(visitor: Visitor, there: There, control: Control, at: string): Promise<void> {
  const { page } = visitor;
  const { root, where, buttons } = there;
  const deed = deedOf(buttons, control);
  if (deed !== undefined) return does(visitor, there, control, deed, at);
  const states = async () =>
    (await controlsIn(page, root))
      .filter(({ kind }) => kind === control.kind)
      .map((one) => [placeOf(one), one.row, one.checked] as const);
  const before = await states();
  const index = before.findIndex(([place, row]) => place === placeOf(control) && row === control.row);
  await clickOn(page, root, control, where);
  await settled(page);
  const after = await states();
  assert.equal(after[index]?.[2], control.kind === "radio" ? true : !control.checked, at);
  if (control.kind === "radio") return;
  const others = (all: typeof before) => all.filter((_, other) => other !== index);
  assert.deepEqual(others(after), others(before), `${at}: another one changed`);
  const [same] = (await controlsIn(page, root)).filter(
    (one) => placeOf(one) === placeOf(control) && one.row === control.row,
  );
  if (same !== undefined) await clickOn(page, root, same, where);
}

/** Its field has the focus, whose arrow keys scroll it. */
const OF_A_LIST = ["color-contrast", "target-size", "aria-required-children", "aria-required-parent"];

/** They look alike: axe sees one of each kind here, and `keyboard.ts` shows it others. */
const listed = new Set<boolean>();

/** A list to choose from: every choice can be hit and read, and the last one is taken. */
async function picks({ page }: Visitor, root: string, control: Control, at: string): Promise<void> {
  await clickOn(page, root, control, at);
  await until(`${at} opens`, async () => (await page.getByRole("option").count()) > 0);
  const id = await page.locator("[role=listbox]:visible").first().getAttribute("id");
  const listbox = `[id="${id}"]`;
  await allAreHit(page, listbox, at);
  if (!listed.has(control.several)) await assertAccessible({ page }, at, { within: listbox, rules: OF_A_LIST });
  listed.add(control.several);
  const options = await controlsIn(page, listbox);
  const last = options.at(-1);
  assert.ok(last, at);
  await clickOn(page, listbox, last, at);
  if (control.several) await page.keyboard.press("Escape");
  await page.locator(listbox).waitFor({ state: "hidden" });
  await settled(page);
  const pill = page.locator(root).getByText(last.name, { exact: true });
  await until(
    `${at}: ${last.name} is shown as chosen`,
    async () => (await controlsIn(page, root)).some(({ value }) => value === last.name) || (await pill.count()) > 0,
  );
}

const deedOf = (buttons: Buttons, { name }: Control): Deed | undefined => buttons[orderOf(buttons, name)]?.[1];

async function presses(visitor: Visitor, there: There, control: Control, at: string): Promise<void> {
  const { page } = visitor;
  const { root, where, buttons } = there;
  const deed = deedOf(buttons, control);
  if (deed !== undefined) return does(visitor, there, control, deed, at);
  if (root === DIALOG && CLOSERS.test(control.name)) {
    await clickOn(page, root, control, where);
    await page.locator(DIALOG).waitFor({ state: "detached" });
    return;
  }
  const again = async () =>
    (await controlsIn(page, root)).find((one) => placeOf(one) === placeOf(control) && one.row === control.row);
  // For a second or two, the name of what was just pressed.
  if (control.name === "Copied") return;
  if (/^Copy\b/.test(control.name)) {
    await clickOn(page, root, control, where);
    await page
      .locator(root)
      .getByText(/^copied$/i)
      .first()
      .waitFor();
    const [, value = ""] = /: (.*)$/.exec(control.name) ?? [];
    if (value !== "") assert.equal(await page.evaluate("navigator.clipboard.readText()"), value, at);
    return;
  }
  if (control.pressed !== null && !/visibility/.test(control.name)) {
    await clickOn(page, root, control, where);
    const pressed = (await controlsIn(page, root)).filter((one) => one.pressed === "true");
    assert.deepEqual(
      pressed.map((one) => one.name),
      [control.name],
      at,
    );
    return;
  }
  if (control.expanded !== null) {
    await clickOn(page, root, control, where);
    assert.notEqual((await again())?.expanded, control.expanded, at);
    return;
  }
  // That of a password field, and that of a list: what it had goes.
  if (/visibility$|^Clear|default$/.test(control.name) || control.name === "") {
    await clickOn(page, root, control, where);
    await settled(page);
    return;
  }
  assert.fail(`${at}: nobody says what it does`);
}

async function does(visitor: Visitor, there: There, control: Control, deed: Deed, at: string): Promise<void> {
  const { page } = visitor;
  const { root, where, used } = there;
  used.add(deed);
  await page.evaluate("changes.length = 0");
  if ("saves" in deed) {
    const saved = page.waitForEvent("download");
    await clickOn(page, root, control, where);
    assert.match((await saved).suggestedFilename(), deed.saves, at);
    await settled(page);
    return;
  }
  if ("sends" in deed) {
    await clickOn(page, root, control, where);
    await until(`${at} sends`, async () => Number(await page.evaluate("changes.length")) > 0);
    await page.locator(root).getByText(REFUSAL).first().waitFor();
    await settled(page);
    const [sent, ...more] = (await page.evaluate("changes")) as readonly string[];
    assert.deepEqual(more, [], `${at}: something else was sent, too`);
    assert.match(sent ?? "", new RegExp(`^${deed.sends.replaceAll("*", "[^/]+")}$`), at);
    return;
  }
  await clickOn(page, root, control, where);
  if ("leads" in deed) return void (await page.waitForURL(deed.leads));
  if ("shows" in deed) return void (await page.locator(root).getByText(deed.shows).first().waitFor());
  const opened = "menu" in deed ? "[role=menu]" : DIALOG;
  await page.locator(opened).waitFor();
  await looksRight(visitor, opened, at);
  if ("opens" in deed) {
    await clickAll(visitor, { root: DIALOG, where: at, buttons: deed.opens, used }, async () => undefined);
    if ((await page.locator(DIALOG).count()) === 0) return;
    await page.keyboard.press("Escape");
    await page.locator(DIALOG).waitFor({ state: "detached" });
    return;
  }
  for (const [name, choice] of deed.menu) {
    if (!(await page.locator(opened).isVisible())) await clickOn(page, root, control, where);
    await page.locator(opened).waitFor();
    const item = (await controlsIn(page, opened)).find((one) => one.name === name);
    assert.ok(item, `${at}: ${name}`);
    await does(visitor, { root: opened, where: at, buttons: [], used }, item, choice, `${at}, ${name}`);
  }
}
