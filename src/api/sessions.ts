// Signing in and out in a browser, and what people do for themselves: /session. These paths are for a page of the gateway itself;
// programs use tokens.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject } from "typebox";
import type { Done, Invalid } from "../merchants/backoffice.ts";
import { changePassword, NewPassword, signOut } from "../people/own-account.ts";
import { type Ended, WithProof } from "../people/own-proof.ts";
import {
  confirmSecondFactor,
  dropSecondFactor,
  prepareSecondFactor,
  renewRecoveryCodes,
  WithCode,
} from "../people/own-second-factor.ts";
import type { PeopleOffice } from "../people/people.ts";
import { rightsOf } from "../people/roles.ts";
import { csrfTokenOf, IDLE_SECONDS, LONGEST_SECONDS, type Session } from "../people/sessions.ts";
import { SigningIn, signIn } from "../people/sign-in.ts";
import type { Wait } from "../people/tries.ts";
import type { LogLines } from "../shares/log-lines.ts";
import { networkOf } from "../shares/network.ts";
import type { SharedCounts } from "../shares/shared-counts.ts";
import { timestamp } from "../validation/fields.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";
import { addressOf, NO_SESSION } from "./callers.ts";
import type { NotedAttempts } from "./operator/attempts.ts";
import { actorOf, authorOf, inputOf } from "./operator/calls.ts";
import { baseFault, RequestFault } from "./request-fault.ts";
import { type BySession, mustBeComplete, sessionOf } from "./session-callers.ts";

/** From one network, right or wrong, at all nodes together. */
const MOST_SIGN_INS_A_MINUTE = 20;
/** None of them is in the OpenAPI document, which is for programs. */
const HIDDEN = { schema: { hide: true } as object, config: { mostBodyBytes: 16 * 1024 } };

export interface SessionParts extends BySession {
  readonly office: PeopleOffice;
  readonly attempts: NotedAttempts;
  /** Of sign-ins, by network. */
  readonly counts: SharedCounts;
  readonly lines: LogLines;
}

export function sessionRoutes(app: FastifyInstance, { office, attempts, counts, lines, ...by }: SessionParts): void {
  app.decorateRequest("session", null);
  app.decorateRequest("caller", null);
  takeOnlyJson(app);
  const { sessions, cookies } = by;

  const own = async (request: FastifyRequest): Promise<Session> => {
    const session = await sessionOf(request, by, addressOf(request));
    if (session === undefined) throw NO_SESSION;
    request.session = session;
    return session;
  };
  /** As it is now, under the secret that it has from now on. */
  const shown = async (request: FastifyRequest, reply: FastifyReply, secret: string, device?: string) => {
    const session = await sessions.find(secret, addressOf(request));
    if (session === undefined) throw NO_SESSION;
    cookies.set(reply, secret, device);
    return show(session, secret, office.mode);
  };
  const leave = (request: FastifyRequest) => sessions.forget(cookies.session(request) ?? "");

  app.post("/session", HIDDEN, async (request, reply) => {
    refuseOtherSites(request);
    const address = addressOf(request);
    const { nth, leftMs } = await counts.count(office.personKeys.idOf(networkOf(address)), MOST_SIGN_INS_A_MINUTE);
    if (nth > MOST_SIGN_INS_A_MINUTE) throw tooMany(Math.ceil(leftMs / 1_000));
    const input = checked(SigningIn, request, reply);
    const result = await signIn(office, input, { address, device: cookies.device(request) });
    switch (result.kind) {
      case "wait":
        throw tooMany(result.seconds);
      case "code-needed":
        throw CODE_NEEDED;
      case "refused": {
        const { wrong, personId } = result;
        const facts = { address, why: wrong, person: personId };
        lines.tell({ log: request.log, facts, text: "a sign-in was refused", known: personId });
        // Not waited for: how long the answer takes would tell whether there is such a person.
        void attempts.signInRefused(request, personId, wrong);
        throw WRONG[wrong];
      }
      case "signed-in":
        await endOlder(request);
        reply.code(201);
        return { session: await shown(request, reply, result.secret, result.device) };
    }
  });

  /** Whatever session the browser had: it has a new one. */
  async function endOlder(request: FastifyRequest): Promise<void> {
    const older = await sessions.find(cookies.session(request) ?? "", addressOf(request));
    if (older === undefined) return;
    await signOut(office, { actor: actorOf(older), source: addressOf(request) }, older, false);
    leave(request);
  }

  app.get("/session", HIDDEN, async (request) => {
    const session = await own(request);
    return { session: show(session, cookies.session(request) ?? "", office.mode) };
  });

  for (const [path, everywhere] of [
    ["/session", false],
    ["/sessions", true],
  ] as const)
    app.delete(path, HIDDEN, async (request, reply) => {
      const session = await own(request);
      await signOut(office, authorOf(request), session, everywhere);
      leave(request);
      cookies.clear(reply);
      return reply.code(204).send();
    });

  app.put("/session/password", HIDDEN, async (request, reply) => {
    const session = await own(request);
    const input = checked(NewPassword, request, reply);
    const { secret } = outcome(await changePassword(office, authorOf(request), session, input));
    leave(request);
    return { session: await shown(request, reply, secret) };
  });

  app.post("/session/second-factor", HIDDEN, async (request, reply) => {
    const session = await own(request);
    const proof = checked(WithProof, request, reply);
    return { second_factor: outcome(await prepareSecondFactor(office, session, proof)) };
  });

  app.put("/session/second-factor", HIDDEN, async (request, reply) => {
    const session = await own(request);
    const { code } = checked(WithCode, request, reply);
    const { secret, codes } = outcome(await confirmSecondFactor(office, authorOf(request), session, code));
    leave(request);
    return { session: await shown(request, reply, secret), recovery_codes: codes };
  });

  app.post("/session/second-factor/removal", HIDDEN, async (request, reply) => {
    const session = await own(request);
    mustBeComplete(session);
    const proof = checked(WithProof, request, reply);
    const { secret } = outcome(await dropSecondFactor(office, authorOf(request), session, proof));
    leave(request);
    return { session: await shown(request, reply, secret) };
  });

  app.post("/session/recovery-codes", HIDDEN, async (request, reply) => {
    const session = await own(request);
    mustBeComplete(session);
    const proof = checked(WithProof, request, reply);
    return { recovery_codes: outcome(await renewRecoveryCodes(office, authorOf(request), session, proof)) };
  });
}

