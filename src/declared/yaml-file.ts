// A YAML text as a plain tree in which each value has a place, by line and column. YAML 1.2 alone: `no` and 012 are what they look like.
// Aliases are taken, within bounds.

import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseDocument, visit } from "yaml";
import { shownName } from "../validation/stray-card-numbers.ts";

/** Counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Problem extends Place {
  /** Dotted: `merchants.0.name`; "" is the file. */
  readonly path: string;
  /** "must be …". Values never show. */
  readonly text: string;
}

export interface YamlFile {
  readonly tree: unknown;
  /** Of the value at this path, or of what is nearest around it. */
  placeOf(path: string): Place;
  /** Of a name, rather than of its value. */
  placeOfName(path: string): Place;
}

/** More than 10,000 records with all their fields; an alias counts as often as it is used. */
const MOST_VALUES = 200_000;
const DEEPEST = 32;
const MOST_PROBLEMS = 100;

/** All that is wrong with the text as YAML. */
export class NotYaml extends Error {
  override readonly name = "NotYaml";
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super("the file is not YAML");
    this.problems = problems;
  }
}

/** @throws NotYaml */
export function readYaml(text: string): YamlFile {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const refuse = (offset: number, path: string, said: string): never => {
    throw new NotYaml([{ ...at(offset), path, text: said }]);
  };
  const tooDeep = () => refuse(0, "", `is nested too deeply: ${DEEPEST} levels at most`);
  const document = parsed(text, lines, tooDeep);
  const wrong = [...document.errors, ...document.warnings].slice(0, MOST_PROBLEMS);
  if (wrong.length > 0)
    throw new NotYaml(wrong.map(({ pos, code }) => ({ ...at(pos[0]), path: "", text: WORDS[code] ?? "is not YAML" })));
  if (document.directives?.yaml.explicit && document.directives.yaml.version !== "1.2")
    refuse(0, "", "must be YAML 1.2: take the %YAML line away");

  const meantBy = aliasesIn(document);
  const [values, names] = [new Map<string, number>(), new Map<string, number>()];
  let counted = 0;
  const plain = (node: Node | null, path: string, depth: number, from: number): unknown => {
    const offset = node?.range?.[0] ?? from;
    if (!values.has(path)) values.set(path, offset);
    if (++counted > MOST_VALUES) refuse(offset, path, `has more than ${MOST_VALUES} values: split the file`);
    if (depth > DEEPEST) refuse(offset, path, `is nested too deeply: ${DEEPEST} levels at most`);
    const inner = (name: string) => (path === "" ? name : `${path}.${name}`);
    if (isAlias(node)) {
      const meant = meantBy.get(node);
      if (meant === undefined)
        return refuse(offset, path, "is an alias (*) of nothing before it: put it in quotes, or name an anchor (&)");
      return plain(meant, path, depth + 1, offset);
    }
    if (isSeq(node))
      return node.items.map((item, index) => plain(item as Node, inner(String(index)), depth + 1, offset));
    if (isMap(node)) {
      const tree: Record<string, unknown> = {};
      for (const { key, value } of node.items) {
        const nameAt = (key as Node | null)?.range?.[0] ?? offset;
        if (!isScalar(key) || typeof key.value !== "string" || key.value === "__proto__")
          return refuse(nameAt, path, "has a name that is no text");
        if (key.value === "<<")
          return refuse(nameAt, path, "has a merge key (<<), which is not YAML 1.2: use aliases of lists and objects");
        const at = inner(shownName(key.value));
        names.set(at, nameAt);
        tree[key.value] = plain(value as Node | null, at, depth + 1, nameAt);
      }
      return tree;
    }
    if (!isScalar(node)) return null;
    return node.value ?? null;
  };
  const nearest = (places: ReadonlyMap<string, number>, path: string): number => {
    for (let look = path; ; look = look.slice(0, look.lastIndexOf("."))) {
      const found = places.get(look) ?? values.get(look);
      if (found !== undefined) return found;
      if (!look.includes(".")) return values.get("") ?? 0;
    }
  };
  const tree = plain(document.contents, "", 0, 0);
  return {
    tree,
    placeOf: (path) => at(nearest(values, path)),
    placeOfName: (path) => at(nearest(names, path)),
  };
}

/** By the alias, the node that had the anchor last: the library looks through the whole text for each. */
function aliasesIn(document: ReturnType<typeof parsed>): ReadonlyMap<Node, Node> {
  const [anchors, found] = [new Map<string, Node>(), new Map<Node, Node>()];
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        const meant = anchors.get(node.source);
        if (meant !== undefined) found.set(node, meant);
      } else if ("anchor" in node && node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return found;
}

function parsed(text: string, lineCounter: LineCounter, tooDeep: () => never) {
  try {
    return parseDocument<ParsedNode>(text, {
      version: "1.2",
      schema: "core",
      strict: true,
      uniqueKeys: true,
      merge: false,
      prettyErrors: false,
      lineCounter,
    });
  } catch (fault) {
    // The parser goes as deep as the text.
    if (fault instanceof RangeError) return tooDeep();
    throw fault;
  }
}

/** The parser's own messages show a piece of the text, which may be a secret. */
const WORDS: Readonly<Partial<Record<string, string>>> = {
  ALIAS_PROPS: "is an alias with an anchor or tag of its own",
  BAD_ALIAS: "is not the name of an alias",
  BAD_DIRECTIVE: "is not a directive that is known",
  BAD_DQ_ESCAPE: "has an escape (\\…) that is none in double quotes",
  BAD_INDENT: "is not indented like what is around it",
  BAD_PROP_ORDER: "has an anchor or tag in the wrong place",
  BAD_SCALAR_START: "begins with a character that a text without quotes may not begin with: put it in quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "is not indented like what is around it, or has a colon too much: put texts with colons in quotes",
  BLOCK_IN_FLOW: "is a block inside of brackets or braces",
  DUPLICATE_KEY: "has a name that was there already in the same object",
  IMPOSSIBLE: "is not YAML",
  KEY_OVER_1024_CHARS: "has a name of more than 1024 characters",
  MISSING_CHAR: "lacks a character here, such as a closing quote, bracket, or a blank after a colon",
  MULTILINE_IMPLICIT_KEY: "has a name of several lines: a colon or a quote may be missing",
  MULTIPLE_ANCHORS: "has more than one anchor",
  MULTIPLE_DOCS: "has more than one document: one file is one state",
  MULTIPLE_TAGS: "has more than one tag",
  NON_STRING_KEY: "has a name that is no text",
  TAB_AS_INDENT: "is indented by a tab: use blanks",
  TAG_RESOLVE_FAILED: "has a tag that is not known here: leave it out",
  UNEXPECTED_TOKEN: "has something here that does not belong: put texts with special characters in quotes",
};
