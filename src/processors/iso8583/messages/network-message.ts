// Messages about the connection itself: sign-on, sign-off, echo. They carry no money and no card.

import { Message } from "../codec/message.ts";
import { transmissionTime } from "./envelope.ts";

/** ISO 8583:1987, field 70. */
export const NETWORK_CODE = { "sign-on": "001", "sign-off": "002", echo: "301" } as const;

export type NetworkWork = keyof typeof NETWORK_CODE;

export const networkMessage = (work: NetworkWork, stan: string, now: Date): Message =>
  new Message("0800", { 7: transmissionTime(now), 11: stan, 70: NETWORK_CODE[work] });

export const isEchoQuestion = (message: Message): boolean =>
  message.mti === "0800" && message.get(70) === NETWORK_CODE.echo;

/** Our answer to a host that asks whether we are there. */
export const echoAnswer = (question: Message): Message => question.with({ 39: "00" }, "0810");
