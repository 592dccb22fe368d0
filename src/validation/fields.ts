// The fields that the inputs and responses of several records share, as schemas: they check what comes in and stand in
// the OpenAPI document.
import Type, { type TSchema, type TSchemaOptions } from "typebox";
import { MUST_BE } from "./problems.ts";

/** Control characters, what begins a line or turns its direction, and what shows as nothing: two names could look the same. */
export const UNREADABLE = "\\x00-\\x1f\\x7f-\\x9f\\u200b-\\u200d\\u2028-\\u202e\\u2060\\u2066-\\u2069\\u2800\\ufeff";

/** Anything that a person can read: none of those (PostgreSQL keeps no U+0000), no blanks alone. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: `^[^${UNREADABLE}]*[^\\s${UNREADABLE}][^${UNREADABLE}]*$`,
  [MUST_BE]: "a text of 1 to 255 characters, without control or invisible characters",
  examples: ["Northwind Air"],
});

export const Email = Type.String({
  format: "email",
  maxLength: 255,
  [MUST_BE]: "an e-mail address like jane@example.com",
  examples: ["jane@example.com"],
});

/** Decision A13: version 7. What is sent may be any version: it is looked up. */
export const Uuid = Type.String({ format: "uuid", examples: ["0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77"] });

/** Decision A7. */
export const Timestamp = Type.String({ format: "date-time", examples: ["2026-02-16T16:33:40+00:00"] });

/** As all responses write an instant (decision A7). */
export const timestamp = (instant: Date): string => `${instant.toISOString().slice(0, 19)}+00:00`;

/** The schema, or null. */
export const nullable = <T extends TSchema>(schema: T, options: TSchemaOptions) =>
  Type.Union([schema, Type.Null()], options);
