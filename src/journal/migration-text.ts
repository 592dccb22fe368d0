// What a migration's file says: its statements, and whether they are carried out in one transaction or build indexes beside sales.

/** The first line of a migration whose indexes are built beside sales. */
const OUTSIDE = "-- Outside of a transaction";

/** Each built by itself, while everybody reads and writes. */
export interface NewIndex {
  readonly name: string;
  readonly statement: string;
}

const INDEX = /^\s*create (?:unique )?index concurrently if not exists ([a-z_][a-z0-9_]*) on /i;

/** Undefined: it is carried out in a transaction. @throws if something else is to be done outside of one */
export function indexesBesideSales(text: string): readonly NewIndex[] | undefined {
  if (!text.startsWith(OUTSIDE)) return undefined;
  return statementsOf(text).map((statement) => {
    const [, name] = INDEX.exec(statement) ?? [];
    if (name === undefined)
      throw new Error(
        `Outside of a transaction a migration has "create index concurrently if not exists … on …" and nothing else: ${statement.trim()}`,
      );
    return { name, statement };
  });
}

/** A function's body stays whole. */
export const statementsOf = (text: string): readonly string[] =>
  text.includes("$$")
    ? [text]
    : text
        .replaceAll(/^--.*$/gm, "")
        .split(/;\s*\n/)
        .map((part) => part.replace(/;\s*$/, ""))
        .filter((part) => part.trim() !== "");
