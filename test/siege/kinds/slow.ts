// Clients that are slow with what they send.

import { type Attack, type Kind, requestText } from "../attack.ts";

const A_BYTE_MS = 1_000;
const LONGEST_MS = 60_000;

/** A byte a second until the other side has enough. */
async function dribble(attack: Attack, nth: number, beginning: string, byte: string, everyMs = A_BYTE_MS) {
  const wire = attack.connect(attack.address(nth));
  wire.send(beginning);
  for (let ms = 0; ms < LONGEST_MS && !wire.socket.destroyed && !attack.signal.aborted; ms += everyMs) {
    await Promise.race([attack.sleep(everyMs), wire.ended]);
    wire.send(byte);
  }
  wire.leave();
}

export const slowHeaders: Kind = {
  name: "headers of a byte a second",
  meets: ["408", "closed", "reset"],
  mayMeet: ["400"],
  wage: (attack) =>
    attack.crowd(200, (nth) => dribble(attack, nth, "GET /health/live HTTP/1.1\r\nhost: x\r\nx: ", "a")),
};

const JSON_BODY = { "content-type": "application/json" };

export const slowBodies: Kind = {
  name: "bodies of a byte a second",
  merchant: "C",
  meets: ["408", "closed", "reset"],
  wage: (attack) => {
    const headers = { authorization: `Bearer ${attack.token}`, ...JSON_BODY, "content-length": "1000000" };
    const beginning = `${requestText("POST", "/api/transactions/sale", headers)}{`;
    return attack.crowd(100, (nth) => dribble(attack, nth, beginning, " "));
  },
};

export const tinyChunks: Kind = {
  name: "chunks of a byte, fifty a second",
  merchant: "C",
  meets: ["408", "closed", "reset", "400"],
  wage: (attack) => {
    const headers = { authorization: `Bearer ${attack.token}`, ...JSON_BODY, "transfer-encoding": "chunked" };
    const beginning = requestText("POST", "/api/transactions/sale", headers);
    return attack.crowd(10, (nth) => dribble(attack, nth, beginning, "1\r\n \r\n", 20));
  },
};
