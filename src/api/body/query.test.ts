import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ANY_CHARACTER } from "../../../test/fixtures/any-character.ts";
import { parseQuery, queryFault } from "./urlencoded.ts";

test("a query becomes a tree", () => {
  const tree = parseQuery("search[zip]=95030&page=2&search[city]=Los+Gatos&search[first_name]=J%C3%BCrgen");
  assert.deepEqual(JSON.parse(JSON.stringify(tree)), {
    search: { zip: "95030", city: "Los Gatos", first_name: "Jürgen" },
    page: "2",
  });
  assert.equal(queryFault(tree), undefined);
  assert.deepEqual([Object.keys(parseQuery("")), queryFault(parseQuery(""))], [[], undefined]);
});

test("a query that is refused is an empty tree that tells why", () => {
  const refused: [query: string, status: number, because: RegExp][] = [
    ["__proto__[x]=1", 400, /__proto__/],
    [`a${"[0]".repeat(5_000)}=1`, 400, /32 levels/],
    ["a=1&".repeat(201), 400, /200 parameters/],
    ["search[zip=1", 400, /do not match/],
    ["a=%FF", 400, /UTF-8/],
    ["search[city]=ZÃ¼rich", 400, /percent-encoded/],
  ];
  for (const [query, status, because] of refused) {
    const tree = parseQuery(query);
    const fault = queryFault(tree);
    assert.deepEqual([Object.keys(tree), JSON.stringify(tree), fault?.status], [[], "{}", status]);
    assert.match(fault?.message ?? "", because);
  }
});

test("a query may have two hundred parameters", () => {
  assert.equal(queryFault(parseQuery("a=1&".repeat(200))), undefined);
});

test("no text makes it throw", () => {
  const pieces = fc.array(
    fc.oneof(
      fc.string({ unit: ANY_CHARACTER }),
      fc.constantFrom("[", "]", "=", "&", "%", "__proto__", "[]", "a", "0", "+", "%FF"),
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(pieces, (texts) => assert.ok(parseQuery(texts.join("")))),
    { numRuns: 2_000 },
  );
});

test("nothing but a refused query has a fault", () => {
  for (const value of [undefined, null, "a=1", {}, { fault: 1 }]) assert.equal(queryFault(value), undefined);
});
