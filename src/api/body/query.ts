// The query of a URL to a tree, by the same code as an urlencoded body. For Fastify's `querystringParser`, which must
// never throw: an exception there ends the process.

import { baseFault, RequestFault } from "../request-fault.ts";
import { treeOfFields } from "./brackets.ts";
import { type BodyTree, emptyTree } from "./tree.ts";
import { fieldsOfUrlencoded } from "./urlencoded.ts";

const fault: unique symbol = Symbol("fault of the query");

/** Never throws: a query that is refused becomes an empty tree, and `queryFault` tells why. */
export function parseQuery(text: string): BodyTree {
  try {
    // Node hands on such bytes as Latin-1: what they meant cannot be known.
    if (/[^\0-\x7f]/.test(text)) throw baseFault(400, "The query has characters that must be percent-encoded.");
    return treeOfFields(fieldsOfUrlencoded(text));
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
