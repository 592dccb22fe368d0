// The options that several commands share.

import { type Command, InvalidArgumentError } from "commander";
import { MOST_LISTED } from "../merchants/backoffice.ts";
import { isUuid } from "../uuid.ts";
import { progress } from "./print.ts";

export interface Output {
  readonly json?: true;
}

/** `faregate merchant`: commands on one kind of record. */
export const group = (faregate: Command, name: string, description: string): Command =>
  faregate.command(name).description(description).helpCommand(false);

/** A command with --json and an example. */
export const leaf = (parent: Command, usage: string, description: string, example: string): Command =>
  parent
    .command(usage)
    .description(description)
    .option("--json", "print JSON")
    .addHelpText("after", `\nExample:\n  $ ${example}`);

/** A command that lists: in parts of 1,000, oldest first. */
export const list = (parent: Command, description: string, example: string): Command =>
  leaf(parent, "list", description, example).option("--after <id>", "only records after this one", uuid);

export interface GivenId {
  readonly id?: string | undefined;
  readonly externalKey?: string | undefined;
}

/** For commands that create a record: to run one again changes nothing then. */
export const idOptions = (command: Command): Command =>
  command
    .option("--id <uuid>", "the record's id, one that no record has; by default a new one")
    .option(
      "--external-key <key>",
      "a key of your own in place of an id, such as northwind: the same key is the same record",
    );

export const idOf = ({ id, externalKey }: GivenId) => ({ id, external_key: externalKey });

/** The words for a record that the same command created before. */
export const HERE_ALREADY = "exists already, as it would have been created. Nothing was done.";

export interface Listed extends Output {
  readonly after?: string;
}

export const pageOf = ({ after }: Listed) => (after === undefined ? {} : { after });

/** Tells of a list that was cut off. */
export function tellOfMore(records: readonly { readonly id: string }[]): void {
  const last = records.at(-1);
  if (last !== undefined && records.length === MOST_LISTED)
    progress(`${MOST_LISTED} shown; there may be more. Continue with --after ${last.id}`);
}

/** What was given: an option that was not is not there, as in the HTTP API's JSON. */
export const stated = (options: object): unknown => JSON.parse(JSON.stringify(options));

/** "charge,read" */
export const commaList = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

export function uuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError("It must be a UUID.");
  return text;
}

/** In small letters: numbers are sealed for a merchant by its id as a text. */
export const ownId = (text: string): string => uuid(text).toLowerCase();

export function pageNumber(text: string): number {
  const page = Number(text);
  if (!/^\d{1,7}$/.test(text) || page < 1 || page > 1_000_000)
    throw new InvalidArgumentError("It must be a whole number from 1 to 1000000.");
  return page;
}

/** An option that is a time: `2030-05-15T14:30:00Z` */
export function timeOf(given: string): Date {
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(given)
    ? new Date(given)
    : undefined;
  if (at === undefined || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError("It must be a time like 2030-05-15T14:30:00Z.");
  return at;
}