const seconds = (instant: Date, more: number): Date => new Date(instant.getTime() + more * 1_000);

const show = (session: Session, secret: string, mode: string) => ({
  id: session.id,
  person: {
    id: session.personId,
    name: session.name,
    email: session.email,
    role: session.role,
    merchant_id: session.merchantId,
    second_factor: session.secondFactor,
  },
  rights: rightsOf(session.role),
  must: session.duty,
  mode,
  csrf_token: csrfTokenOf(secret),
  created_at: timestamp(session.createdAt),
  expires_at: timestamp(seconds(session.createdAt, LONGEST_SECONDS)),
  idle_seconds: IDLE_SECONDS,
});

const MEDIA_TYPE = new RequestFault(
  415,
  { base: ["Send JSON here, with Content-Type: application/json."] },
  undefined,
  "media-type",
);

/** A form of another site's page could be sent without asking; JSON could not (Fetch Standard, CORS-safelisted methods). */
function takeOnlyJson(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ headers, method }) => {
    const type = headers["content-type"];
    const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
    const needed = method !== "GET" && method !== "HEAD" && (hasBody || type !== undefined);
    if (needed && !/^application\/json\s*(;|$)/i.test(type ?? "")) throw MEDIA_TYPE;
  });
}

const FROM_ELSEWHERE = baseFault(403, "Sign in on the gateway's own page.", undefined, "missing-csrf-token");

/** Nobody is signed in by another site, as somebody else. Browsers say where a request comes from (Fetch Metadata). */
function refuseOtherSites({ headers }: FastifyRequest): void {
  const from = headers["sec-fetch-site"];
  if (from === "cross-site" || from === "same-site") throw FROM_ELSEWHERE;
}

function checked<S extends TObject>(schema: S, request: FastifyRequest, reply: FastifyReply): Static<S> {
  const input = inputOf(schema, request, reply);
  const problems = problemsOf(schema, input);
  if (!noProblems(problems)) throw new RequestFault(422, problems);
  return input as Static<S>;
}

function outcome<T>(result: Done<T> | Invalid | Wait | Ended): T {
  switch (result.kind) {
    case "done":
      return result.value;
    case "invalid":
      throw new RequestFault(422, result.problems);
    case "wait":
      throw tooMany(result.seconds);
    case "ended":
      throw NO_SESSION;
  }
}

const tooMany = (waitSeconds: number): RequestFault =>
  baseFault(
    429,
    `Too many tries. Try again in ${waitSeconds > 120 ? `${Math.ceil(waitSeconds / 60)} minutes` : `${waitSeconds} seconds`}.`,
    { "retry-after": String(waitSeconds) },
    "too-many-sign-ins",
  );

const notSignedIn = (messages: Readonly<Record<string, readonly string[]>>, help: string): RequestFault =>
  new RequestFault(401, messages, { "www-authenticate": "Bearer" }, help);

const CODE_NEEDED = notSignedIn({ code: ["is needed: the six digits of your authenticator app"] }, "code-needed");
const WRONG_CODE = "is wrong, or was used before";
const WRONG = {
  password: notSignedIn({ base: ["E-mail or password is wrong."] }, "wrong-sign-in"),
  code: notSignedIn({ code: [WRONG_CODE] }, "wrong-sign-in"),
  recovery_code: notSignedIn({ recovery_code: [WRONG_CODE] }, "wrong-sign-in"),
} as const;
