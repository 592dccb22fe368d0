// The commands of docs/backups.md, as the drill runs them: what the page shows is what was tried. Only places and passwords are others.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(import.meta.dirname, "../../docs/backups.md");

interface Block {
  /** `sh`, `ini` */
  readonly language: string;
  readonly text: string;
}

/** All blocks of the page, in its order, without the indentation of a list. */
function blocksOfPage(): readonly Block[] {
  const page = readFileSync(PAGE, "utf8");
  return [...page.matchAll(/^( *)```(\w+)[^\n]*\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = "", language = "", text = ""]) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
}

/** The one block that has these words. @throws unless there is one */
export function blockWith(words: string): string {
  const found = blocksOfPage().filter(({ text }) => text.includes(words));
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of docs/backups.md have ${words}`);
  return block.text;
}
