// The fields of a form or a query, flat as they arrive, to a tree: `passenger_transport[0][legs][1][fare]` nests.
// One path for every format that has flat names. qs was tried: what it does with ten thousand list items is quadratic
// (64 s for one hostile body of 1 MiB), and it drops part of a name like `a[b]c`.

import { baseFault, type RequestFault } from "../request-fault.ts";
import { AIRLINE_FIELD, boundValues, forbiddenKey, MAX_BRANCHES, MAX_DEPTH, tooDeep, tooMany } from "./bounds.ts";
import type { JsonRead } from "./json.ts";
import { type BodyTree, type BodyValue, isBodyTree } from "./tree.ts";

/** What a form says is JSON: the value of a part with that Content-Type. */
export class JsonPart {
  readonly read: JsonRead;

  constructor(read: JsonRead) {
    this.read = read;
  }
}

type Leaf = string | JsonPart;
export type Field = readonly [name: string, value: Leaf];

/** Several leaves: the same name was sent several times. */
type Child = Leaf | Leaf[] | Branch;

interface Branch {
  readonly children: Map<string, Child>;
  /** How many of the children have a whole number for a name. */
  indexes: number;
  /** One more than the highest of them. */
  nextIndex: number;
}

/**
 * Names `0` to `n`, without a gap and in any order, make a list, and so does `[]`; any other names an object. So a
 * sparse list takes no room and loses no name: it is an object, which the schema refuses where it wants a list.
 * A name that was sent twice becomes a list of what was sent.
 */
export function treeOfFields(fields: readonly Field[]): BodyTree {
  boundValues(countValues(fields), () => countValues(fields.filter(isAirline)));
  const root = newBranch();
  let branches = 1;
  for (const [name, value] of fields) {
    let branch = root;
    const path = pathOf(name);
    for (let level = 0; level < path.length - 1; level += 1) {
      const key = keyIn(branch, path[level] ?? "", level);
      let child = branch.children.get(key);
      if (child === undefined) {
        branches += 1;
        if (branches > MAX_BRANCHES) throw tooMany();
        child = newBranch();
        add(branch, key, child);
      } else if (isLeaf(child) || Array.isArray(child)) throw twoKinds();
      branch = child;
    }
    place(branch, keyIn(branch, path.at(-1) ?? "", path.length - 1), value);
  }
  return objectOf(root);
}

const isAirline = ([name]: Field): boolean => name === AIRLINE_FIELD || name.startsWith(`${AIRLINE_FIELD}[`);
const isLeaf = (child: Child): child is Leaf => typeof child === "string" || child instanceof JsonPart;

const countValues = (fields: readonly Field[]): number =>
  fields.reduce((count, [, value]) => count + (typeof value === "string" ? 1 : value.read.values), 0);

/** `a[b][]` is `a`, `b` and an empty text. */
function pathOf(name: string): readonly string[] {
  const open = name.indexOf("[");
  const first = open === -1 ? name : name.slice(0, open);
  if (first.includes("]") || open === 0) throw unmatched();
  const path = [first];
  for (let at = open; at !== -1 && at < name.length; ) {
    const close = name.indexOf("]", at);
    if (name[at] !== "[" || close === -1) throw unmatched();
    const key = name.slice(at + 1, close);
    if (key.includes("[")) throw unmatched();
    path.push(key);
    if (path.length > MAX_DEPTH) throw tooDeep();
    at = close + 1;
  }
  if (path.includes("__proto__")) throw forbiddenKey();
  // As the last of the path it is a field like any other, which holds none.
  const holder = path.findIndex((key) => key === "constructor" || key === "prototype");
  if (holder !== -1 && holder < path.length - 1) throw forbiddenKey();
  return path;
}

/** An empty pair of brackets means the next item. A field without any name keeps its empty one, as in JSON. */
function keyIn(branch: Branch, key: string, level: number): string {
  return key === "" && level > 0 ? String(branch.nextIndex) : key;
}

function place(branch: Branch, key: string, value: Leaf): void {
  const before = branch.children.get(key);
  if (before === undefined) add(branch, key, isOneOfList(key, value) ? [value] : value);
  else if (isLeaf(before)) branch.children.set(key, [before, value]);
  else if (Array.isArray(before)) before.push(value);
  else throw twoKinds();
}

/** A list in a form is a part for each of its items, all of the same name (OpenAPI 3.1, 4.8.15): there may be one only. */
const isOneOfList = (key: string, value: Leaf): boolean =>
  key === AIRLINE_FIELD && value instanceof JsonPart && isBodyTree(value.read.value);

function add(branch: Branch, key: string, child: Child): void {
  branch.children.set(key, child);
  if (!/^(?:0|[1-9]\d{0,8})$/.test(key)) return;
  branch.indexes += 1;
  branch.nextIndex = Math.max(branch.nextIndex, Number(key) + 1);
}

function newBranch(): Branch {
  return { children: new Map(), indexes: 0, nextIndex: 0 };
}

// At most MAX_DEPTH levels deep, by way of pathOf.
function valueIn(child: Child): BodyValue {
  if (typeof child === "string") return child;
  if (child instanceof JsonPart) return child.read.value;
  if (Array.isArray(child)) return child.map(valueIn);
  const { children, indexes, nextIndex } = child;
  if (indexes !== children.size || nextIndex !== indexes) return objectOf(child);
  return Array.from({ length: nextIndex }, (_, index) => valueIn(children.get(String(index)) ?? ""));
}

function objectOf(branch: Branch): BodyTree {
  const tree: Record<string, BodyValue> = Object.create(null);
  for (const [key, child] of branch.children) tree[key] = valueIn(child);
  return tree;
}

function unmatched(): RequestFault {
  return baseFault(400, "The brackets in a field's name do not match; they nest like this: a[0][b].");
}

function twoKinds(): RequestFault {
  return baseFault(400, "A field was sent both with a value of its own (a=1) and with fields in it (a[b]=1).");
}
