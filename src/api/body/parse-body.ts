// A whole body to a plain tree, from whichever of the three formats its headers name. The schema decides what the
// tree means.

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { baseFault } from "../request-fault.ts";
import { AIRLINE_FIELD, PLAIN_BODY_BYTES, tooLarge } from "./bounds.ts";
import { treeOfFields } from "./brackets.ts";
import { readJsonObject } from "./json.ts";
import { type BodyFormat, formatOf } from "./media-type.ts";
import { fieldsOfMultipart } from "./multipart.ts";
import { type BodyTree, emptyTree } from "./tree.ts";
import { fieldsOfUrlencoded } from "./urlencoded.ts";

/** A list without anything: what PHP makes of an array without anything (decision R2). */
const EMPTY_LIST = /^\s*\[\s*\]\s*$/;
const LONGEST_EMPTY_LIST = 100;

/**
 * A `RequestFault` of 400, 413 or 415 if the body cannot be read.
 * @param mayBeList whether `[]` in JSON is an empty body
 */
export function parseBody(bytes: Buffer, headers: IncomingHttpHeaders, mayBeList = false): BodyTree {
  // Without a body its format does not matter.
  if (bytes.length === 0) return emptyTree();
  if (mayBeList && bytes.length <= LONGEST_EMPTY_LIST && isEmptyList(bytes, headers)) return emptyTree();
  const tree = parseAs(formatOf(headers), bytes);
  if (bytes.length > PLAIN_BODY_BYTES && !hasAirlineData(tree)) throw tooLarge();
  return tree;
}

const isEmptyList = (bytes: Buffer, headers: IncomingHttpHeaders): boolean =>
  EMPTY_LIST.test(bytes.toString("latin1")) && formatOf(headers).kind === "json";

function parseAs(format: BodyFormat, bytes: Buffer): BodyTree {
  switch (format.kind) {
    case "json":
      return readJsonObject(textOf(bytes));
    case "urlencoded":
      return treeOfFields(fieldsOfUrlencoded(notJson(textOf(bytes))));
    case "multipart":
      return treeOfFields(fieldsOfMultipart(bytes, format.boundary));
  }
}

/** No form begins like this: whoever makes one encodes quotes in the name of a field, and no name begins with a bracket. */
const BEGINS_AS_JSON = /^\s*(?:\{\s*["}]|\[\s*[\]{"])/;

/** Read as a form it would be one long name, and every field would be missing. */
function notJson(text: string): string {
  if (!BEGINS_AS_JSON.test(text.slice(0, MOST_BEFORE_JSON))) return text;
  const said = "Content-Type says application/x-www-form-urlencoded";
  throw baseFault(415, `The body is JSON, but its ${said}. Send Content-Type: application/json.`, {}, "json-as-form");
}

const MOST_BEFORE_JSON = 100;

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw baseFault(400, "The body is not UTF-8.");
  const text = bytes.toString("utf8");
  // A byte order mark: RFC 8259, section 8.1 lets us ignore it.
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function hasAirlineData(tree: BodyTree): boolean {
  const passengers = tree[AIRLINE_FIELD];
  return typeof passengers === "object" && passengers !== null;
}
