// Which data key is in use, how old each is, and how much is still sealed under an old one. They are rotated on the command line.

import { Text } from "@mantine/core";
import { useNow } from "../api/clock.ts";
import { type DataKey, useDataKeys } from "../api/keys.ts";
import { Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import { SetupPage } from "../setup/setup-page.tsx";
import table from "../transactions/transactions.module.css";
import { dateOf } from "../words/dates.ts";
import type { StatusLabel } from "../words/status.ts";

export function KeysPage() {
  return (
    <SetupPage
      title="Keys"
      about="The data keys under which card numbers and processors' secrets are stored. No key is shown, only how much is under each."
      forOperators
    >
      {() => (
        <>
          <Keys />
          <Panel title="Rotation">
            <Text size="sm">
              A rotation makes a new key and seals everything under it, while gateways run. It is started where the
              master key is:
            </Text>
            <Text size="sm" className="code" my="xs">
              npx faregate keys rotate
            </Text>
            <Text size="sm" c="dimmed">
              docs/operating.md says how often, and how to replace the master key, under Keys of card numbers and
              secrets.
            </Text>
          </Panel>
        </>
      )}
    </SetupPage>
  );
}

function Keys() {
  const { data: keys, error, refetch } = useDataKeys();
  if (keys === undefined) return error === null ? <Loading /> : <Fault fault={error} again={() => void refetch()} />;
  return (
    <>
      {keys.length > 0 && <UnderOldKeys keys={keys} />}
      <Panel flush>
        {keys.length === 0 ? (
          <Empty title="No keys yet">The first is created when something is sealed for the first time.</Empty>
        ) : (
          <table className={table.table} aria-label="Data keys, newest first">
            <thead>
              <tr>
                <th>Key</th>
                <th>State</th>
                <th className={table.number}>Card numbers</th>
                <th className={table.number}>Secrets</th>
                <th className="wide">Made</th>
                <th className="wide">Master key</th>
              </tr>
            </thead>
            <tbody>
              {keys.toReversed().map((key) => (
                <Row key={key.id} dataKey={key} />
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </>
  );
}

/** What a rotation would seal anew, or has left. */
function UnderOldKeys({ keys }: { readonly keys: readonly DataKey[] }) {
  const older = keys.filter(({ state }) => state !== "in use");
  const old = older.reduce((sum, { cards, secrets }) => sum + cards + secrets, 0);
  const estimated = older.some(({ cards_estimated }) => cards_estimated);
  return (
    <Text size="sm" c="dimmed">
      {old > 0 &&
        `${about(estimated)}${old.toLocaleString("en")} card numbers and secrets are still under an older key.`}
      {old === 0 && !estimated && "Everything is under the key in use."}
      {old === 0 &&
        estimated &&
        "Nothing was found under an older key, but only a part was looked at. faregate keys list counts everything."}
    </Text>
  );
}

const about = (estimated: boolean): string => (estimated ? "About " : "");

const KEY_STATES: Readonly<Record<DataKey["state"], StatusLabel>> = {
  "in use": { word: "In use", tone: "good" },
  "used up": { word: "Used up", tone: "info" },
  retiring: { word: "Rotation not finished", tone: "wait" },
  retired: { word: "Retired", tone: "plain" },
};

const DAY_MS = 86_400_000;

function Row({ dataKey }: { readonly dataKey: DataKey }) {
  const { id, state, cards, cards_estimated, secrets, created_at, master_key } = dataKey;
  const days = Math.max(0, Math.floor((useNow().getTime() - Date.parse(created_at)) / DAY_MS));
  return (
    <tr>
      <td>{id}</td>
      <td>
        <Status label={KEY_STATES[state]} />
      </td>
      <td className={table.number}>
        {cards_estimated && cards > 0 && "about "}
        {cards === 0 && cards_estimated ? "none found" : cards.toLocaleString("en")}
      </td>
      <td className={table.number}>{secrets.toLocaleString("en")}</td>
      <td className="wide figures">
        {dateOf(created_at)}, {days === 1 ? "1 day" : `${days} days`} ago
      </td>
      <td className="wide code">{master_key}</td>
    </tr>
  );
}
