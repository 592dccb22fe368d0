// How an evening passes: one node or two capture what is due while lines lose answers, a database goes away, merchants are
// at work and a node is killed; then all is well again, and who is left ends it.

import { OutcomeNotRecorded } from "../../src/gateway/carry-out.ts";
import { JournalUnavailable, JournalUncertain } from "../../src/journal/journal.ts";
import type { Launched } from "../simulation/answers.ts";
import { chanceFrom } from "../simulation/chance.ts";
import type { Simulation } from "../simulation/simulation.ts";
import type { Task } from "../simulation/turns.ts";
import type { MonthHouse } from "./house.ts";
import { type EveningNode, eveningNode } from "./node-at-evening.ts";
import type { Evening } from "./steps.ts";

export const CALM: Evening = { seed: 0, noise: 0, databaseAway: false, nodes: 1, killed: false, operations: [] };
/** So many at most before a node is killed: an authorization takes about eight. */
const MOST_TURNS = 40;

export class Evenings {
  readonly #house: MonthHouse;
  readonly #simulation: Simulation;
  readonly #nodes = new Map<number, EveningNode>();
  /** In this evening. */
  #someoneKilled = false;

  constructor(house: MonthHouse, simulation: Simulation) {
    this.#house = house;
    this.#simulation = simulation;
  }

  node(index: 0 | 1): EveningNode {
    const { nodes, turns } = this.#simulation;
    const node = nodes[index];
    const letGo = async () => {
      if (this.#someoneKilled) await this.#house.letGo();
    };
    const known = this.#nodes.get(node.id) ?? eveningNode(node, this.#house.openOf(node), turns, letGo);
    this.#nodes.set(node.id, known);
    return known;
  }

  /** @returns what merchants asked for meanwhile */
  async pass({ seed, noise, databaseAway, nodes, killed, operations }: Evening): Promise<readonly Launched[]> {
    const simulation = this.#simulation;
    const { turns, weather } = simulation;
    const chance = chanceFrom(seed);
    Object.assign(weather, { chance, noise, databaseAway });
    const launched = operations.flatMap((operation) => simulation.launch(operation));
    const faults: unknown[] = [];
    const tasks: Task[] = launched.map(({ node, promise }) => ({ node: node.id, promise }));
    for (const index of nodes === 2 ? ([0, 1] as const) : ([0] as const)) {
      const { node, capture } = this.node(index);
      tasks.push({ node: node.id, promise: capture().catch((fault) => faults.push(fault)) });
    }
    const [doomed] = simulation.nodes;
    if (killed) doomed.doubtful = true;
    const kill = () => this.#kill(doomed.id);
    await turns.play(tasks, chance, new Map(killed ? [[chance.below(MOST_TURNS), kill]] : []));
    for (const fault of faults) if (!databaseWasAway(fault)) throw fault;
    if (killed) {
      await kill();
      await simulation.replace(doomed);
    }
    Object.assign(weather, { chance, noise: 0, databaseAway: false });
    if (killed && chance.happens(0.5)) await simulation.resolve(simulation.nodes[1]);
    if (killed || faults.length > 0) await this.node(1).capture();
    this.#someoneKilled = false;
    return launched;
  }

  async #kill(node: number): Promise<void> {
    this.#simulation.turns.kill(node);
    this.#someoneKilled = true;
    await this.#house.letGo();
  }
}

const databaseWasAway = (fault: unknown): boolean =>
  fault instanceof JournalUnavailable || fault instanceof JournalUncertain || fault instanceof OutcomeNotRecorded;
