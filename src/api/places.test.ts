import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { isAmong, openPlaces, type PlaceLimits } from "./places.ts";

const WIDE: PlaceLimits = {
  most: 100,
  mostOfOneAddress: 100,
  mostStrangersOfOneAddress: 100,
  mostKnown: 100,
  mostOfOneMerchant: 100,
};

class Connection extends EventEmitter {
  busy = false;
  gone = false;
  readonly remoteAddress: string;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.gone = true;
    this.emit("close");
  }
}

function door(limits: Partial<PlaceLimits>, trusted: readonly string[] = []) {
  const isIdle = (socket: Socket) => !(socket as unknown as Connection).busy;
  const all = openPlaces({ ...WIDE, ...limits }, isIdle, isAmong(trusted));
  const came = (address: string) => {
    const connection = new Connection(address);
    return { connection, entered: all.enter(connection as unknown as Socket) };
  };
  const enter = (address: string) => {
    const { connection, entered } = came(address);
    assert.ok(entered);
    return connection;
  };
  const know = (connection: Connection, merchant: string) =>
    all.know(connection as unknown as Socket, merchant, "192.0.2.1");
  return { all, came, enter, know };
}

test("when all places are taken, the stranger who came first makes room", () => {
  const { enter, know, all } = door({ most: 3 });
  const [merchant, first, second] = [enter("10.0.0.1"), enter("10.0.0.2"), enter("10.0.0.3")];
  know(merchant, "V");
  const third = enter("10.0.0.4");
  assert.deepEqual([merchant.gone, first.gone, second.gone, third.gone], [false, true, false, false]);
  assert.equal(all.counts().all, 3);
});

test("where there are no strangers, who has been idle for longest makes room, and nobody who is served", () => {
  const { enter, know, came } = door({ most: 3 });
  const all = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(enter);
  for (const one of all) know(one, "V");
  const [first, , third] = all as [Connection, Connection, Connection];
  know(first, "V");
  third.busy = true;
  enter("10.0.0.4").busy = true;
  assert.deepEqual(
    all.map(({ gone }) => gone),
    [false, true, false],
  );
  first.busy = true;
  const newcomer = enter("10.0.0.5");
  know(newcomer, "V");
  newcomer.busy = true;
  assert.equal(came("10.0.0.6").entered, false);
});

test("one address has its share, IPv6 by its network, and its own strangers make room for it", () => {
  const { enter, know, came } = door({ mostOfOneAddress: 2 });
  const other = enter("10.0.0.1");
  const [one, two] = [enter("2001:db8::1"), enter("2001:db8::2")];
  const three = enter("2001:db8:0:0:ff::3");
  assert.deepEqual([other.gone, one.gone, two.gone, three.gone], [false, true, false, false]);
  for (const connection of [two, three]) {
    know(connection, "V");
    connection.busy = true;
  }
  assert.equal(came("2001:db8::4").entered, false);
  assert.equal(came("2001:db8:1::4").entered, true);
});

test("strangers of one address are fewer than its merchants, and those who do nothing go first", () => {
  const { enter, know } = door({ mostOfOneAddress: 10, mostStrangersOfOneAddress: 2 });
  const merchant = enter("10.0.0.1");
  know(merchant, "V");
  const busy = enter("10.0.0.1");
  busy.busy = true;
  const [idle, next, last] = [enter("10.0.0.1"), enter("10.0.0.1"), enter("10.0.0.1")];
  assert.deepEqual(
    [merchant, busy, idle, next, last].map(({ gone }) => gone),
    [false, false, true, true, false],
  );
});

test("one merchant has its share from however many addresses", () => {
  const { enter, know } = door({ mostOfOneMerchant: 2 });
  const [one, two, three] = [enter("10.0.0.1"), enter("10.0.0.2"), enter("10.0.0.3")];
  assert.ok(know(one, "A") && know(two, "A") && know(three, "A"));
  assert.deepEqual([one.gone, two.gone, three.gone], [true, false, false]);
  two.busy = true;
  three.busy = true;
  const four = enter("10.0.0.4");
  assert.equal(know(four, "A"), false);
  assert.equal(know(four, "B"), true);
});

