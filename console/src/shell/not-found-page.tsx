// An address that leads to no page.

import { Page } from "../parts/page.tsx";
import { PageLink } from "../parts/parts.tsx";
import { Empty } from "../parts/states.tsx";

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <Empty title="There is no such page">
        <PageLink href="/transactions">To the transactions</PageLink>
      </Empty>
    </Page>
  );
}
