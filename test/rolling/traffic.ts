// What a shop and its load balancer send: sales, look-ups, lists and refunds at a steady rate, to one gateway in rotation after the
// other. A gateway that is withdrawn gets no new requests, and is waited for. Nothing is sent twice.

import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sandbox } from "../../src/sandbox.ts";

const REQUESTS_PER_SECOND = 40;
const AMOUNT = "3.56";
const LOOK_MS = 10;

export interface Acknowledged {
  /** Ids of transactions. */
  readonly sales: readonly string[];
  readonly refunds: readonly string[];
}

export interface Phase {
  readonly timesMs: number[];
  readonly failures: string[];
}

export interface Traffic {
  readonly acknowledged: Acknowledged;
  readonly phases: ReadonlyMap<string, Phase>;
  phase(name: string): void;
  /** Resolves when it works on no request any more. */
  withdraw(url: string): Promise<void>;
  offer(url: string): void;
  /** Resolves when everything is answered. */
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

export function openTraffic(urls: readonly string[], sandbox: Sandbox | undefined): Traffic {
  if (sandbox === undefined) throw new Error("there is no gateway");
  const rotation = new Set(urls);
  const inFlight = new Map(urls.map((url) => [url, 0]));
  const phases = new Map<string, Phase>();
  const [sales, refunds]: [string[], string[]] = [[], []];
  const agent = new Agent({ keepAlive: true });
  let now: Phase = { timesMs: [], failures: [] };
  let turn = 0;

  /** @returns undefined if it failed, which is noted */
  async function ask(method: string, path: string, body?: object): Promise<string | undefined> {
    const phase = now;
    const url = [...rotation][turn++ % rotation.size] ?? "";
    const startedAt = performance.now();
    inFlight.set(url, (inFlight.get(url) ?? 0) + 1);
    try {
      const answer = await send(agent, url + path, method, sandbox?.api_token ?? "", body);
      phase.timesMs.push(performance.now() - startedAt);
      if (answer.status === 200) return answer.body;
      phase.failures.push(`${method} ${path}: ${answer.status} ${answer.body.slice(0, 300)}`);
    } catch (fault) {
      phase.failures.push(`${method} ${path}: ${fault}`);
    } finally {
      inFlight.set(url, (inFlight.get(url) ?? 0) - 1);
    }
    return undefined;
  }

  async function sell(nth: number): Promise<void> {
    const body = await ask("POST", "/api/transactions/sale", saleOf(nth, sandbox?.processors.usd ?? ""));
    if (body !== undefined) sales.push((JSON.parse(body) as { transaction: { id: string } }).transaction.id);
  }
  /** Of a sale that nobody refunded yet. */
  async function refund(): Promise<void> {
    const id = sales[refunds.length * 2];
    if (id === undefined) return;
    refunds.push(id);
    if ((await ask("POST", `/api/transactions/${id}/refund`, { amount: AMOUNT })) === undefined)
      refunds.splice(refunds.indexOf(id), 1);
  }
  const lookUp = async () => {
    const id = sales.at(-1);
    if (id !== undefined) await ask("GET", `/api/transactions/${id}`);
  };
  const list = () => ask("GET", "/api/transactions?search[city]=Oslo");
  const requests = new Set<Promise<unknown>>();
  let sent = 0;
  const ticking = setInterval(() => {
    const nth = sent++;
    const kinds = [sell, sell, lookUp, sell, refund, sell, list, sell] as const;
    const one = (kinds[nth % kinds.length] ?? sell)(nth);
    requests.add(one);
    void one.finally(() => requests.delete(one));
  }, 1000 / REQUESTS_PER_SECOND);

  return {
    ...{ acknowledged: { sales, refunds }, phases },
    phase: (name) => {
      now = { timesMs: [], failures: [] };
      phases.set(name, now);
    },
    withdraw: async (url) => {
      rotation.delete(url);
      while ((inFlight.get(url) ?? 0) > 0) await sleep(LOOK_MS);
    },
    offer: (url) => void rotation.add(url),
    stop: async () => {
      clearInterval(ticking);
      await Promise.all(requests);
      agent.destroy();
    },
  };
}

const saleOf = (nth: number, processorId: string) => ({
  ...{ processor_id: processorId, amount: AMOUNT, merchant_transaction_id: `order-${nth}`, ip_address: "203.0.113.7" },
  ...{ card_number: "4111111111111111", card_expiry_month: "12", card_expiry_year: "2039", card_cvv: "123" },
  ...{ first_name: "Jane", last_name: "Doe", city: "Oslo", country: "US", state: "CA", zip: "95030" },
});

const send = (agent: Agent, url: string, method: string, token: string, body?: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
    const sent = request(url, { agent, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      response.on("error", reject).on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    sent.on("error", reject).end(body && JSON.stringify(body));
  });
