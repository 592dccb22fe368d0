// Which processors are in the draw, and which failed so often that they come last until they are well again.

import { useProcessors } from "../api/queries.ts";
import { Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import table from "../transactions/transactions.module.css";
import { momentOf } from "../words/dates.ts";

export function Health() {
  const { data: processors, error, refetch } = useProcessors();
  return (
    <Panel title="Processors in the draw" flush>
      {error !== null && <Fault fault={error} again={() => void refetch()} />}
      {error === null && processors === undefined && <Loading />}
      {processors?.length === 0 && <Empty title="No processors yet" />}
      {processors !== undefined && processors.length > 0 && (
        <table className={table.table} aria-label="Processors in the draw">
          <thead>
            <tr>
              <th>Name</th>
              <th className="wide">Currency</th>
              <th>State</th>
            </tr>
          </thead>
          <tbody>
            {processors.map((one) => (
              <tr key={one.id}>
                <td className="cut">{one.name}</td>
                <td className="wide">{one.currency}</td>
                <td className={table.status}>
                  <Status label={stateOf(one)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

interface InDraw {
  readonly enabled: boolean;
  readonly in_rotation: boolean;
  readonly failing_since: string | null;
}

function stateOf({ enabled, in_rotation, failing_since }: InDraw) {
  if (!enabled) return { word: "Off", tone: "plain" } as const;
  if (!in_rotation) return { word: "Only if named", tone: "info" } as const;
  if (failing_since !== null)
    return { word: `Fails since ${momentOf(failing_since)}, comes last`, tone: "bad" } as const;
  return { word: "In the draw", tone: "good" } as const;
}
