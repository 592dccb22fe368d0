// The page at /docs/errors, where the link in every error's response leads: what it means and what to do. docs/errors.md is the same.

import type { FastifyInstance } from "fastify";
import { REFUSALS } from "../../payment/refusal.ts";
import { ERRORS, GUIDE_PATH } from "../errors-guide.ts";
import { REFUSAL_RESPONSES } from "../refusal-responses.ts";
import { AFTER_REFUSAL } from "../refusals-guide.ts";
import { cachedResponse } from "./cached-response.ts";

type Row = readonly [name: string, status: number, means: string, todo: string];

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const table = (rows: readonly Row[]): string => `<table border="1" cellpadding="6">
<tr><th>Name</th><th>Status</th><th>What it means</th><th>What to do</th></tr>
${rows
  .map(([name, ...cells]) => {
    const others = cells.map((cell) => `<td>${escaped(String(cell))}</td>`).join("");
    return `<tr id="${name}"><td><a href="#${name}">${name}</a></td>${others}</tr>`;
  })
  .join("\n")}
</table>`;

const page = (): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Faregate: errors</title>
<h1>Errors</h1>
<p>The header <code>Link</code> of an error's response leads to its row here. <a href="/docs">All paths and fields</a></p>
${table(Object.entries(ERRORS).map(([name, { status, means, todo }]) => [name, status, means, todo]))}
<h2>Refusals</h2>
<p>The rules say no. The header <code>Faregate-Refusal</code> has the name. A text without a full stop goes on with the most
that would be right.</p>
${table(
  REFUSALS.map((name) => [name, REFUSAL_RESPONSES[name].status, REFUSAL_RESPONSES[name].text, AFTER_REFUSAL[name]]),
)}
</html>
`;

export function errorsPage(app: FastifyInstance): void {
  const shown = cachedResponse(Buffer.from(page()), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  });
  app.get(GUIDE_PATH, { schema: { hide: true } as object }, shown);
}
