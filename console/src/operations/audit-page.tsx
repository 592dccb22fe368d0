// Who changed what, when and from where; and whether anybody has tampered with that. Filters and the place in the log stand in the
// address.

import { Alert, Button, Group, Text } from "@mantine/core";
import { useLocation, useSearch } from "wouter";
import { useAuditChain, useAuditLog } from "../api/operations.ts";
import { may, useSignedIn } from "../api/session.ts";
import { type BarField, FilterBar, valuesIn } from "../parts/filter-bar.tsx";
import { Copyable, Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import { SetupPage } from "../setup/setup-page.tsx";
import { addressOf } from "../transactions/filters.ts";
import table from "../transactions/transactions.module.css";
import { ACTIONS, ALL_ACTIONS } from "../words/audit.ts";
import { dateOf } from "../words/dates.ts";
import { AuditRows } from "./audit-rows.tsx";
import classes from "./operations.module.css";

const fieldsFor = (actions: BarField["choices"]): readonly BarField[] => [
  { name: "actor", label: "Who", placeholder: "jane@example.com" },
  { name: "action", label: "What", choices: actions },
  {
    name: "outcome",
    label: "Done or refused",
    choices: [
      { value: "done", label: "Done" },
      { value: "refused", label: "Refused" },
    ],
  },
  { name: "subject", label: "Record's id" },
  { name: "at_gte", label: "From", type: "date" },
  { name: "at_lte", label: "To", type: "date" },
];
const ENTRIES_A_PAGE = 50;

/** Whether the chain is whole is for operators: it is one chain for all merchants. */
export function AuditPage() {
  const ofAll = may(useSignedIn(), "operator_read");
  const about = ofAll
    ? "Every change, every sign-in, and what was refused. Newest first."
    : "Changes to the merchant's records, and what its people did. Newest first.";
  return (
    <SetupPage title="Audit log" about={about}>
      {(merchantId) => (
        <>
          {ofAll && <Chain />}
          <Entries merchantId={ofAll ? undefined : merchantId} />
        </>
      )}
    </SetupPage>
  );
}

function Chain() {
  const { data: chain, error, refetch } = useAuditChain();
  if (chain === undefined) return error && <Fault fault={error} again={() => void refetch()} />;
  const { broken, entries, last, hash, begun } = chain;
  if (broken !== null || entries === null || begun === null)
    return (
      <Alert
        color="red"
        variant="light"
        role="alert"
        title="The audit log was changed or damaged"
        classNames={{ title: "fault" }}
      >
        {broken}. Charges go on; nothing can be changed until the matter is cleared up.
      </Alert>
    );
  return (
    <Text size="sm" c="dimmed" component="div">
      {entries.toLocaleString("en")} entries since {dateOf(begun)}, each sealed together with all before it; none was
      found changed or missing. The newest, to keep elsewhere:{" "}
      <span className={classes.hash}>
        <Copyable value={`${last}:${hash}`} what="the newest entry's number and hash" />
      </span>
    </Text>
  );
}

/** Of one merchant, or of all. */
function Entries({ merchantId }: { readonly merchantId: string | undefined }) {
  const address = useSearch();
  const [, go] = useLocation();
  const fields = fieldsFor(merchantId === undefined ? ALL_ACTIONS : ACTIONS);
  const values = valuesIn(address, fields);
  const { before } = valuesIn(address, [{ name: "before" }]);
  const log = useAuditLog({ ...values, ...(before !== undefined && { before }) }, merchantId);
  const oldest = log.data?.at(-1)?.id;
  return (
    <>
      <FilterBar fields={fields} values={values} show={(wanted) => go(`/audit?${addressOf(wanted)}`)} />
      {log.isError && <Fault fault={log.error} again={() => void log.refetch()} />}
      {log.isPending && <Loading />}
      {log.data && (
        <Panel flush>
          {log.data.length === 0 ? (
            <Empty title={before === undefined ? "Nothing matches" : "That was the oldest"} />
          ) : (
            <table className={table.table} aria-label="Audit log, newest first">
              <thead>
                <tr>
                  <th>What</th>
                  <th className="wide">Of</th>
                  <th>Who</th>
                  <th className="wide">From</th>
                  <th className="wide">When (UTC)</th>
                </tr>
              </thead>
              <tbody>
                {log.data.map((entry) => (
                  <AuditRows key={entry.id} entry={entry} />
                ))}
              </tbody>
            </table>
          )}
        </Panel>
      )}
      <Group justify="center">
        {before !== undefined && (
          <Button variant="default" onClick={() => go(`/audit?${addressOf(values)}`)}>
            Newest
          </Button>
        )}
        {log.data?.length === ENTRIES_A_PAGE && oldest !== undefined && (
          <Button variant="default" onClick={() => go(`/audit?${addressOf({ ...values, before: oldest })}`)}>
            Older
          </Button>
        )}
      </Group>
    </>
  );
}
