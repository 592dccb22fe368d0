// A payer's browser as far as challenges need one: it goes where it is sent, a step at a time, and no further than it is told.

import assert from "node:assert/strict";

export interface Step {
  readonly status: number;
  /** Null: it stays. */
  readonly location: string | null;
  readonly headers: Headers;
  readonly html: string;
}

export async function goTo(url: string, form?: Readonly<Record<string, string>>): Promise<Step> {
  const body = form && { method: "POST", body: new URLSearchParams(form) };
  const response = await fetch(url, { redirect: "manual", ...body });
  const { status, headers } = response;
  return { status, headers, location: headers.get("location"), html: await response.text() };
}

/** From the gateway's address to the page of the processor, by a link or by a form. @returns its address */
export async function toChallenge(checkoutUrl: string): Promise<string> {
  const first = await goTo(checkoutUrl);
  if (first.location !== null) return first.location;
  const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(first.html) ?? [];
  const fields = [...first.html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  assert.ok(action, `neither a link nor a form: ${first.status} ${first.html}`);
  const page = await goTo(action, Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value])));
  assert.equal(page.status, 200, page.html);
  return action;
}

/** What the payer chooses at a host's page. @returns the address at the gateway to which the payer comes back */
export async function choose(challenge: string, choice: "pass" | "fail"): Promise<string> {
  const { location, html } = await goTo(`${challenge}/${choice}`, {});
  assert.ok(location, html);
  return location;
}

/** Back at the gateway. @returns the merchant's address to which it sends the payer */
export async function comeBack(address: string): Promise<URL> {
  const { status, location, html } = await goTo(address);
  assert.equal(status, 303, html);
  return new URL(location ?? "");
}
