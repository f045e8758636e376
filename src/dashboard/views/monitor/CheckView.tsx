/** One check with its evidence: outcome, timings, request, response and assertions. */
import type { Check } from "../../../../schema/check/Check.ts"
import { briefCause } from "../../../domain/check/answer/BriefCause.ts"
import { Banner, ComponentBadge, Empty, Facts, inWords, Item, ListPanel, Panel, Tag } from "../../design/Parts.tsx"
import { Moment, momentText, useNumber } from "../../design/Time.tsx"
import { read, view } from "../../frame/View.ts"
import { outcomeTones } from "./CheckRows.tsx"
import {
  AssertionsPart,
  BrowserPart,
  CertificatePart,
  DnsPart,
  McpPart,
  RequestPart,
  ResponsePart,
  ScriptPart
} from "./EvidenceParts.tsx"
import type { MonitorDetail } from "./MonitorHead.tsx"
import { Waterfall } from "./Waterfall.tsx"

const Outcome = ({ check, pushed }: { readonly check: Check; readonly pushed: boolean }) => {
  const { millis } = useNumber()
  const { cause, counted, error, latencyMs, outcome, region, statusCode } = check
  return (
    <>
      <Banner
        tone={outcomeTones[outcome]}
        title={`${inWords(outcome)}${cause === null ? "" : `: ${briefCause({ cause, statusCode })}`}`}
        more={error === null ? null : <p>{error}</p>}
      >
        {counted ? null : <Tag>not counted: its region was unhealthy or the result was late</Tag>}
      </Banner>
      <Panel id="facts" title={pushed ? "Ping" : "Result"}>
        <Facts
          of={[
            ["Time", <Moment at={check.at} style="full" />],
            ["Region", pushed ? null : region],
            ["Status code", statusCode],
            [pushed ? "Duration" : "Latency", latencyMs === null ? null : millis(latencyMs)]
          ]}
        />
        {check.timings === null || pushed ? null : <Waterfall timings={check.timings} />}
      </Panel>
    </>
  )
}

const NoEvidence = ({ check, pushed }: { readonly check: Check; readonly pushed: boolean }) => {
  const { evidenceOmitted, monitorId } = check
  if (pushed) return null
  return (
    <section class="panel">
      <Empty
        title="No evidence was kept for this check"
        text={evidenceOmitted === null
          ? "Evidence is kept for the first failure, for each change of a failure, for the first success after it, and for a sample of the rest."
          : evidenceOmitted.reason === "quota"
          ? "The workspace had stored its daily quota of evidence."
          : "It repeats the failure of an earlier check, which shows it."}
      >
        {evidenceOmitted?.checkId === null || evidenceOmitted === null
          ? null
          : (
            <a class="button plain" href={`/app/monitors/${monitorId}/checks/${evidenceOmitted.checkId}`}>
              See the evidence of that check
            </a>
          )}
      </Empty>
    </section>
  )
}

const EvidenceOf = ({ check: { evidence }, monitor }: { readonly check: Check; readonly monitor: MonitorDetail }) =>
  evidence === null ? null : (
    <>
      <AssertionsPart results={evidence.assertions} assertions={monitor.assertions} />
      <RequestPart of={evidence} />
      {evidence.dns === undefined ? null : <DnsPart of={evidence.dns} />}
      {evidence.mcp === undefined ? null : <McpPart of={evidence.mcp} />}
      {evidence.browser === undefined ? null : <BrowserPart of={evidence.browser} />}
      {evidence.script === undefined ? null : <ScriptPart of={evidence.script} />}
      <ResponsePart of={evidence} />
      {evidence.certificate === null ? null : <CertificatePart of={evidence.certificate} />}
      {evidence.manifest === undefined ? null : (
        <ListPanel id="manifest" title="Statuses in the manifest">
          {evidence.manifest.map(({ key, message, status }) => (
            <Item name={key} note={message}>
              <ComponentBadge status={status} />
            </Item>
          ))}
        </ListPanel>
      )}
    </>
  )

export const checkView = view("/app/monitors/:id/checks/:check", "monitors", function*(visit) {
  const { params } = visit
  const check = yield* read("get_check", { id: params["check"] ?? "" })
  const id = check.monitorId
  const monitor = yield* read("get_monitor", { id, checks: 0 })
  const pushed = monitor.kind === "heartbeat"
  return {
    title: `${pushed ? "Ping" : "Check"} of ${monitor.name}`,
    head: {
      title: `${pushed ? "Ping" : "Check"} at ${momentText(visit, check.at)}`,
      crumbs: [
        ["/app/monitors", "Monitors"],
        [`/app/monitors/${id}`, monitor.name],
        [`/app/monitors/${id}/checks`, pushed ? "Pings" : "Checks"]
      ]
    },
    stack: [
      <Outcome check={check} pushed={pushed} />,
      check.evidence === null
        ? <NoEvidence check={check} pushed={pushed} />
        : <EvidenceOf check={check} monitor={monitor} />
    ]
  }
})
