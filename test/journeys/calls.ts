// How each operation of the document can be called so that it works, and so that it fails in every documented way. What
// is general follows from the document; what an operation needs of its own stands here.

import type { Answer, Request, startTestGateway } from "./gateway.ts";
import { keptRun } from "./kept-run.fixture.ts";
import type { Operation } from "./published.ts";

export type Gateway = Awaited<ReturnType<typeof startTestGateway>>;
type Json = Readonly<Record<string, unknown>>;

const NOBODY = "00000000-0000-7000-8000-000000000000";
const SCOPES = ["charge", "follow_up", "read", "cards"];

export const isOperators = ({ security }: Operation): boolean => security?.[0]?.operatorToken !== undefined;
/** `security: []` is everyone; without any, the document's own holds: an API token. */
const isOpen = ({ security }: Operation): boolean => security?.length === 0;
export const isMerchants = (operation: Operation): boolean => !isOpen(operation) && !isOperators(operation);

export const examplesOf = ({ requestBody }: Operation): [string, Json][] =>
  Object.entries(requestBody?.content["application/json"]?.examples ?? {}).map(([name, { value }]) => [name, value]);

export function callsOf(gateway: Gateway) {
  const { sandbox } = gateway;
  const merchant = `/operator/merchants/${sandbox.merchant_id}`;

  const made = async (path: string, name: string, json: Json): Promise<{ id: string; secret: string }> => {
    const answer = await gateway.operator("POST", `${merchant}/${path}`, json);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body[name];
  };
  const token = (over: Json = {}) => made("tokens", "token", { user_id: sandbox.user_id, scopes: SCOPES, ...over });
  const processor = async (settings: Json = {}): Promise<string> =>
    (await made("processors", "processor", { name: "Test", kind: "simulator", currency: "USD", settings })).id;

  const person = async (): Promise<string> =>
    (await made("people", "person", { name: "Test", email: `${crypto.randomUUID()}@example.com`, role: "clerk" })).id;

  const CHARGE = {
    ...{ amount: "3.56", card_number: "4111111111111111", card_expiry_month: "12", card_expiry_year: "2039" },
    ...{ merchant_transaction_id: "order", ip_address: "203.0.113.7" },
  };
  const charged = async (type: "sale" | "auth", over: Json = {}) => {
    const answer = await gateway.post(`/api/transactions/${type}`, { ...CHARGE, ...over });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.transaction as { id: string; passengers?: { id: string }[] };
  };
  /** What can be refunded is captured; what can be captured, voided or reversed is authorized. */
  const typeFor = ({ path }: Operation) => (path.endsWith("/refund") ? "sale" : "auth");

  /** A batch whose cut-off has passed: the clock moves on a day. */
  async function batch(): Promise<string> {
    await charged("sale");
    const { now } = (await gateway.operator("GET", "/operator/clock")).body;
    const tomorrow = new Date(Date.parse(now) + 24 * 3_600_000).toISOString();
    await gateway.operator("POST", "/operator/clock", { now: tomorrow });
    return (await gateway.operator("GET", "/operator/batches")).body.batches[0].id;
  }

  const reconciliation = () =>
    keptRun(gateway.pool, { merchantId: sandbox.merchant_id, processorId: sandbox.processors.usd ?? "" });

  /** The path's id, and the body with ids that exist. */
  async function working(operation: Operation, example?: Json): Promise<{ id?: string; json?: Json | undefined }> {
    const { path } = operation;
    const json: Json | undefined = example && {
      ...example,
      ...(example.user_id !== undefined && { user_id: sandbox.user_id }),
      ...(example.card_id !== undefined && { card_id: await card() }),
      ...(Array.isArray(example.payments) && { payments: await dated(example.payments) }),
    };
    if (path.endsWith("/routing")) return { id: sandbox.merchant_id, json: json && ofOwnRecords(json) };
    if (path.includes("/disputes")) return ofDispute(operation, json);
    if (path.startsWith("/operator/merchants/{id}")) return { id: sandbox.merchant_id, json };
    if (path.startsWith("/operator/tokens/{id}")) return { id: (await token()).id, json };
    if (path.startsWith("/operator/people/{id}")) return { id: await person(), json };
    if (path.startsWith("/operator/processors/{id}")) return { id: await processor(), json };
    if (path.startsWith("/operator/webhooks/{id}")) return ofWebhook(operation, json);
    if (path.startsWith("/operator/unresolved/{id}"))
      return { id: await unresolved(json?.outcome === "reversed"), json };
    if (path.includes("/reconciliations/{")) return { id: await reconciliation(), json };
    if (path.includes("/batches/{id}")) return { id: await batch(), json };
    if (path.startsWith("/api/transactions/{transaction_id}")) return ofTransaction(operation, json);
    if (path.includes("{card_id}")) return { id: await card(), json };
    if (path.includes("{plan_id}")) return { id: await plan(), json };
    if (path.includes("{")) throw new Error(`no test knows what ${operation.name} is called with: say so here`);
    return { json };
  }

  const card = async (): Promise<string> => {
    const { card_number, card_expiry_month, card_expiry_year } = CHARGE;
    return (await gateway.post("/api/cards", { card_number, card_expiry_month, card_expiry_year })).body.card.id;
  };

  /** The clock moves on: one after the other, from a month on. */
  const dated = async (payments: readonly Json[]): Promise<readonly Json[]> => {
    const { now } = (await gateway.operator("GET", "/operator/clock")).body;
    const at = (nth: number) => new Date(Date.parse(now) + (nth + 30) * 86_400_000).toISOString();
    return payments.map((payment, nth) => ({ ...payment, due_at: at(Number(payment.number ?? nth)) }));
  };
  /** Of two payments. */
  const plan = async (): Promise<string> => {
    const payments = await dated([{ amount: "1.00" }, { rest: true }]);
    const json = { card_id: await card(), merchant_transaction_id: "order", total: "3.00", payments };
    return (await gateway.post("/api/plans", json)).body.plan.id;
  };

  /** A charge that was given up, or a refund without an outcome. */
  async function unresolved(givenUp: boolean): Promise<string> {
    const silent = givenUp ? ["sale", "reversal"] : ["refund"];
    const processor_id = await processor({ silent_operations: silent, timeout_ms: 100 });
    const { id } = await charged("sale", { processor_id });
    if (!givenUp) await gateway.post(`/api/transactions/${id}/refund`);
    const { transaction } = (await gateway.get(`/api/transactions/${id}`)).body;
    return transaction.events[0].id;
  }

  /** Processor records that an example names are the sandbox's. */
  function ofOwnRecords(json: Json): Json {
    const own = Object.values(sandbox.processors);
    const text = JSON.stringify(json);
    const named = [...new Set(text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [])];
    return JSON.parse(named.reduce((whole, id, nth) => whole.replaceAll(id, own[nth] ?? id), text));
  }

  async function ofDispute({ path }: Operation, json?: Json) {
    const transaction_id = (await charged("sale")).id;
    if (path.endsWith("/disputes")) return { id: sandbox.merchant_id, json: json && { ...json, transaction_id } };
    return { id: (await made("disputes", "dispute", { transaction_id, amount: "1.00" })).id, json };
  }

  async function ofTransaction(operation: Operation, json?: Json) {
    const shares = json?.passenger_transport as Json[] | undefined;
    const { id, passengers = [] } = await charged(typeFor(operation), shares && (await airline()));
    const named = shares?.map((share, index) => ({ ...share, passenger_id: passengers[index]?.id }));
    return { id, json: named ? { ...json, passenger_transport: named } : json };
  }

  /** Nobody listens there; all of this merchant's that were made before go, since there may be so many at most. */
  async function ofWebhook({ path }: Operation, json?: Json) {
    const { webhooks } = (await gateway.operator("GET", `${merchant}/webhooks`)).body;
    for (const { id } of webhooks) await gateway.operator("DELETE", `/operator/webhooks/${id}`);
    const { id } = await made("webhooks", "webhook", { url: "http://127.0.0.1:9/" });
    if (!path.endsWith("/replay")) return { id, json };
    await charged("sale");
    const { deliveries } = (await gateway.operator("GET", `/operator/webhooks/${id}/deliveries`)).body;
    return { id, json: json?.delivery_id === undefined ? json : { delivery_id: deliveries[0].id } };
  }

  /** The airline data that the document itself shows. */
  async function airline(): Promise<Json> {
    const { paths } = (await gateway.get("/openapi.json")).body;
    const { examples } = paths["/api/transactions/auth"].post.requestBody.content["application/json"];
    return examples["Airline data"].value;
  }

  const send = (operation: Operation, id: string | undefined, request: Request, query = "") => {
    const path = operation.path.replace(/\{\w+\}/, id ?? NOBODY) + query;
    const withToken = isOperators(operation) ? { token: sandbox.operator_token, ...request } : request;
    return gateway.call(operation.method, path, withToken);
  };

  async function works(operation: Operation, example?: Json, query = ""): Promise<Answer> {
    const { id, json } = await working(operation, example);
    return send(operation, id, json === undefined ? {} : { json }, withRequired(operation, query));
  }

  /** With the first example of each parameter that the operation cannot do without. */
  function withRequired({ parameters = [] }: Operation, query: string): string {
    const needed = parameters.filter(({ in: where, required }) => where === "query" && required);
    const given = new URLSearchParams(query);
    for (const { name, schema } of needed) if (!given.has(name)) given.append(name, String(schema.examples?.[0]));
    return needed.length === 0 ? query : `?${given}`;
  }

  /** Nothing knows this field: an answer that comes after the body was read tells so. */
  const UNKNOWN = { no_such_field: 1 };

  /** Creates a record under an id of its own, and then again; undefined for what creates none. @param over what differs then */
  function again(operation: Operation, over: Json = {}): Promise<Answer> | undefined {
    if (!isOperators(operation) || operation.responses["409"] === undefined) return undefined;
    return createTwice(operation, over);
  }

  async function createTwice(operation: Operation, over: Json): Promise<Answer> {
    const [[, example] = ["", {}] as [string, Json]] = examplesOf(operation);
    const { id, json } = await working(operation, example);
    const named = {
      ...json,
      id: crypto.randomUUID(),
      ...(json?.email !== undefined && { email: `${crypto.randomUUID()}@example.com` }),
    };
    await send(operation, id, { json: { ...named, ...UNKNOWN } });
    const changed = Object.entries(over).filter(([name]) => name in named);
    return send(operation, id, { json: { ...named, ...UNKNOWN, ...Object.fromEntries(changed) } });
  }

  /** Two at once: one of them finds the other in flight. */
  async function twice(operation: Operation): Promise<Answer> {
    if (!asksProcessor(operation)) return storedTwice(operation);
    const slow = await processor({ latency_ms: 300 });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const follows = operation.path.includes("{");
    const id = follows ? (await charged(typeFor(operation), { processor_id: slow })).id : undefined;
    const json = follows ? UNKNOWN : { ...CHARGE, ...UNKNOWN, processor_id: slow };
    const answers = await Promise.all([1, 2].map(() => send(operation, id, { json, headers })));
    return answers.find(({ status }) => status === 409) ?? (answers[0] as Answer);
  }

  /** Nothing makes it slow, so the second may come when the first has ended. */
  async function storedTwice(operation: Operation): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      const headers = { "idempotency-key": crypto.randomUUID() };
      const json = { ...(await working(operation, examplesOf(operation)[0]?.[1])).json, ...UNKNOWN };
      const answers = await Promise.all([1, 2, 3, 4].map(() => send(operation, undefined, { json, headers })));
      const found = answers.find(({ status }) => status === 409);
      if (found !== undefined || tries > 20) return found ?? (answers[0] as Answer);
    }
  }

  /** The processor is in trouble when it is asked. The answer is that of a repetition. */
  async function troubled(operation: Operation, settings: Json): Promise<Answer> {
    const record = await processor();
    const follows = operation.path.includes("{");
    const id = follows ? (await charged(typeFor(operation), { processor_id: record })).id : undefined;
    await gateway.operator("PATCH", `/operator/processors/${record}`, { settings });
    const json = follows ? UNKNOWN : { ...CHARGE, ...UNKNOWN, processor_id: record };
    const request = { json, headers: { "idempotency-key": crypto.randomUUID() } };
    await send(operation, id, request);
    return send(operation, id, request);
  }

  const SILENT = { silent_operations: ["capture", "void", "refund"], timeout_ms: 100 };
  const UNREADABLE = "?%ff";
  /** Unknown as a filter, and a card number wherever queries are ignored. */
  const UNKNOWN_FILTER = "?search[nonsense]=4111111111111111";

  let elsewhere = 0;
  /** The gateway trusts the test to be a proxy, and allows one failed authentication an address. */
  const fromElsewhere = () => ({ "x-forwarded-for": `10.0.${elsewhere >> 8}.${elsewhere++ & 255}` });

  /** How an operation comes to answer with this status; undefined if nothing over HTTP brings it about. */
  const failures: Readonly<Record<string, (operation: Operation) => Promise<Answer> | undefined>> = {
    200: (operation) => again(operation),
    202: (operation) => (isCharge(operation) ? undefined : troubled(operation, SILENT)),
    400: (operation) =>
      operation.requestBody
        ? send(operation, undefined, { raw: "{", headers: { "content-type": "application/json" } })
        : send(operation, undefined, {}, UNREADABLE),
    401: (operation) => send(operation, undefined, { token: null, headers: fromElsewhere() }),
    403: async (operation) => {
      const wrong = operation.method === "GET" ? "charge" : "read";
      return send(operation, undefined, { token: (await token({ scopes: [wrong] })).secret });
    },
    404: async (operation) => send(operation, NOBODY, { ...(await bodyOf(operation)) }),
    409: (operation) =>
      isOperators(operation)
        ? again(operation, { name: "Another", scopes: ["read"], url: "http://127.0.0.1:9/another" })
        : twice(operation),
    413: (operation) => send(operation, undefined, { json: { x: "y".repeat(70_000) } }),
    415: (operation) => send(operation, undefined, { raw: "x", headers: { "content-type": "text/plain" } }),
    422: async (operation) => {
      const { id } = await working(operation);
      return operation.requestBody
        ? send(operation, id, { json: allWrong(operation) })
        : send(operation, id, {}, UNKNOWN_FILTER);
    },
    429: async (operation) => {
      if (isOperators(operation)) {
        const stranger = { token: null, headers: fromElsewhere() };
        await send(operation, undefined, stranger);
        return send(operation, undefined, stranger);
      }
      const { secret } = await token({ rate_limit_per_minute: 1 });
      await gateway.get("/api/processors", { token: secret });
      return send(operation, undefined, { token: secret });
    },
    302: (operation) => send(operation, undefined, { headers: { accept: "text/html" } }),
    431: (operation) => send(operation, undefined, { headers: { "x-large": "y".repeat(17_000) } }),
    503: (operation) => (asksProcessor(operation) ? troubled(operation, { refuse_connections: true }) : undefined),
  };

  async function bodyOf(operation: Operation): Promise<Request> {
    const [first] = examplesOf(operation);
    return first
      ? { json: { ...UNKNOWN, ...first[1], ...(first[1].user_id !== undefined && { user_id: sandbox.user_id }) } }
      : {};
  }

  return { works, failures };
}

/** What may ask a processor: charges and follow-ups. */
export const asksProcessor = ({ name }: Operation): boolean => name.startsWith("POST /api/transactions");

/** A sale, an auth, or either. */
export const isCharge = ({ name }: Operation): boolean => /^POST \/api\/transactions(\/sale|\/auth)?$/.test(name);

/** No field is a list of lists. */
function allWrong({ requestBody }: Operation): Json {
  const names = ["amount", "ip_address", "name", "user_id", "now", "kind", "enabled", "url", "delivery_id", "rules"];
  return requestBody ? Object.fromEntries(names.map((name) => [name, [[]]])) : {};
}
