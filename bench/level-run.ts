// `npm run bench -- --minutes 60`: whether the memory of a gateway stays level while it sells at a steady rate and shows lists. It says
// what was read in so many minutes, and nothing of more.

import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { newFolder } from "./data.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import { type Level, levelOf, type Reading } from "./level.ts";
import { machineFacts, shownMachine } from "./machine.ts";
import { heapMiB, REPORT, reportsTo } from "./memory.ts";
import { childrenOf, commandLine, memoryMiB } from "./processes.ts";
import { steadySales } from "./sales-beside.ts";
import type { Phases } from "./steady-sales.ts";
import type { Undo } from "./undo.ts";

const SALES_PER_SECOND = 300;
/** In turn; often enough that the process for heavy requests is started. */
const LISTS = ["/api/transactions", "/api/transactions?search[zip]=95030", "/api/transactions?page=40"];
const LIST_EVERY_MS = 250;
const QUARTERS = ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"];
const READINGS_A_QUARTER = 15;
const LEVEL_WITHIN = 0.1;
const AN_HOUR = 60;

export async function tellMemory(
  undo: Undo,
  workers: number,
  minutes: number,
  say: (line: string) => void,
): Promise<void> {
  const machine = machineFacts(newFolder(undo));
  const folder = newFolder(undo);
  const settings = { RATE_LIMIT_PER_MINUTE: "0", WORKERS: String(workers) };
  const launched = launchGateway(["src/main.ts"], folder, reportsTo(folder), settings);
  const gateway = await (await undo.started(launched)).ready;
  say(shownMachine(machine));
  say(
    `WORKERS=${workers}, ${SALES_PER_SECOND} sales and ${1_000 / LIST_EVERY_MS} lists a second, --minutes ${minutes}`,
  );
  const sales = steadySales(undo, gateway, SALES_PER_SECOND);
  const lists = listsBeside(undo, gateway);
  const readings: Reading[] = [];
  const everyMs = (minutes * 60_000) / (QUARTERS.length * READINGS_A_QUARTER);
  const startedAt = performance.now();
  for (const quarter of QUARTERS) {
    sales.phase(quarter);
    for (let nth = 0; nth < READINGS_A_QUARTER; nth++) {
      await sleep(Math.max(0, startedAt + (readings.length + 1) * everyMs - performance.now()));
      const { reading, each } = await readMemory(gateway, folder);
      readings.push(reading);
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      const at = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      say(`${at.padStart(7)}  ${shown(reading.residentMiB)} (${each})  heap ${shown(reading.heapMiB)}`);
    }
  }
  const phases = await sales.tell();
  for (const line of summary(levelOf(readings), phases, lists.ended(), minutes)) say(line);
}

const shown = (mib: number): string => `${mib.toFixed(0)} MiB`;

/** Resident memory of all its processes, and the heaps of those that sell. */
async function readMemory({ pid, databasePid }: RunningGateway, folder: string) {
  const own = [pid, ...childrenOf(pid)].filter((one) => one !== databasePid);
  const each = own.flatMap((one) => {
    try {
      const heavy = commandLine(one).some((word) => word.includes("heavy-worker"));
      return [{ heavy, mib: memoryMiB(one).now, pid: one }];
    } catch {
      return []; // it has just ended, and another takes its place
    }
  });
  let heap = 0;
  for (const one of each) if (!one.heavy) heap += await heapMiB(one.pid, join(folder, REPORT));
  const residentMiB = each.reduce((sum, { mib }) => sum + mib, 0);
  const parts = each.map((one) => `${one.heavy ? "heavy requests " : ""}${one.mib.toFixed(0)}`);
  return { reading: { residentMiB, heapMiB: heap } satisfies Reading, each: parts.join(" + ") };
}

/** One after the other, each when it is due or the one before is answered. */
function listsBeside(undo: Undo, { url, sandbox }: RunningGateway) {
  const headers = { authorization: `Bearer ${sandbox.api_token}` };
  let over = false;
  let [shownLists, failed] = [0, 0];
  const all = (async () => {
    for (let nth = 0; !over; nth++) {
      const next = sleep(LIST_EVERY_MS);
      const status = await fetch(url + LISTS[nth % LISTS.length], { headers }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => 0,
      );
      if (status === 200) shownLists++;
      else if (!over) failed++;
      await next;
    }
  })();
  const end = async () => {
    over = true;
    await all;
  };
  undo.add(end);
  return {
    ended: () => {
      over = true;
      return { shown: shownLists, failed };
    },
  };
}

function summary(
  { quarters, growth, heapGrowth }: Level,
  phases: Phases,
  lists: { readonly shown: number; readonly failed: number },
  minutes: number,
): readonly string[] {
  const told = (met: boolean, what: string) => `  ${met ? "met   " : "MISSED"}  ${what}`;
  const percent = (share: number) => `${share > 0 ? "+" : ""}${(share * 100).toFixed(1)} %`;
  const failed = Object.values(phases).reduce((sum, phase) => sum + phase.failed, 0) + lists.failed;
  const change = `${percent(growth)} from the second quarter to the last`;
  return [
    "",
    ...quarters.map(({ least, median, most, leastHeap }, nth) => {
      const phase = phases[QUARTERS[nth] ?? ""];
      return (
        `${QUARTERS[nth]}: ${shown(median)} at the median (${least.toFixed(0)} to ${most.toFixed(0)}), heap at least ` +
        `${shown(leastHeap)}; ${phase?.sales} sales, ${phase?.failed} failed, p50 ${phase?.p50Ms} ms, p99 ${phase?.p99Ms} ms`
      );
    }),
    `${lists.shown} lists, ${lists.failed} failed; the least of the heap ${percent(heapGrowth)} from the second quarter to the last`,
    "",
    told(failed === 0, `nothing failed: ${failed}`),
    minutes < AN_HOUR
      ? `          resident memory ${change}. That is of --minutes ${minutes}, while caches fill: whether it is level, an hour says.`
      : told(growth <= LEVEL_WITHIN, `resident memory level: ${change}, at most 10 %`),
  ];
}
