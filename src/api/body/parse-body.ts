// A whole body to a plain tree, from whichever of the three formats its headers name. The schema decides what the
// tree means.

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { baseFault, RequestFault } from "../request-fault.ts";
import { mentionsAmount } from "./amount-in-text.ts";
import { AIRLINE_FIELD, PLAIN_BODY_BYTES, tooLarge } from "./bounds.ts";
import { treeOfFields } from "./brackets.ts";
import { readJsonObject } from "./json.ts";
import { type BodyFormat, formatOf } from "./media-type.ts";
import { mislabeled, unlikeForm } from "./mislabeled.ts";
import { readMultipart } from "./multipart.ts";
import { type BodyTree, emptyTree, isEmpty } from "./tree.ts";
import { fieldsOfUrlencoded, withoutLineEnd } from "./urlencoded.ts";

/** A list without anything: what PHP makes of an array without anything (decision R2). */
const EMPTY_LIST = /^\s*\[\s*\]\s*$/;
const LONGEST_EMPTY_LIST = 100;

/**
 * A `RequestFault` of 400, 413 or 415 if the body cannot be read.
 * @param ofFollowUp whether `[]` in JSON is an empty body, and an absent amount means all that remains
 */
export function parseBody(bytes: Buffer, headers: IncomingHttpHeaders, ofFollowUp = false): BodyTree {
  // Without a body its format does not matter.
  if (bytes.length === 0) return emptyTree();
  if (ofFollowUp && bytes.length <= LONGEST_EMPTY_LIST && isEmptyList(bytes, headers)) return emptyTree();
  const format = formatOf(headers);
  const { tree, around = "" } = parseAs(format, bytes);
  if (ofFollowUp && isEmpty(tree.amount)) {
    if (format.kind === "urlencoded") refuse(unlikeForm(withoutLineEnd(textOf(bytes))));
    if (mentionsAmount(around)) throw new RequestFault(422, { amount: [OUTSIDE] });
  }
  if (bytes.length > PLAIN_BODY_BYTES && !hasAirlineData(tree)) throw tooLarge();
  return tree;
}

const OUTSIDE =
  "is missing, but the text before the first boundary or after the last one has an amount: send it as a part";

const isEmptyList = (bytes: Buffer, headers: IncomingHttpHeaders): boolean =>
  EMPTY_LIST.test(bytes.toString("latin1")) && formatOf(headers).kind === "json";

interface Read {
  readonly tree: BodyTree;
  /** What a multipart body has outside of its parts. */
  readonly around?: string;
}

function parseAs(format: BodyFormat, bytes: Buffer): Read {
  switch (format.kind) {
    case "json":
      return orMislabeled(format, bytes, () => ({ tree: readJsonObject(textOf(bytes)) }));
    case "urlencoded": {
      const text = textOf(bytes);
      refuse(mislabeled("urlencoded", text));
      return { tree: treeOfFields(fieldsOfUrlencoded(text)) };
    }
    case "multipart":
      return orMislabeled(format, bytes, () => {
        const { fields, around } = readMultipart(bytes, format.boundary);
        return { tree: treeOfFields(fields), around };
      });
  }
}

/** What cannot be read as the format that it is said to be may be another. */
function orMislabeled({ kind }: BodyFormat, bytes: Buffer, read: () => Read): Read {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof RequestFault && fault.status === 400 && isUtf8(bytes)) refuse(mislabeled(kind, textOf(bytes)));
    throw fault;
  }
}

function refuse(fault: RequestFault | undefined): void {
  if (fault !== undefined) throw fault;
}

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
