// The page at /docs/errors, where the link in every error's response leads: why it happens and what to do. docs/errors.md has the
// same in tables.

import { STATUS_CODES } from "../../node-http.ts";
import { REFUSALS, type RefusalName } from "../../payment/refusal.ts";
import { codeOf, ERRORS, GUIDE_PATH } from "../errors-guide.ts";
import { REFUSAL_RESPONSES } from "../refusal-responses.ts";
import { AFTER_REFUSAL, WHEN_REFUSED } from "../refusals-guide.ts";
import { pageOf, textOf } from "./html.ts";

interface Entry {
  readonly name: string;
  readonly status: number;
  /** What is said of it, by heading. */
  readonly told: Readonly<Record<string, string>>;
}
interface Chapter {
  readonly title: string;
  readonly opening?: string;
  readonly entries: readonly Entry[];
}

function chapters(): readonly Chapter[] {
  const errors = Object.entries(ERRORS).map(([name, { status, means, todo }]) => ({
    name,
    status,
    told: { Code: codeOf(name), Why: means, "What to do": todo },
  }));
  const statuses = [...new Set(errors.map(({ status }) => status))];
  return [
    ...statuses.map((status) => ({
      title: `${status} ${STATUS_CODES[status]}`,
      entries: errors.filter((one) => one.status === status),
    })),
    {
      title: "Refusals",
      opening:
        "The gateway's rules say no, and no processor is asked. The name is the <code>code</code>, and the header <code>Faregate-Refusal</code> has it too. A message " +
        "that ends in “…” goes on with the most, or the sum, that would be right.",
      entries: REFUSALS.map(refusal),
    },
  ];
}

function refusal(name: RefusalName): Entry {
  const { status, text } = REFUSAL_RESPONSES[name];
  const message = text.endsWith(".") ? text : `${text} …`;
  return { name, status, told: { Message: message, Why: WHEN_REFUSED[name], "What to do": AFTER_REFUSAL[name] } };
}

const article = ({ name, status, told }: Entry): string => `<article id="${name}">
<h3><a class="anchor" href="#${name}">${name}</a> <span class="status">${status}</span></h3>
<dl>${Object.entries(told)
  .map(([heading, text]) => `<dt>${heading}</dt><dd>${textOf(text)}</dd>`)
  .join("")}</dl>
</article>`;

const placeOf = ({ title }: Chapter): string => `on-${title.toLowerCase().replaceAll(/[^a-z\d]+/g, "-")}`;

const section = (chapter: Chapter): string => `<section aria-labelledby="${placeOf(chapter)}">
<h2 id="${placeOf(chapter)}">${chapter.title}</h2>
${chapter.opening === undefined ? "" : `<p>${chapter.opening}</p>`}
${chapter.entries.map(article).join("\n")}
</section>`;

const menu = (chapter: Chapter): string => `<li><a href="#${placeOf(chapter)}">${chapter.title}</a>
<ul>${chapter.entries.map(({ name }) => `<li><a href="#${name}">${name}</a></li>`).join("")}</ul></li>`;

/** As HTML. */
export function errorsPage(): string {
  const all = chapters();
  const menus = `<ul>${all.map(menu).join("\n")}</ul>`;
  return pageOf({
    title: "Errors – Faregate",
    path: GUIDE_PATH,
    body: `<div class="columns">
<nav class="menu" aria-label="Errors">${menus}</nav>
<main class="page">
<h1>Errors</h1>
<p>Each error that the API responds with, why it happens, and what to do. The header <code>Link</code> of an error's response leads
to its place here:</p>
<pre><code>HTTP/1.1 401 Unauthorized
link: &lt;/docs/errors#expired-token&gt;; rel="help"

{"error":{"status":401,"code":"not-authenticated","message":{"base":["Not authenticated"],
  "authorization":["holds a token that has expired"]}},"debug":[]}</code></pre>
<p>Rely on the status, the code and the name in your program. Messages are for people, and may become clearer.</p>
<details class="menu-below"><summary>All errors</summary>${menus}</details>
${all.map(section).join("\n")}
</main>
</div>`,
  });
}
