// Who goes next: at every place where several nodes might go on, one of them is chosen by chance. A node that is killed
// never goes on.

import { setImmediate as immediately } from "node:timers/promises";
import type { Chance } from "./chance.ts";

export interface Task {
  readonly node: number;
  readonly promise: Promise<unknown>;
}

export class Turns {
  readonly #killed = new Set<number>();
  #waiting: { readonly node: number; readonly go: () => void }[] = [];
  #playing = false;
  #stir = (): void => undefined;

  /** Where somebody might come between. */
  way(node: number): Promise<void> {
    if (this.#killed.has(node)) return new Promise(() => undefined);
    if (!this.#playing) return Promise.resolve();
    return new Promise((go) => {
      this.#waiting.push({ node, go });
      this.#stir();
    });
  }

  kill(node: number): void {
    this.#killed.add(node);
    this.#waiting = this.#waiting.filter((waiting) => waiting.node !== node);
    this.#stir();
  }

  killed(node: number): boolean {
    return this.#killed.has(node);
  }

  /** Until all tasks of living nodes have ended. @param atTurn what else happens, before the turn of this number */
  async play(tasks: readonly Task[], chance: Chance, atTurn: ReadonlyMap<number, () => Promise<void>>): Promise<void> {
    const open = new Set(tasks);
    for (const task of tasks)
      void task.promise.finally(() => {
        open.delete(task);
        this.#stir();
      });
    this.#playing = true;
    for (let turn = 0; [...open].some(({ node }) => !this.#killed.has(node)); ) {
      await immediately();
      const waiting = this.#waiting[chance.below(this.#waiting.length)];
      if (waiting === undefined) {
        if (open.size > 0) await this.#somethingStirs(open);
        continue;
      }
      await atTurn.get(turn++)?.();
      if (this.#killed.has(waiting.node)) continue;
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      waiting.go();
    }
    this.#playing = false;
    for (const { go } of this.#waiting.splice(0)) go();
  }

  /** Somebody waits for his turn, or has ended: until then the database or a timer is at work. */
  #somethingStirs(open: ReadonlySet<Task>): Promise<void> {
    const before = open.size;
    return new Promise((resolve) => {
      this.#stir = () => {
        if (this.#waiting.length > 0 || open.size < before) resolve();
      };
      this.#stir();
      if ([...open].every(({ node }) => this.#killed.has(node))) resolve();
    });
  }
}
