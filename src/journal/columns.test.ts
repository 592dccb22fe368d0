import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Column, commonOf, formOf, inputOf, read } from "./columns.ts";

interface Row {
  readonly id: string;
  readonly shop?: string;
  readonly user?: string;
  readonly at?: Date;
  readonly phone?: string;
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

  test("of one row are its values", () => {
    assert.equal(
      selected({ id: "1" }),
      "select $1::uuid as id, $2::text as shop, $3::text as user, $4::timestamptz as at, $5::text as phone",
    );
  });
});
