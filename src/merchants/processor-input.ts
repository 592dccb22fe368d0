// Reads input about processor records: what is wrong with it beyond its schema, and what the record becomes. Nothing is stored here.
import Type from "typebox";
import { isCurrency } from "../payment/currency.ts";
import type { ConditionalFields } from "../payment/processor-record.ts";
import { defaultSchedule, type Schedule } from "../payment/settlement.ts";
import type { KindDescription } from "../processors/kind.ts";
import { type Problems, problemsOf } from "../validation/problems.ts";
import type { Backoffice } from "./backoffice.ts";
import { problemsOfGivenId } from "./given-id.ts";
import { changedSettings, problemsOfSealing, problemsOfSettings, type SettingsOfKind } from "./kind-settings.ts";
import { CURRENCY, NewProcessor, ProcessorChange } from "./processor-schema.ts";

/** What of a record can change. */
export interface Changeable {
  readonly name: string;
  readonly enabled: boolean;
  readonly in_rotation: boolean;
  readonly requires: ConditionalFields;
  readonly settlement: Schedule;
  readonly settings: SettingsOfKind;
}

type Read<T> = { readonly problems: Problems; readonly value: T };

/** The value is to be used only where there are no problems. */
export function readNewProcessor(
  { kinds, mode, canSeal = true }: Pick<Backoffice, "kinds" | "mode" | "canSeal">,
  input: unknown,
): Read<Changeable> {
  const given = (input ?? {}) as NewProcessor;
  const problems: Record<string, readonly string[]> = {
    ...problemsOfGivenId(problemsOf(NewProcessor, input), input),
  };
  const kind = kinds.get(given.kind);
  if (problems.currency === undefined && problems.base === undefined && !isCurrency(given.currency))
    problems.currency = [`must be ${CURRENCY}`];
  if (problems.kind === undefined && problems.base === undefined) {
    const usable = [...kinds.keys()].filter((name) => mode === "sandbox" || name !== SIMULATOR);
    if (given.kind === SIMULATOR && mode === "live") problems.kind = [SIMULATOR_MOVES_NOTHING];
    else if (kind === undefined) problems.kind = [`must be one of ${usable.join(", ")}`];
  }
  if (kind !== undefined && problems.currency === undefined && !kind.takesCurrency(given.currency))
    problems.currency = [`must be a currency that a processor of kind ${given.kind} takes`];
  const blank: Changeable = {
    name: "",
    enabled: true,
    in_rotation: false,
    requires: { cvv: [], names: false, document: false },
    settlement: defaultSchedule(given.currency),
    settings: {},
  };
  if (kind === undefined || problems.settings !== undefined) return { problems, value: blank };
  const value = merged(kind, blank, given);
  const sealing = problemsOfSealing(kind, value, canSeal);
  return { problems: { ...problems, ...problemsOfSettings(kind, value.settings), ...sealing }, value };
}

const SIMULATOR = "simulator";
const SIMULATOR_MOVES_NOTHING =
  "must not be simulator in live mode: it approves charges and moves no money. Use it with FAREGATE_MODE=sandbox";

/** What identifies the record can be named in a change only as it is. */
export function readProcessorChange(
  kind: KindDescription | undefined,
  before: Changeable & { readonly kind: string; readonly currency: string; readonly merchant_id: string },
  input: unknown,
  canSeal = true,
): Read<Changeable> {
  const problems: Record<string, readonly string[]> = { ...problemsOf(ProcessorChange, input) };
  const given = (input ?? {}) as ProcessorChange & Record<string, unknown>;
  for (const name of ["kind", "currency", "merchant_id"] as const) {
    if (name in Object(given) && given[name] !== before[name])
      problems[name] = [`cannot change (it is ${before[name]}): create another processor`];
  }
  if (problems.base !== undefined || problems.settings !== undefined) return { problems, value: before };
  if (kind !== undefined) {
    const value = merged(kind, before, given);
    const sealing = problemsOfSealing(kind, value, canSeal);
    const ofSettings = problemsOfSettings(kind, value.settings, before.settings);
    return { problems: { ...problems, ...ofSettings, ...sealing }, value };
  }
  if (given.settings !== undefined) problems.settings = [`cannot change: this gateway knows no kind ${before.kind}`];
  return { problems, value: merged(NO_KIND, before, given) };
}

const NO_KIND: KindDescription = {
  name: "",
  settingsSchema: Type.Object({}),
  secretSettings: [],
  takesCurrency: () => true,
};

function merged(kind: KindDescription, before: Changeable, given: ProcessorChange): Changeable {
  return {
    name: given.name ?? before.name,
    enabled: given.enabled ?? before.enabled,
    in_rotation: given.in_rotation ?? before.in_rotation,
    requires: {
      cvv: given.requires?.cvv ?? before.requires.cvv,
      names: given.requires?.names ?? before.requires.names,
      document: given.requires?.document ?? before.requires.document,
    },
    settlement: {
      auto_capture_at:
        given.settlement?.auto_capture_at === undefined
          ? before.settlement.auto_capture_at
          : given.settlement.auto_capture_at,
      cutoff_at: given.settlement?.cutoff_at ?? before.settlement.cutoff_at,
      settled_at: given.settlement?.settled_at ?? before.settlement.settled_at,
      visible_at: given.settlement?.visible_at ?? before.settlement.visible_at,
    },
    settings: changedSettings(kind, before.settings, given.settings ?? {}),
  };
}
