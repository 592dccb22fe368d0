// Who keeps a connection when there are too many. Each address has a share. Connections without a valid token make room for new
// ones, then those that have been idle for longest, so that a newcomer always gets in.

import { BlockList, isIP, type Socket } from "node:net";
import { forgetOldest } from "../shares/forget-oldest.ts";
import type { Holder } from "../shares/loop-turns.ts";
import { networkOf } from "../shares/network.ts";

export interface PlaceLimits {
  readonly most: number;
  readonly mostOfOneAddress: number;
  /** Of those that sent no valid token yet. */
  readonly mostStrangersOfOneAddress: number;
  /** Of those that sent a valid token; the rest is for newcomers and health checks. */
  readonly mostKnown: number;
  readonly mostOfOneMerchant: number;
}

export interface Places {
  /** A place for a new connection. False: there is none, and it is to be closed. */
  enter(socket: Socket): boolean;
  /**
   * It sent a valid token of this merchant's, or the operator's. False: there is no place for it.
   * @param client by whose address it is known again behind a proxy
   */
  know(socket: Socket, merchant: string, client: string): boolean;
  /**
   * Whose share a request on this connection is part of.
   * @param forwardedFor the request's `X-Forwarded-For`, which counts if it comes from a trusted proxy
   */
  holderOf(socket: Socket, forwardedFor?: string | readonly string[]): Holder;
  counts(): { readonly all: number; readonly known: number; readonly addresses: number; readonly merchants: number };
}

interface Place {
  /** Undefined of a trusted proxy, behind which are many. */
  readonly address: string | undefined;
  merchant?: string;
}

/** So that to find one costs little where all are busy. */
const MOST_LOOKED_AT = 100;

/** Networks of clients behind trusted proxies that sent valid tokens. */
const MOST_KNOWN_BEHIND_PROXIES = 10_000;
/** Behind it are many, and it is to tell them apart. */
const A_PROXY: Holder = { name: "a proxy", known: true, many: true };

/** Sockets by whom they belong to, the one that was used longest ago first. */
type Shares = Map<string, Set<Socket>>;

/**
 * @param isIdle that nothing is being asked or answered on it
 * @param isTrusted whether it is a proxy's address
 */
