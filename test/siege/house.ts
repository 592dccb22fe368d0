// The place of the siege: a gateway in a process of its own, as `npm start` starts it and at its default limits, on a fresh
// data folder, with the merchants that take part.

import { newFolder } from "../../bench/data.ts";
import { launchGateway, type RunningGateway } from "../../bench/gateway.ts";
import type { Undo } from "../../bench/undo.ts";
import { type Callable, newMerchant, type OwnMerchant } from "../journeys/merchant.fixture.ts";
import type { Kind } from "./attack.ts";
import { type Account, ADDRESSES, MERCHANTS, type MerchantName } from "./ground.ts";
import { sendOn } from "./send.ts";

export interface House {
  readonly gateway: RunningGateway;
  readonly operator: Callable["operator"];
  readonly port: number;
  readonly folder: string;
  readonly victim: OwnMerchant & { readonly saleTokens: readonly string[] };
  readonly merchants: Readonly<Record<MerchantName, Omit<Account, "known">>>;
}

const ALL_DEFAULTS = {};
/** A thousand requests a minute are fewer than twenty sales a second. */
const SALE_TOKENS = 2;

/** @param nodeOptions of the gateway's process, to look into it */
export async function openHouse(undo: Undo, kinds: readonly Kind[], nodeOptions: readonly string[] = []) {
  const folder = newFolder(undo);
  const launched = launchGateway(["src/main.ts"], folder, nodeOptions, ALL_DEFAULTS);
  const gateway = await (await undo.started(launched)).ready;
  const { sandbox, url } = gateway;
  const port = Number(new URL(url).port);
  const callable = { operator: operatorOf(port, sandbox.operator_token) };
  const victim = await newMerchant(callable, { name: "V" });
  const saleTokens = [];
  for (let nth = 0; nth < SALE_TOKENS; nth++) saleTokens.push(await newToken(callable, victim));
  const merchants = {} as Record<MerchantName, Omit<Account, "known">>;
  for (const name of MERCHANTS) {
    const merchant = await newMerchant(callable, { name });
    const tokens: Record<string, string> = {};
    for (const kind of kinds)
      if (kind.merchant === name) tokens[kind.name] = await newToken(callable, merchant, kind.perMinute);
    const { merchantId, userId, processors } = merchant;
    merchants[name] = { merchantId, userId, processorId: processors[0] ?? "", tokens };
  }
  const house: House = {
    ...{ gateway, folder, merchants, port, ...callable },
    victim: { ...victim, saleTokens },
  };
  return house;
}

const WITHIN_MS = 60_000;

function operatorOf(port: number, token: string): Callable["operator"] {
  const by = { port, from: ADDRESSES.operator, agent: false, token, withinMs: WITHIN_MS } as const;
  return async (method, path, json) => {
    const { status, text } = await sendOn(by, method, path, json as object | undefined);
    return { status, text, headers: new Headers(), body: JSON.parse(text) };
  };
}

/** @param perMinute its rate limit, if not the default */
export async function newToken(
  { operator }: Pick<Callable, "operator">,
  { merchantId, userId }: Pick<OwnMerchant, "merchantId" | "userId">,
  perMinute?: number,
): Promise<string> {
  const limit = perMinute === undefined ? {} : { rate_limit_per_minute: perMinute };
  const token = { user_id: userId, scopes: ["charge", "follow_up", "read", "cards"], ...limit };
  const { status, text, body } = await operator("POST", `/operator/merchants/${merchantId}/tokens`, token);
  if (status !== 201) throw new Error(text);
  return body.token.secret;
}
