/** Checks, or the pings of a heartbeat monitor, as a table whose rows lead to the evidence. */
import type { Check } from "../../../../schema/check/Check.ts"
import { Badge, inWords, Tag, type Tone } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { Ago, Moment, useNumber } from "../../design/Time.tsx"
import type { MonitorDetail } from "./MonitorHead.tsx"

export const outcomeTones: Readonly<Record<Check["outcome"], Tone>> = { up: "good", degraded: "warn", down: "bad" }

const Row = (
  { check, monitor: { id, kind } }: { readonly check: Check; readonly monitor: Pick<MonitorDetail, "id" | "kind"> }
) => {
  const { millis } = useNumber()
  const { at, counted, error, evidenceOmitted, hasEvidence, latencyMs, outcome, region, statusCode } = check
  const pushed = kind === "heartbeat"
  return (
    <tr id={`check-${check.id}`}>
      <td class="lead">
        <a class="title" href={`/app/monitors/${id}/checks/${check.id}`}>
          <Moment at={at} />
        </a>{" "}
        <span class="note">
          <Ago at={at} />
        </span>
      </td>
      <td data-label="Outcome">
        <Badge tone={outcomeTones[outcome]}>{inWords(outcome)}</Badge>
      </td>
      {pushed ? null : <td data-label="Region">{region}</td>}
      <td data-label={pushed ? "Duration" : "Latency"} class="num">{latencyMs === null ? "–" : millis(latencyMs)}</td>
      <td data-label="Result" class="named">
        <span>
          {error ?? (statusCode === null ? "OK" : `Status ${statusCode}`)} {counted ? null : <Tag>not counted</Tag>}{" "}
          {hasEvidence && !pushed ? <Tag>evidence</Tag> : null}{" "}
          {evidenceOmitted === null ? null : <Tag>{evidenceOmitted.reason === "repeats" ? "same failure" : "over quota"}</Tag>}
        </span>
      </td>
    </tr>
  )
}

export const CheckRows = ({ checks, monitor }: {
  readonly checks: ReadonlyArray<Check>
  readonly monitor: Pick<MonitorDetail, "id" | "kind">
}) => (
  <Table
    columns={[
      "Time",
      "Outcome",
      ...(monitor.kind === "heartbeat" ? [] : ["Region"]),
      monitor.kind === "heartbeat" ? "Duration" : "Latency",
      "Result"
    ]}
  >
    {checks.map((check) => <Row check={check} monitor={monitor} />)}
  </Table>
)