export function openPlaces(
  limits: PlaceLimits,
  isIdle: (socket: Socket) => boolean,
  isTrusted: (address: string) => boolean = () => false,
): Places {
  const all = new Map<Socket, Place>();
  const strangers = new Set<Socket>();
  const known = new Set<Socket>();
  const byAddress: Shares = new Map();
  const strangersByAddress: Shares = new Map();
  const byMerchant: Shares = new Map();
  const knownBehindProxies = new Set<string>();

  const leave = (socket: Socket): void => {
    const place = all.get(socket);
    if (place === undefined) return;
    all.delete(socket);
    strangers.delete(socket);
    known.delete(socket);
    remove(byAddress, place.address, socket);
    remove(strangersByAddress, place.address, socket);
    remove(byMerchant, place.merchant, socket);
  };

  const isStranger = (socket: Socket): boolean => strangers.has(socket);

  /** A stranger, the idle before the busy and who came first before the others; or else whoever has been idle for longest. */
  const makeRoom = (among: ReadonlySet<Socket>): boolean => {
    const goes =
      first(among, (socket) => isStranger(socket) && isIdle(socket), MOST_LOOKED_AT) ??
      first(among, isStranger) ??
      first(among, isIdle);
    if (goes === undefined) return false;
    leave(goes);
    goes.destroy();
    return true;
  };
  const makeRoomForAll = (): boolean => makeRoom(strangers) || makeRoom(known);

  const knowBehindProxy = (client: string): void => {
    knownBehindProxies.add(networkOf(client));
    forgetOldest(knownBehindProxies, MOST_KNOWN_BEHIND_PROXIES);
  };
  /** The nearest that no trusted proxy is, as Fastify finds `request.ip`. */
  const behindProxy = (forwardedFor: string | readonly string[] = ""): Holder => {
    const addresses = String(forwardedFor)
      .split(",")
      .map((address) => address.trim());
    const client = addresses.findLast((address) => !isTrusted(address)) ?? "";
    if (isIP(client) === 0) return A_PROXY;
    const name = networkOf(client);
    return { name, known: knownBehindProxies.has(name) };
  };

  return {
    enter(socket) {
      const remote = socket.remoteAddress ?? "";
      const trusted = isTrusted(remote);
      const address = trusted ? undefined : networkOf(remote);
      const ofAddress = address === undefined ? undefined : byAddress.get(address);
      if (ofAddress !== undefined && ofAddress.size >= limits.mostOfOneAddress && !makeRoom(ofAddress)) return false;
      const strange = address === undefined ? undefined : strangersByAddress.get(address);
      if (strange !== undefined && strange.size >= limits.mostStrangersOfOneAddress) makeRoom(strange);
      if (all.size >= limits.most && !makeRoomForAll()) return false;
      all.set(socket, { address });
      (trusted ? known : strangers).add(socket);
      add(byAddress, address, socket);
      add(strangersByAddress, address, socket);
      socket.once("close", () => leave(socket));
      return true;
    },
    know(socket, merchant, client) {
      const place = all.get(socket);
      if (place === undefined) return true;
      if (place.address === undefined) {
        // A proxy's connections are all merchants' at once.
        knowBehindProxy(client);
        return true;
      }
      if (place.merchant !== merchant) {
        remove(byMerchant, place.merchant, socket);
        delete place.merchant;
        const ofMerchant = byMerchant.get(merchant);
        if (ofMerchant !== undefined && ofMerchant.size >= limits.mostOfOneMerchant && !makeRoom(ofMerchant))
          return false;
      }
      if (!known.has(socket) && known.size >= limits.mostKnown && !makeRoom(known)) return false;
      place.merchant = merchant;
      strangers.delete(socket);
      remove(strangersByAddress, place.address, socket);
      for (const shares of [known, byMerchant.get(merchant), byAddress.get(place.address)]) shares?.delete(socket);
      known.add(socket);
      add(byMerchant, merchant, socket);
      add(byAddress, place.address, socket);
      return true;
    },
    holderOf(socket, forwardedFor) {
      const { address, merchant } = all.get(socket) ?? {};
      if (merchant !== undefined) return { name: merchant, known: true };
      if (address === undefined) return forwardedFor === undefined ? A_PROXY : behindProxy(forwardedFor);
      const isOfKnown = (byAddress.get(address)?.size ?? 0) > (strangersByAddress.get(address)?.size ?? 0);
      return { name: address, known: isOfKnown };
    },
    counts: () => ({ all: all.size, known: known.size, addresses: byAddress.size, merchants: byMerchant.size }),
  };
}

function add(shares: Shares, holder: string | undefined, socket: Socket): void {
  if (holder === undefined) return;
  const share = shares.get(holder) ?? new Set();
  share.add(socket);
  shares.set(holder, share);
}

function remove(shares: Shares, holder: string | undefined, socket: Socket): void {
  if (holder === undefined) return;
  const share = shares.get(holder);
  share?.delete(socket);
  if (share?.size === 0) shares.delete(holder);
}

function first(
  sockets: ReadonlySet<Socket>,
  is: (socket: Socket) => boolean,
  most = Number.POSITIVE_INFINITY,
): Socket | undefined {
  let lookedAt = 0;
  for (const socket of sockets) {
    if (is(socket)) return socket;
    if (++lookedAt >= most) return undefined;
  }
  return undefined;
}

/** @param networks `10.0.0.0/8`, `192.0.2.7` */
export function isAmong(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
  }
  return (address) => {
    const plain = networkOf(address);
    return isIP(plain) === 4 ? list.check(plain, "ipv4") : isIP(address) === 6 && list.check(address, "ipv6");
  };
}
