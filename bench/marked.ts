// A part of a page that a command writes: between `<!-- figures -->` and `<!-- /figures -->`, or with another name.

/** @throws if the page does not have both marks, in this order */
export function replaceMarked(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`];
  const [start, end] = [page.indexOf(open), page.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`The page has no place between ${open.trim()} and ${close.trim()}.`);
  return page.slice(0, start + open.length) + text + page.slice(end);
}
