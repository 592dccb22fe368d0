// What a period came to: volume over time, approvals, why charges were declined, by brand and processor, refunds, and what is in doubt.

import { Alert, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useSearch } from "wouter";
import type { Overview } from "../../../packages/client/src/openapi.ts";
import { useGatewayNow } from "../api/clock.ts";
import { useDisputes } from "../api/disputes.ts";
import { useOverview } from "../api/overview.ts";
import { useProcessors } from "../api/queries.ts";
import { Fallible } from "../parts/fallible.tsx";
import { loadable } from "../parts/loadable.tsx";
import { Page } from "../parts/page.tsx";
import { Amount, PageLink, Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import { Waits } from "../parts/waiting.tsx";
import { Days } from "../settlement/days.tsx";
import { brandOf } from "../words/answers.ts";
import { momentOf } from "../words/dates.ts";
import { grouped, hundredthsOf } from "../words/money.ts";
import { type Behind, behindOf } from "./behind.ts";
import classes from "./overview.module.css";
import { PeriodChoice } from "./period-choice.tsx";
import { PointTable } from "./point-table.tsx";
import { pointsOf } from "./series.ts";
import { Shares } from "./shares.tsx";
import { viewIn } from "./view.ts";
import { counted, percent } from "./words.ts";

const Charts = loadable(
  () => import("./charts.tsx"),
  "Charts",
  <div className={classes.drawing}>
    <Waits />
  </div>,
);

export function OverviewPage() {
  const address = useSearch();
  const processors = useProcessors();
  const now = useGatewayNow();
  const currencies = [...new Set(processors.data?.map(({ currency }) => currency))];
  const currency = new URLSearchParams(address).get("currency") ?? currencies[0];
  const view = now === undefined ? undefined : viewIn(address, now);
  const shown = useOverview(view !== undefined && currency !== undefined ? { ...view.span, currency } : undefined);
  const fault = processors.error ?? shown.error;

  return (
    <Page
      title="Overview"
      actions={view && <PeriodChoice view={view} currency={currency ?? ""} currencies={currencies} />}
    >
      {fault !== null && (
        <Fault fault={fault} again={() => void Promise.all([processors.refetch(), shown.refetch()])} />
      )}
      {processors.data?.length === 0 && (
        <Panel>
          <Empty title="No processors yet">Charges need a processor.</Empty>
        </Panel>
      )}
      {shown.data && <Figures overview={shown.data} behind={behindOf(shown.data, now ?? new Date())} />}
      {fault === null && !shown.data && processors.data?.length !== 0 && <Loading />}
    </Page>
  );
}

const NEEDS_RESPONSE = { status: "needs_response" };

function Figures({ overview, behind }: { readonly overview: Overview; readonly behind: Behind }) {
  const { currency, charges, refunds, unresolved } = overview;
  const { data: disputes } = useDisputes(NEEDS_RESPONSE, 1);
  const known = (figure: ReactNode) => (behind === "all" ? "–" : figure);
  return (
    <>
      {behind !== "no" && (
        <Alert
          color="yellow"
          variant="light"
          role="status"
          styles={{ message: { color: "var(--mantine-color-text)" } }}
        >
          {behind === "all"
            ? "This period is not added up yet."
            : `These figures are up to ${momentOf(overview.as_of)} UTC.`}{" "}
          What is missing is being added up, and appears here by itself.
        </Alert>
      )}
      <div className={classes.figures}>
        <Figure name="Volume" about={known(counted(charges.approved, "approved charge"))}>
          {known(<Amount amount={charges.amount} currency={currency} />)}
        </Figure>
        <Figure name="Approval rate" about={known(`${charges.declined.toLocaleString("en")} declined`)}>
          {known(percent(charges.approval_rate))}
        </Figure>
        <Figure name="Refunds" about={known(counted(refunds.count, "refund"))}>
          {known(<Amount amount={refunds.amount} currency={currency} />)}
        </Figure>
        <Figure
          name="Disputes"
          about={
            <PageLink className={classes.about} href={`/disputes?${new URLSearchParams(NEEDS_RESPONSE)}`}>
              need a response, now
            </PageLink>
          }
        >
          {disputes?.meta.total.toLocaleString("en") ?? "–"}
        </Figure>
        <Figure name="In doubt" about="without an outcome, now">
          {unresolved.toLocaleString("en")}
        </Figure>
      </div>
      <Fallible instead={() => <PointTable points={pointsOf(overview)} step={overview.step} currency={currency} />}>
        <Charts overview={overview} />
      </Fallible>
      <Parts overview={overview} />
      <Days currency={currency} />
    </>
  );
}

interface FigureProps {
  readonly name: string;
  readonly about: ReactNode;
  readonly children: ReactNode;
}

function Figure({ name, about, children }: FigureProps) {
  return (
    <div className={classes.figure}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <div className={classes.value}>{children}</div>
      <Text size="xs" c="dimmed">
        {about}
      </Text>
    </div>
  );
}

function Parts({ overview: { brands, processors, declines, currency } }: { readonly overview: Overview }) {
  const { data: records = [] } = useProcessors();
  const nameOf = (id: string) => records.find((one) => one.id === id)?.name ?? id;
  const share = (name: string, { amount, count, approval_rate }: Overview["brands"][number]) => ({
    name,
    figure: grouped(amount, currency),
    about: `${counted(count, "charge")}, ${percent(approval_rate)} approved`,
    size: hundredthsOf(amount),
  });
  return (
    <div className={classes.thirds}>
      <Shares
        title="Brands"
        tone="info"
        nothing="No charges in this period."
        shares={brands.map((one) => share(brandOf(one.brand), one))}
      />
      <Shares
        title="Processors"
        tone="info"
        nothing="No charges in this period."
        shares={processors.map((one) => share(nameOf(one.id), { ...one, brand: "" }))}
      />
      <Shares
        title="Declines"
        tone="bad"
        nothing="Nothing was declined."
        shares={declines.map(({ code, message, category, count }) => ({
          name: `${code} ${message}`,
          figure: count.toLocaleString("en"),
          about: category?.replaceAll("-", " ") ?? "",
          size: count,
        }))}
      />
    </div>
  );
}
