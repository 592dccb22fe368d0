// The operator's routes on people who sign in. A password is in the response that sets it, and in no other.

import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  changePerson,
  createOperator,
  createPerson,
  createPersonAsAdmin,
  findPerson,
  listPeople,
  type PeopleOffice,
  removeSecondFactor,
  resetPassword,
  signPersonOut,
} from "../../people/people.ts";
import { NewOperator, NewPerson, PersonChange } from "../../people/person.ts";
import { baseFault } from "../request-fault.ts";
import { authorOf, createdOf, found, inputOf, outcomeOf, pageOf } from "./calls.ts";
import { changes, creates, ends, lists, shows } from "./describe.ts";

type WithId = { Params: { id: string } };

const PEOPLE = ["people", "Person"] as const;
const PERSON = ["person", "Person"] as const;
const CREATED = ["person", "CreatedPerson"] as const;
const OWN = { ownRecord: "person" } as const;
const OF_MERCHANT = { ownRecord: "merchant" } as const;

/** Of operators and of a merchant's people: who there are, and new ones. */
export function peopleRoutes(app: FastifyInstance, office: PeopleOffice): void {
  const ofMerchant = "/merchants/:id/people";

  const create = creates(
    {
      summary: "Create a person of a merchant",
      description: "Who can sign in, and is a user of the merchant. The password is only in this response.",
      of: "merchant",
    },
    "PersonFields",
    CREATED,
    "Person",
  );
  app.post<WithId>(ofMerchant, { config: OF_MERCHANT, schema: create }, async (request, reply) => {
    const input = inputOf(NewPerson, request, reply);
    const { id } = request.params;
    const { session } = request;
    const result =
      session && session.merchantId !== null
        ? await createPersonAsAdmin(office, authorOf(request), id, input)
        : await createPerson(office, authorOf(request), id, input);
    if (result.kind === "wait") throw tooManyTaken(result.seconds);
    return { person: createdOf(result, reply) };
  });

  const list = lists({ summary: "List a merchant's people", of: "merchant" }, PEOPLE);
  app.get<WithId>(ofMerchant, { config: OF_MERCHANT, schema: list }, async (request) => ({
    people: found("merchant", await listPeople(office.sql, pageOf(request), request.params.id)),
  }));

  const createOne = creates(
    { summary: "Create an operator", description: "Who can sign in. The password is only in this response." },
    "OperatorFields",
    CREATED,
    "Person",
  );
  app.post("/people", { schema: createOne }, async (request, reply) => {
    const input = inputOf(NewOperator, request, reply);
    return { person: createdOf(await createOperator(office, authorOf(request), input), reply) };
  });

  const listAll = lists({ summary: "List everybody who can sign in" }, PEOPLE);
  app.get("/people", { schema: listAll }, async (request) => ({
    people: found("merchant", await listPeople(office.sql, pageOf(request))),
  }));
}

const tooManyTaken = (seconds: number) =>
  baseFault(429, `Too many e-mails that are taken. Try again in ${Math.ceil(seconds / 60)} minutes.`, {
    "retry-after": String(seconds),
  });

/** Of one person. */
export function personRoutes(app: FastifyInstance, office: PeopleOffice): void {
  const one = "/people/:id";

  const find = shows(
    { summary: "Look a person up", description: "Role, merchant, and whether it can sign in.", of: "person" },
    PERSON,
  );
  app.get<WithId>(one, { config: OWN, schema: find }, async ({ params }) => ({
    person: found("person", await findPerson(office.sql, params.id)),
  }));

  const change = changes(
    {
      summary: "Change or lock a person",
      description: "What is not named stays. Who is locked is signed out everywhere within a second.",
      of: "person",
    },
    "PersonChange",
    PERSON,
  );
  app.patch<WithId>(one, { config: OWN, schema: change }, async (request, reply) => {
    const input = inputOf(PersonChange, request, reply);
    return {
      person: outcomeOf(await changePerson(office, authorOf(request), request.params.id, input, askerOf(request))),
    };
  });

  const reset = shows(
    {
      summary: "Give a person a new password",
      description:
        "For one sign-in, and only in this response. The person is signed out, and waits no longer for tries.",
      of: "person",
    },
    CREATED,
  );
  app.post<WithId>(`${one}/password`, { config: OWN, schema: reset }, async (request) => ({
    person: outcomeOf(await resetPassword(office, authorOf(request), request.params.id, askerOf(request))),
  }));

  const signOut = ends({
    summary: "Sign a person out everywhere",
    description: "All sessions end within a second; the password stays.",
    of: "person",
  });
  app.post<WithId>(`${one}/sign-out`, { config: OWN, schema: signOut }, async (request, reply) => {
    outcomeOf(await signPersonOut(office, authorOf(request), request.params.id));
    return reply.code(204).send();
  });

  const remove = ends({
    summary: "Remove a person's second factor",
    description: "For who lost it. The person is signed out everywhere.",
    of: "person",
  });
  app.delete<WithId>(`${one}/second-factor`, { config: OWN, schema: remove }, async (request, reply) => {
    outcomeOf(await removeSecondFactor(office, authorOf(request), request.params.id, askerOf(request)));
    return reply.code(204).send();
  });
}

/** Undefined: a token. */
const askerOf = ({ session }: FastifyRequest): string | undefined => session?.personId;