test("merchants never take the places that are kept for newcomers", () => {
  const { enter, know } = door({ most: 3, mostKnown: 2 });
  const [one, two, three] = [enter("10.0.0.1"), enter("10.0.0.2"), enter("10.0.0.3")];
  for (const one_ of [one, two]) {
    know(one_, "A");
    one_.busy = true;
  }
  assert.equal(know(three, "B"), false);
  assert.ok(!enter("10.0.0.4").gone && three.gone);
});

test("a trusted proxy is no single address, nor a stranger", () => {
  const { enter, know } = door({ mostOfOneAddress: 1, mostOfOneMerchant: 1, most: 4 }, ["10.1.0.0/16", "2001:db8::7"]);
  const proxies = ["10.1.2.3", "::ffff:10.1.2.3", "2001:db8::7"].map(enter);
  for (const proxy of proxies) assert.ok(know(proxy, "A"));
  const stranger = enter("10.2.0.1");
  enter("10.2.0.2");
  assert.ok(stranger.gone && proxies.every(({ gone }) => !gone));
});

test("nothing is kept of who has left", () => {
  const { enter, know, all } = door({});
  const connections = ["10.0.0.1", "10.0.0.1", "2001:db8::1"].map(enter);
  for (const [nth, connection] of connections.entries()) know(connection, `merchant ${nth}`);
  for (const connection of connections) connection.destroy();
  assert.deepEqual(all.counts(), { all: 0, known: 0, addresses: 0, merchants: 0 });
});

test("a request is part of its merchant's share; before its token was seen, of its address's", () => {
  const { all, enter, know } = door({});
  const holderOf = (connection: Connection) => all.holderOf(connection as unknown as Socket);
  const first = enter("10.0.0.1");
  assert.deepEqual(holderOf(first), { name: "10.0.0.1", known: false });
  know(first, "V");
  assert.deepEqual(holderOf(first), { name: "V", known: true });
});

test("a new connection from where a merchant is connected is not taken for a stranger's", () => {
  const { all, enter, know } = door({});
  const holderOf = (connection: Connection) => all.holderOf(connection as unknown as Socket);
  know(enter("10.0.0.1"), "V");
  assert.deepEqual(holderOf(enter("10.0.0.1")), { name: "10.0.0.1", known: true });
  assert.equal(holderOf(enter("10.0.0.2")).known, false);
});

test("what comes through a trusted proxy has the places of those who are known", () => {
  const { all, enter } = door({}, ["10.9.0.0/16"]);
  assert.equal(all.holderOf(enter("10.9.0.1") as unknown as Socket).known, true);
});

test("behind a trusted proxy each client has a share of its own, and who sent a valid token is known by the address", () => {
  const { enter, all } = door({}, ["10.9.0.0/16"]);
  const proxy = enter("10.9.0.1") as unknown as Socket;
  const holder = (forwardedFor?: string) => all.holderOf(proxy, forwardedFor);
  assert.deepEqual(holder("198.51.100.7"), { name: "198.51.100.7", known: false });
  // What the client itself wrote before it, and proxies behind the proxy, do not count.
  assert.deepEqual(holder("192.0.2.1, 198.51.100.7, 10.9.0.2"), { name: "198.51.100.7", known: false });
  all.know(proxy, "V", "192.0.2.1");
  assert.deepEqual(holder("192.0.2.1"), { name: "192.0.2.1", known: true });
  assert.deepEqual(holder("192.0.2.1, 198.51.100.7"), { name: "198.51.100.7", known: false });
  const told = { name: "a proxy", known: true, many: true };
  for (const nothing of [undefined, "", "unknown", "10.9.0.2"]) assert.deepEqual(holder(nothing), told);
  const stranger = enter("203.0.113.5") as unknown as Socket;
  assert.deepEqual(all.holderOf(stranger, "192.0.2.1"), { name: "203.0.113.5", known: false });
});
