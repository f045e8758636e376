/** Why a monitor is in its state, and what other settings would have made of it. */
import type { ExplainedCheck, MonitorExplanation } from "../../../../schema/monitor/Explanation.ts"
import { briefCause } from "../../../domain/check/answer/BriefCause.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { Facts, Item, ListPanel, Panel } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { Ago, Moment } from "../../design/Time.tsx"
import { fieldLabel } from "../../design/TypedFields.tsx"
import { read, together, view } from "../../frame/View.ts"
import { OutcomeBadge } from "./CheckRows.tsx"
import { eventsOf, monitorHead } from "./MonitorHead.tsx"
import { SimulateForm } from "./SimulateForm.tsx"
import { phaseNames, Waterfall } from "./Waterfall.tsx"

const Shown = ({ check, monitorId }: { readonly check: ExplainedCheck; readonly monitorId: string }) => (
  <a href={`/app/monitors/${monitorId}/checks/${check.id}`}>
    <Moment at={check.at} /> from {check.region}
  </a>
)

const Changes = ({ changes }: Pick<MonitorExplanation, "changes">) =>
  changes.length === 0 ? null : (
    <Panel id="changes" title="Different from the last good check" flush>
      <Table columns={["What", "Before", "Now"]}>
        {changes.map(({ before, now, what }) => (
          <tr>
            <td class="lead">{fieldLabel(what)}</td>
            <td data-label="Before" class="mono">{before ?? "absent"}</td>
            <td data-label="Now" class="mono">{now ?? "absent"}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  )

const Around = ({ deploys, regions, upstreams }: Pick<MonitorExplanation, "deploys" | "regions" | "upstreams">) => (
  <div class="columns">
    {regions.length === 0 ? null : (
      <ListPanel id="views" title="Last result of each region">
        {regions.map(({ at, cause, disagrees, outcome, region }) => (
          <li>
            <div>
              <b>{region}</b>
              <p class="note">
                <Ago at={at} />
                {cause === null ? "" : `, ${briefCause({ cause, statusCode: null })}`}
                {disagrees ? ", differs from the majority" : ""}
              </p>
            </div>
            <OutcomeBadge outcome={outcome} />
          </li>
        ))}
      </ListPanel>
    )}
    <ListPanel id="deploys" title="Deploys in the hour before" none="None was recorded.">
      {deploys.map(({ environment, id, minutesBefore, service, version }) => (
        <Item
          id={`deploy-${id}`}
          name={version ?? service ?? "Deploy"}
          note={[service, environment].filter((name) => name !== null).join(", ")}
        >
          <span class="note">{minutesBefore} min before</span>
        </Item>
      ))}
    </ListPanel>
    <Panel id="parties" title="Third parties it may depend on">
      {upstreams.length === 0
        ? (
          <p class="note">
            None declared. <a href="/app/upstreams">Choose third parties</a>
          </p>
        )
        : (
          <ul class="rows">
            {upstreams.map((name) => (
              <li>
                <a class="title" href={`/status/${name}`}>{name}</a>
              </li>
            ))}
          </ul>
        )}
    </Panel>
  </div>
)

const Explained = ({ of }: { readonly of: MonitorExplanation }) => {
  const { changes, check, deploys, failedPhase, lastGood, monitorId, regions, slowestPhase, state, summary, upstreams } = of
  // A failure that does not decide the state is no cause of it.
  const isCause = check?.outcome === state
  return (
    <>
      <Panel id="why" title="Why this state">
        <p>{summary}</p>
        <Facts
          of={[
            [isCause ? "Check" : "Last check", check === null ? null : <Shown check={check} monitorId={monitorId} />],
            [isCause ? "Cause" : "Its failure", check === null ? null : briefCause(check)],
            ["Failed in", failedPhase === null ? null : phaseNames[failedPhase]],
            ["Slowest phase", slowestPhase === null ? null : phaseNames[slowestPhase]],
            ["Last good check", lastGood === null ? null : <Shown check={lastGood} monitorId={monitorId} />]
          ]}
        />
        {check?.timings === null || check === null ? null : <Waterfall timings={check.timings} />}
      </Panel>
      <Changes changes={changes} />
      <Around regions={regions} deploys={deploys} upstreams={upstreams} />
    </>
  )
}

export const explainView = view("/app/monitors/:id/explain", "monitors", function*({ id }) {
  const [monitor, explanation] = yield* together([read("get_monitor", { id, checks: 0 }), read("explain_monitor", { id })])
  return {
    title: `Why ${isolated(monitor.name)} is ${monitor.state}`,
    live: eventsOf(monitor),
    head: monitorHead(monitor, `/app/monitors/${id}/explain`),
    // A heartbeat has no checks that could be replayed.
    stack: [<Explained of={explanation} />, monitor.kind === "heartbeat" ? null : <SimulateForm monitor={monitor} />]
  }
})
