// Where a merchant's charges go: the rules in their order, what they do with a charge, and which processors are out of the draw.

import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useRouting } from "../api/routing.ts";
import { may, useSignedIn } from "../api/session.ts";
import { Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import { SetupPage } from "../setup/setup-page.tsx";
import { Health } from "./health.tsx";
import { RuleList } from "./rule-list.tsx";
import { goingOnInWords } from "./rules.ts";
import { RulesForm } from "./rules-form.tsx";
import { Try } from "./try.tsx";

export function RoutingPage() {
  return (
    <SetupPage title="Routing" about="Which processor takes a charge that does not name one.">
      {(merchantId) => (
        <>
          <Rules merchantId={merchantId} />
          <Try merchantId={merchantId} />
          <Health />
        </>
      )}
    </SetupPage>
  );
}

function Rules({ merchantId }: { readonly merchantId: string }) {
  const changes = may(useSignedIn(), "operate");
  const [editing, setEditing] = useState(false);
  const { data: routing, error, refetch } = useRouting(merchantId);
  if (routing === undefined) return error === null ? <Loading /> : <Fault fault={error} again={() => void refetch()} />;
  if (editing)
    return (
      <Panel title="Change the rules" aside={<Version version={routing.version} />}>
        <RulesForm merchantId={merchantId} routing={routing} close={() => setEditing(false)} />
      </Panel>
    );
  return (
    <Panel
      title="Rules"
      aside={
        <Group gap="md" wrap="nowrap">
          <Version version={routing.version} />
          {changes && (
            <Button size="compact-sm" variant="default" onClick={() => setEditing(true)}>
              Change
            </Button>
          )}
        </Group>
      }
    >
      {routing.rules.length === 0 ? (
        <Empty title="No rules">
          A charge goes to one of the processors that are in rotation and can take it, each as often as the others.
        </Empty>
      ) : (
        <RuleList rules={routing.rules} />
      )}
      <Text size="sm" c="dimmed" mt={6}>
        {goingOnInWords(routing.attempts_at_most)}
      </Text>
    </Panel>
  );
}

const Version = ({ version }: { readonly version: number }) => (
  <Text size="sm" c="dimmed" className="figures">
    {version === 0 ? "Never changed" : `Version ${version}`}
  </Text>
);
