import assert from "node:assert/strict";
import { test } from "node:test";
import { isUuid, newId } from "./uuid.ts";

test("ids are of version 7, tell when they were made, and are never made twice", () => {
  const at = new Date("2031-05-01T12:00:00.123Z");
  const ids = Array.from({ length: 10_000 }, () => newId(at));
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(new Set(ids.map((id) => id.slice(14))).size, ids.length, "apart from the time, too");
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16), at.getTime(), id);
  }
});

test("a UUID is one in either case and of any version, and nothing else is", () => {
  for (const id of [newId(new Date()), newId(new Date()).toUpperCase(), "00000000-0000-0000-0000-000000000000"])
    assert.ok(isUuid(id), id);
  const id = newId(new Date());
  for (const text of ["", ` ${id}`, `${id}\n`, `{${id}}`, id.replaceAll("-", ""), `${id}0`, id.replace("-", "g")])
    assert.ok(!isUuid(text), text);
});
