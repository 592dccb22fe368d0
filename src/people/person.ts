// A person: what it is made from, how it is kept, and how it is shown. No hash and no secret is ever shown.

import Type from "typebox";
import { flag, instant, orNull, rowReader, text, word } from "../journal/rows.ts";
import { GIVEN_ID } from "../merchants/given-id.ts";
import { Email, Name, nullable, Timestamp, timestamp, Uuid } from "../validation/fields.ts";
import { MUST_BE } from "../validation/problems.ts";
import { MAY_HOLD } from "../validation/stray-card-numbers.ts";
import { MERCHANT_ROLES, OPERATOR_ROLES, ROLES, type Role } from "./roles.ts";

const WHO = {
  name: { ...Name, examples: ["Jane Doe"] },
  email: { ...Email, description: "What the person signs in with; of nobody else." },
};

export const NewOperator = Type.Object(
  {
    ...GIVEN_ID,
    ...WHO,
    role: Type.Enum([...OPERATOR_ROLES], { description: "`operator_read` changes nothing.", examples: ["operator"] }),
  },
  { description: "What an operator is created from." },
);

const MerchantRole = Type.Enum([...MERCHANT_ROLES], {
  description:
    "`merchant_admin` sets up the own merchant, and charges; `clerk` charges and follows up; `viewer` only looks.",
  examples: ["clerk"],
});

export const NewPerson = Type.Object(
  { ...GIVEN_ID, ...WHO, role: MerchantRole },
  { description: "What a merchant's person is created from." },
);
export type NewPerson = Type.Static<typeof NewPerson> | Type.Static<typeof NewOperator>;

export const PersonChange = Type.Object(
  {
    name: Type.Optional(WHO.name),
    role: Type.Optional(
      Type.Enum([...ROLES], {
        description: "Operators stay operators, and merchants' people theirs.",
        examples: ["viewer"],
      }),
    ),
    locked: Type.Optional(
      Type.Boolean({ description: "Who is locked cannot sign in, and is signed out everywhere.", examples: [true] }),
    ),
  },
  { minProperties: 1, description: "What is named is changed." },
);
export type PersonChange = Type.Static<typeof PersonChange>;

export const Person = Type.Object({
  id: { ...Uuid, description: "Of a merchant's person also the `user_id` of its transactions." },
  merchant_id: nullable(Uuid, { description: "Null: an operator." }),
  role: Type.Enum([...ROLES]),
  name: Name,
  email: Email,
  locked: Type.Boolean(),
  second_factor: Type.Boolean({ description: "Whether a code is asked for at sign-in." }),
  must_change_password: Type.Boolean({
    description: "The password was set by somebody else, and is good for one sign-in.",
  }),
  created_at: Timestamp,
  last_signed_in_at: nullable(Timestamp, {}),
});
export type Person = Type.Static<typeof Person>;

/** The only answers that ever show a password. */
export const CreatedPerson = Type.Object({
  ...Person.properties,
  password: Type.String({ description: "For the first sign-in; shown this once." }),
});
export type CreatedPerson = Type.Static<typeof CreatedPerson>;

const LEAST = 12;
const MOST = 200;
/** One that a person chooses. */
export const ChosenPassword = Type.String({
  minLength: LEAST,
  maxLength: MOST,
  [MUST_BE]: `a password of ${LEAST} to ${MOST} characters`,
  [MAY_HOLD]: "anything",
});

/** "Jane@Example.com" and "jane@example.com" are one account. */
export const accountOf = (email: string): string => email.normalize("NFC").toLowerCase();

export interface PersonRow {
  readonly id: string;
  readonly merchant_id: string | null;
  readonly role: Role;
  readonly name: string;
  readonly email: string;
  readonly locked: boolean;
  readonly has_second_factor: boolean;
  readonly must_change_password: boolean;
  readonly created_at: Date;
  readonly last_signed_in_at: Date | null;
}

/** All but what is secret. */
export const PERSON_COLUMNS = `id, merchant_id, role, name, email, locked, second_factor is not null as has_second_factor,
  must_change_password, created_at, last_signed_in_at`;

export const personRow = rowReader<PersonRow>("people", {
  id: text,
  merchant_id: orNull(text),
  role: word(ROLES),
  name: text,
  email: text,
  locked: flag,
  has_second_factor: flag,
  must_change_password: flag,
  created_at: instant,
  last_signed_in_at: orNull(instant),
});

export const showPerson = ({ has_second_factor, created_at, last_signed_in_at, ...row }: PersonRow): Person => ({
  ...row,
  second_factor: has_second_factor,
  created_at: timestamp(created_at),
  last_signed_in_at: last_signed_in_at && timestamp(last_signed_in_at),
});
