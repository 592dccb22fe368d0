// Connections that are opened for nothing, cut off, or speak something else.

import { type Attack, type Kind, requestText } from "../attack.ts";
import { anyAddress } from "../ground.ts";

/** More than one client needs, and no more than this process may open. */
const SILENT = 1_500;
const SILENT_MS = 90_000;

export const silentConnections: Kind = {
  name: "connections of one address that say nothing",
  meets: ["connected"],
  mayMeet: ["400"],
  wage: (attack) =>
    attack.crowd(SILENT, async () => {
      const wire = attack.connect(attack.address(0));
      await Promise.race([wire.ended, attack.sleep(SILENT_MS)]);
      wire.leave();
      await attack.sleep(2_000);
    }),
};

export const manyAddresses: Kind = {
  name: "a connection each from thousands of addresses",
  meets: ["connected", "401"],
  mayMeet: ["404"],
  wage: (attack) =>
    attack.every(30, async (nth) => {
      const wire = attack.connect(anyAddress(nth));
      wire.send(requestText("GET", "/api/transactions", { authorization: `Bearer fg_test_${nth}` }));
      await Promise.race([wire.ended, attack.sleep(20_000)]);
      wire.leave();
    }),
};

export const resetStorm: Kind = {
  name: "connections that are cut off as soon as they are made",
  meets: ["connected"],
  wage: (attack) =>
    attack.every(20, async (nth) => {
      const wire = attack.connect(attack.address(nth));
      wire.send(requestText("GET", "/openapi.json"));
      await Promise.race([new Promise((resolve) => wire.socket.once("connect", resolve)), wire.ended]);
      wire.socket.resetAndDestroy();
      wire.leave();
    }),
};

/** The beginning of a TLS 1.2 client hello. */
const CLIENT_HELLO = Buffer.from(`16030100c8010000c40303${"5a".repeat(190)}`, "hex");
const H2_PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const UPGRADE = requestText("GET", "/api/transactions", {
  connection: "upgrade",
  upgrade: "websocket",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
  "sec-websocket-version": "13",
});
const OTHERS: readonly [string | Buffer, ...(string | Buffer)[]] = [
  CLIENT_HELLO,
  H2_PREFACE,
  UPGRADE,
  requestText("CONNECT", "127.0.0.1:5432"),
  "SSH-2.0-OpenSSH_9.6\r\n",
];

export const otherProtocols: Kind = {
  name: "TLS, HTTP/2, websockets, CONNECT and SSH on the plain port",
  meets: ["400"],
  mayMeet: ["401", "404", "426", "501"],
  wage: (attack) =>
    attack.every(100, async (nth) => {
      const wire = attack.connect(attack.address(nth));
      wire.send(attack.chance.pick(OTHERS));
      await Promise.race([wire.ended, attack.sleep(5_000)]);
      wire.leave();
    }),
};

const MANY_HEADERS = `GET /health/live HTTP/1.1\r\nhost: x\r\n${`x-a: ${"a".repeat(1_000)}\r\n`.repeat(64)}\r\n`;
/** Node looks for where the blanks begin again from each of them. */
const BLANKS = `POST /session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json;a=b${" ".repeat(15_000)}x\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`;

export const hugeHeaders: Kind = {
  name: "headers beyond any measure",
  meets: ["431", "415"],
  mayMeet: ["400"],
  wage: (attack: Attack) =>
    attack.every(200, async (nth) => {
      const wire = attack.connect(attack.address(nth));
      wire.send(nth % 2 === 0 ? MANY_HEADERS : BLANKS);
      await Promise.race([wire.ended, attack.sleep(5_000)]);
      wire.leave();
    }),
};
