// The dialect that docs/iso8583.md describes: ISO 8583:1987, and a private field 48 of our own.

import type { Dialect } from "../codec/dialect.ts";
import { FIELDS } from "./fields.ts";
import { MESSAGE_TYPES } from "./message-types.ts";
import { TAGS } from "./tags.ts";

export const STANDARD: Dialect = {
  name: "ISO 8583:1987",
  digits: "ascii",
  bitmap: "binary",
  lengths: "as digits",
  fields: FIELDS,
  tags: TAGS,
  messageTypes: MESSAGE_TYPES,
};
