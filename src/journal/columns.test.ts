import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Column, commonOf, formOf, inputOf, read } from "./columns.ts";

interface Row {
  readonly id: string;
  readonly shop?: string;
  readonly user?: string;
  readonly at?: Date;
  readonly phone?: string;
  readonly note?: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: "id", type: "uuid", value: ({ id }) => id },
  { name: "shop", type: "text", value: ({ shop = null }) => shop, alike: "shop" },
  { name: "user", type: "text", value: ({ user = null }) => user, alike: "shop" },
  { name: "at", type: "timestamptz", value: ({ at = null }) => at, alike: "time" },
  { name: "phone", type: "text", value: ({ phone = null }) => phone, seldom: "phone" },
];

const selected = (...rows: readonly Row[]): string =>
  inputOf(COLUMNS, formOf(rows), commonOf(COLUMNS, read(rows))).select;
const at = (): Date => new Date("2031-05-01T12:00:00Z");

describe("columns of a group", () => {
  test("are sent once if all rows say the same in each column of the same word, and left out if no row says anything", () => {
    assert.equal(
      selected({ id: "1", shop: "a", at: at() }, { id: "2", shop: "a", at: at() }),
      "select unnest($1::uuid[]) as id, $2::text as shop, $3::text as user, $4::timestamptz as at, null::text as phone",
    );
    assert.equal(
      selected({ id: "1", shop: "a", phone: "1" }, { id: "2", shop: "a", user: "b", at: at() }),
      "select unnest($1::uuid[]) as id, unnest($2::text[]) as shop, unnest($3::text[]) as user, unnest($4::timestamptz[]) as at, unnest($5::text[]) as phone",
    );
  });

  test("of long texts are sent as one, unless one of them is empty or has what parts them", () => {
    const notes: readonly Column<Row>[] = [
      { name: "note", type: "text", value: ({ note = null }) => note, long: true },
    ];
    const sentOf = (...rows: readonly Row[]) => inputOf(notes, formOf(rows), commonOf(notes, read(rows))).select;
    const joined = "select unnest(string_to_array($1::text, chr(31), '')) as note";
    const array = "select unnest($1::text[]) as note";
    const row = (note: string) => ({ id: "1", note });
    assert.equal(sentOf(row('{"a": 1}'), row("b"), { id: "2" }), joined);
    assert.equal(sentOf(row("a"), row("")), array);
    assert.equal(sentOf(row("a\u001fb"), row("c")), array);
    assert.equal(sentOf(row("a\u001eb"), row("c")), joined);
  });

  test("of one row are its values", () => {
    assert.equal(
      selected({ id: "1" }),
      "select $1::uuid as id, $2::text as shop, $3::text as user, $4::timestamptz as at, $5::text as phone",
    );
  });
});
