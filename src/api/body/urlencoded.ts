// `a=1&b=2` to its fields: the format of forms and of queries. As browsers read it, except that bytes which are no UTF-8 are
// refused, not replaced. https://url.spec.whatwg.org/#urlencoded-parsing

import { baseFault, RequestFault } from "../request-fault.ts";
import { MOST_VALUES, tooMany } from "./bounds.ts";
import { type Field, treeOfFields } from "./brackets.ts";
import { type BodyTree, emptyTree } from "./tree.ts";

export function fieldsOfUrlencoded(text: string, most = MOST_VALUES, beyond = tooMany): readonly Field[] {
  const fields: Field[] = [];
  const { length } = withoutLineEnd(text);
  for (let start = 0; start < length; ) {
    const found = text.indexOf("&", start);
    const end = found === -1 ? length : found;
    if (end > start) {
      if (fields.length === most) throw beyond();
      fields.push(fieldOf(text.slice(start, end)));
    }
    start = end + 1;
  }
  return fields;
}

function fieldOf(pair: string): Field {
  const equals = pair.indexOf("=");
  return equals === -1 ? [decode(pair), ""] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
}

/** Clients in the field end the body with a line end. Within a value it is always encoded. */
export function withoutLineEnd(text: string): string {
  let length = text.length;
  while (text[length - 1] === "\r" || text[length - 1] === "\n") length -= 1;
  return text.slice(0, length);
}

function decode(encoded: string): string {
  const spaced = encoded.includes("+") ? encoded.replaceAll("+", " ") : encoded;
  if (!spaced.includes("%")) return spaced;
  try {
    // A percent sign that encodes nothing stands for itself.
    return decodeURIComponent(spaced.replace(/%(?![0-9a-f]{2})/gi, "%25"));
  } catch {
    throw baseFault(400, "A name or value is not UTF-8 after percent-decoding.");
  }
}

/** A list has some thirty. 8,000 took milliseconds, and a query is read before it is known who asks for what. */
const MOST_PARAMETERS = 200;
const tooManyParameters = () => baseFault(400, `A query may have ${MOST_PARAMETERS} parameters.`);

const fault: unique symbol = Symbol("fault of the query");

/** Never throws: a query that is refused becomes an empty tree, and `queryFault` tells why. */
export function parseQuery(text: string): BodyTree {
  try {
    // Node hands on such bytes as Latin-1: what they meant cannot be known.
    if (/[^\0-\x7f]/.test(text)) throw baseFault(400, "The query has characters that must be percent-encoded.");
    return treeOfFields(fieldsOfUrlencoded(text, MOST_PARAMETERS, tooManyParameters));
  } catch (error) {
    const why = error instanceof RequestFault ? error : baseFault(400, "The query cannot be read.");
    return Object.assign(emptyTree(), { [fault]: why });
  }
}

/** Why the query was refused: to be thrown by whoever reads the tree. */
export function queryFault(tree: unknown): RequestFault | undefined {
  if (typeof tree !== "object" || tree === null) return undefined;
  return (tree as { readonly [fault]?: RequestFault })[fault];
}
