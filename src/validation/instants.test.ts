import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { dateOf } from "./instants.ts";

describe("an instant of a query is in UTC, to the second, in the tables' form or as a response may show it", () => {
  for (const text of [
    "2031-05-31 14:30:00",
    "2031-05-31T14:30:00Z",
    "2031-05-31T14:30:00+00:00",
    "2031-05-31T14:30:00 00:00",
    "2031-05-31T14:30:00+0000",
    "2031-05-31T14:30:00 0000",
  ])
    test(text, () => assert.equal(dateOf(text)?.toISOString(), "2031-05-31T14:30:00.000Z"));

  for (const text of [
    "2031-05-31T14:30:00",
    "2031-05-31 14:30:00Z",
    "2031-05-31T14:30:00+01:00",
    "2031-05-31T14:30:00-00:00",
    "2031-05-31T14:30:00+00",
    "2031-05-31T14:30:00+000",
    "2031-05-31T14:30:00.000Z",
    "2031-02-30 00:00:00",
    "2031-05-31 24:00:00",
    "2031-05-31",
    "",
  ])
    test(`"${text}" is none`, () => assert.equal(dateOf(text), undefined));
});
