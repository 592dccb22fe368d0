// What the gateway's figures stand beside, in the same run: the server's framework with nothing behind it, and a server and a program
// that write each sale by itself.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startEmbedded } from "../src/journal/embedded/embedded.ts";
import { newFolder } from "./data.ts";
import { databasePidOn } from "./gateway.ts";
import type { FloorReply } from "./single-writes.ts";
import type { Undo } from "./undo.ts";

export interface BareServer {
  readonly url: string;
  readonly pid: number;
}

export async function bareServer(undo: Undo): Promise<BareServer> {
  const child = fork(join(import.meta.dirname, "bare-server.ts"));
  undo.add(() => void child.kill());
  const [url] = await once(child, "message");
  return { url: String(url), pid: child.pid ?? 0 };
}

export interface SingleWrites {
  /** Of a server that answers after two inserts, each committed by itself. */
  readonly url: string;
  readonly databasePid: number;
  /** Pairs of inserts a second, with nothing before them. */
  perSecond(connections: number, seconds: number): Promise<number>;
}

/** On a database of their own, with the settings of the gateway's. */
export async function singleWrites(undo: Undo): Promise<SingleWrites> {
  const dataFolder = newFolder(undo);
  const { connection } = await undo.started(startEmbedded({ dataFolder, log: () => undefined }));
  const child = fork(join(import.meta.dirname, "single-writes.ts"));
  undo.add(async () => {
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  });
  const asked = async (what: object): Promise<FloorReply> => {
    child.send(what);
    const [reply] = await once(child, "message");
    return reply as FloorReply;
  };
  const { url = "" } = await asked({ address: connection });
  return {
    url,
    databasePid: databasePidOn(dataFolder) ?? 0,
    perSecond: async (connections, seconds) => (await asked({ connections, seconds })).perSecond ?? 0,
  };
}
