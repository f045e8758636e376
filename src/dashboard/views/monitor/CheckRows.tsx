/** Checks, or the pings of a heartbeat monitor, as a table whose rows lead to the evidence. */
import type { Check } from "../../../../schema/check/Check.ts"
import { Badge, Clamp, inWords, Tag, type Tone } from "../../design/Parts.tsx"
import { type Column, type Columns, RecordTable } from "../../design/Table.tsx"
import { Ago, Moment, useNumber } from "../../design/Time.tsx"
import type { MonitorDetail } from "./MonitorHead.tsx"

export const outcomeTones: Readonly<Record<Check["outcome"], Tone>> = { up: "good", degraded: "warn", down: "bad" }

export const OutcomeBadge = ({ outcome }: Pick<Check, "outcome">) => (
  <Badge tone={outcomeTones[outcome]}>{inWords(outcome)}</Badge>
)

const Result = ({ check: { counted, error, evidenceOmitted, hasEvidence, statusCode }, pushed }: {
  readonly check: Check
  readonly pushed: boolean
}) => (
  <span>
    {error === null ? null : <Clamp>{error}</Clamp>}
    {error !== null ? null : (statusCode === null ? "OK" : `Status ${statusCode}`)} {counted ? null : <Tag>not counted</Tag>}{" "}
    {hasEvidence && !pushed ? <Tag>evidence</Tag> : null}{" "}
    {evidenceOmitted === null ? null : <Tag>{evidenceOmitted.reason === "repeats" ? "same failure" : "over quota"}</Tag>}
  </span>
)

export const CheckRows = ({ checks, monitor: { id: monitorId, kind } }: {
  readonly checks: ReadonlyArray<Check>
  readonly monitor: Pick<MonitorDetail, "id" | "kind">
}) => {
  const { millis } = useNumber()
  const pushed = kind === "heartbeat"
  const region: Column<Check> = { name: "Region", cell: ({ region }) => region }
  const columns: Columns<Check> = [
    {
      name: "Time",
      cell: ({ at, id }) => (
        <>
          <a class="title" href={`/app/monitors/${monitorId}/checks/${id}`}>
            <Moment at={at} style="second" />
          </a>{" "}
          <span class="note">
            <Ago at={at} />
          </span>
        </>
      )
    },
    { name: "Outcome", cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
    ...(pushed ? [] : [region]),
    { name: pushed ? "Duration" : "Latency", class: "num", cell: ({ latencyMs }) => millis(latencyMs) },
    { name: "Result", class: "named", cell: (check) => <Result check={check} pushed={pushed} /> }
  ]
  return <RecordTable of={checks} idOf={({ id }) => `check-${id}`} columns={columns} />
}
