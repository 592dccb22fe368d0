// What the pages at /docs have in common: their head, and the bar that leads from one to the other.

interface Page {
  readonly title: string;
  /** The page's own path, which the bar marks. */
  readonly path: string;
  readonly body: string;
  /** Paths of scripts, run in this order. */
  readonly scripts?: readonly string[];
}

const PLACES: readonly (readonly [path: string, words: string])[] = [
  ["/docs", "Merchants"],
  ["/docs/operator", "Operators"],
  ["/docs/errors", "Errors"],
];

export const STYLE_PATH = "/docs/style.css";
/** Within the page, so that browsers ask for no other. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6bcb'/%3E%3Cpath d='M5 3h7v2H7v2h4v2H7v4H5z' fill='%23fff'/%3E%3C/svg%3E";

/** A whole page. */
export const pageOf = ({ title, path, body, scripts = [] }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<header class="bar">
<a class="name" href="/">Faregate</a>
<nav aria-label="Pages">${PLACES.map(([to, words]) => `<a href="${to}"${to === path ? ' aria-current="page"' : ""}>${words}</a>`).join("")}</nav>
</header>
${body}
${scripts.map((script) => `<script src="${script}"></script>`).join("\n")}
</body>
</html>
`;

/** For text between tags; what stands in backticks becomes code. */
export const textOf = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/`([^`]*)`/g, "<code>$1</code>");

/** Of pages that run nothing. */
export const STATIC_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
