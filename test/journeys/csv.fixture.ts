// Reads CSV as RFC 4180 has it, strictly: a quote stands only around a whole field, or doubled inside of one.

/** Lines of fields; every line has to end with CR LF. */
export function linesOfCsv(text: string): string[][] {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const lines: string[][] = [];
  let line: string[] = [];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const found = field.exec(text);
    if (found === null) throw new Error(`no CSV at ${at}: ${JSON.stringify(text.slice(at, at + 60))}`);
    const [, quoted, plain = "", end] = found;
    line.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    lines.push(line);
    line = [];
  }
  if (line.length > 0) throw new Error("the last line has no end");
  return lines;
}
