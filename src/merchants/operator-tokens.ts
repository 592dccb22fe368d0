// The operator's own tokens, for everything under /operator. Only the hash of a token's secret is kept.
import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { instant, orNull, rowReader, text } from "../journal/rows.ts";
import { isUuid } from "../uuid.ts";
import { Name, nullable, Timestamp, timestamp, Uuid } from "../validation/fields.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";
import { audited } from "./audit.ts";
import {
  type Author,
  type Backoffice,
  type Conflict,
  type Done,
  done,
  type Existed,
  type Invalid,
  invalid,
  limitOf,
  type Page,
  startOf,
  type Unknown,
  unknown,
} from "./backoffice.ts";
import { createdBefore, GIVEN_ID, idFor, problemsOfGivenId } from "./given-id.ts";
import { mintSecret } from "./token-secret.ts";

const NewOperatorToken = Type.Object(
  {
    ...GIVEN_ID,
    name: { ...Name, description: "Whose token it is: the audit log names its changes by it.", examples: ["Jane"] },
  },
  { description: "What an operator's token is created from." },
);
export type NewOperatorToken = Type.Static<typeof NewOperatorToken>;

const OperatorToken = Type.Object({
  id: Uuid,
  name: Name,
  created_at: Timestamp,
  revoked_at: nullable(Timestamp, {}),
});
export type OperatorToken = Type.Static<typeof OperatorToken>;
export type CreatedOperatorToken = OperatorToken & { readonly secret: string };

/** With an entry in the audit log. The secret shows this once: a token that was created before is shown without it. */
export async function createOperatorToken(
  office: Backoffice,
  author: Author,
  input: unknown,
): Promise<Done<CreatedOperatorToken> | Existed<OperatorToken> | Conflict | Invalid> {
  const problems = problemsOfGivenId(problemsOf(NewOperatorToken, input), input);
  if (!noProblems(problems)) return invalid(problems);
  const { name, ...given } = input as NewOperatorToken;
  const { secret, hash } = mintSecret("operator");
  const now = office.clock.now();
  const row = { id: idFor("operator token", null, given, now), name, created_at: now, revoked_at: null };
  return audited<Done<CreatedOperatorToken> | Existed<OperatorToken> | Conflict>(office, author, async (sql) => {
    const inserted = await sql`
      insert into operator_tokens ${sql({ ...row, secret_hash: hash })} on conflict (id) do nothing`;
    if (inserted.count === 0) {
      const [there] = await sql`select ${sql.unsafe(COLUMNS)} from operator_tokens where id = ${row.id}`;
      const wanted = { id: row.id, name, revoked_at: null };
      return { result: createdBefore("operator token", show(tokenRow(there ?? {})), wanted) };
    }
    const token = show(row);
    return {
      result: done({ ...token, secret }),
      entry: { action: "operator-token.create", subject: ["operator token", token.id], after: token },
    };
  });
}

/** Refused from now on, on every node within a second. A second time changes nothing. */
export async function revokeOperatorToken(
  office: Backoffice,
  author: Author,
  id: string,
): Promise<Done<OperatorToken> | Unknown> {
  if (!isUuid(id)) return unknown("operator token", id);
  return audited<Done<OperatorToken> | Unknown>(office, author, async (sql) => {
    const [found] = await sql`select ${sql.unsafe(COLUMNS)} from operator_tokens where id = ${id} for update`;
    if (found === undefined) return { result: unknown("operator token", id) };
    const row = tokenRow(found);
    const before = show(row);
    if (row.revoked_at !== null) return { result: done(before) };
    const revokedAt = office.clock.now();
    await sql`update operator_tokens set revoked_at = ${revokedAt} where id = ${id}`;
    const after = show({ ...row, revoked_at: revokedAt });
    return {
      result: done(after),
      entry: { action: "operator-token.revoke", subject: ["operator token", before.id], before, after },
    };
  });
}

/** Also those that are revoked. */
export async function listOperatorTokens(sql: Sql, page: Page = {}): Promise<OperatorToken[]> {
  const rows = await sql`
    select ${sql.unsafe(COLUMNS)} from operator_tokens where id > ${startOf(page)} order by id limit ${limitOf(page)}`;
  return rows.map((row) => show(tokenRow(row)));
}

/** All but the hash. */
const COLUMNS = "id, name, created_at, revoked_at";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

const tokenRow = rowReader<Row>("operator_tokens", {
  id: text,
  name: text,
  created_at: instant,
  revoked_at: orNull(instant),
});

const show = ({ created_at, revoked_at, ...rest }: Row): OperatorToken => ({
  ...rest,
  created_at: timestamp(created_at),
  revoked_at: revoked_at && timestamp(revoked_at),
});
