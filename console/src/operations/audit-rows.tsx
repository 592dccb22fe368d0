// One entry of the audit log: a line, and when it is opened, which fields are others than before, and where the record is shown.

import { Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { AuditEntry } from "../api/operations.ts";
import { may, useSignedIn } from "../api/session.ts";
import { Copyable, Facts, PageLink, Status } from "../parts/parts.tsx";
import table from "../transactions/transactions.module.css";
import { actionOf, changesOf, type FieldChange, subjectOf } from "../words/audit.ts";
import { exactly, momentOf } from "../words/dates.ts";
import { OpenerCell } from "./opener-cell.tsx";
import classes from "./operations.module.css";

/** A merchant's administrators are not told from where an operator works. */
const NOT_TOLD = "not shown";
const REFUSED = { word: "Refused", tone: "bad" } as const;

export function AuditRows({ entry }: { readonly entry: AuditEntry }) {
  const [opened, row] = useDisclosure(false);
  const { name, href } = useShownSubject(entry);
  const { name: called, merchant_transaction_id: order } = entry.after ?? entry.before ?? {};
  const shown = [called, order, name === "path" ? "–" : name].find((one) => typeof one === "string");
  return (
    <>
      <tr>
        <OpenerCell opened={opened} toggle={row.toggle} of={`entry-${entry.id}`}>
          <Group gap={8}>
            <span>{actionOf(entry)}</span>
            {entry.outcome === "refused" && <Status label={REFUSED} />}
          </Group>
        </OpenerCell>
        <td className="wide cut">
          {href === undefined ? (
            String(shown)
          ) : (
            <PageLink href={href} className={classes.subject}>
              {String(shown)}
            </PageLink>
          )}
        </td>
        <td className="cut" title={entry.actor}>
          {entry.actor}
          <div className={`narrow figures ${table.quiet}`}>{momentOf(entry.at)}</div>
        </td>
        <td className={`wide ${table.quiet}`}>{entry.source}</td>
        <td className={`wide figures ${table.quiet}`}>{momentOf(entry.at)}</td>
      </tr>
      {opened && (
        <tr id={`entry-${entry.id}`}>
          <td colSpan={5} className={classes.opened}>
            <Particulars entry={entry} />
          </td>
        </tr>
      )}
    </>
  );
}

/** The page of a merchant is for operators only. */
function useShownSubject(entry: AuditEntry) {
  const operator = may(useSignedIn(), "operator_read");
  const subject = subjectOf(entry);
  return operator || subject.name !== "merchant" ? subject : { ...subject, href: undefined };
}

function Particulars({ entry }: { readonly entry: AuditEntry }) {
  const { id, href, name } = useShownSubject(entry);
  const changes = changesOf(entry.before, entry.after);
  return (
    <Stack gap="md">
      <Facts
        facts={[
          { name: "Entry", value: entry.id },
          { name: "When", value: exactly(entry.at) },
          { name: "Who", value: entry.source === NOT_TOLD ? entry.actor : `${entry.actor}, from ${entry.source}` },
          { name: "Action", value: <span className="code">{entry.action}</span> },
          { name: "Record", value: id === undefined ? name : <Copyable value={id} what={`the ${name}'s id`} /> },
        ]}
      />
      {changes.length > 0 && (
        <div>
          <Text size="sm" fw={560} mb={6}>
            {titleOf(entry)}
          </Text>
          <Facts facts={changes.map((change) => ({ name: change.name, value: <Change change={change} /> }))} />
        </div>
      )}
      {id !== undefined && (
        <Group gap="lg">
          {href !== undefined && <PageLink href={href}>Look at the {name}</PageLink>}
          <PageLink href={`/audit?subject=${id}`}>Everything that happened to it</PageLink>
        </Group>
      )}
    </Stack>
  );
}

function titleOf({ outcome, before, after }: AuditEntry): string {
  if (outcome === "refused") return "Why it was refused";
  if (before === null) return "As it was then";
  return after === null ? "As it was before" : "What changed";
}

const Change = ({ change: { was, is } }: { readonly change: FieldChange }) => (
  <span className="code">
    {was !== undefined && <del className={classes.was}>{was}</del>}
    {was !== undefined && is !== undefined && " → "}
    {is}
  </span>
);
