/** The overview of a monitor: its state and cause, figures, states and latency over time, and what happened around them. */
import { DateTime, Effect } from "effect"
import type { MonitorExplanation } from "../../../../schema/monitor/Explanation.ts"
import { lastCheckText } from "../../../domain/monitor/LastCheckText.ts"
import { useAnswerOf } from "../../design/Form.tsx"
import { Dot, Figures, inWords, Panel, type Tone, toneOfMonitor } from "../../design/Parts.tsx"
import { Ago, durationText, Moment, Since, useNumber } from "../../design/Time.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"
import { CheckRows, outcomeTones } from "./CheckRows.tsx"
import { Screenshots } from "./EvidenceParts.tsx"
import { HeartbeatSnippets } from "./HeartbeatSnippets.tsx"
import { isRange, LatencyChart, RangeLinks } from "./LatencyChart.tsx"
import { MonitorActions, runCheckForm } from "./MonitorActions.tsx"
import { eventsOf, type MonitorDetail, MonitorHead, pollOf } from "./MonitorHead.tsx"
import { type OnAxis, StateTimeline } from "./StateTimeline.tsx"

/** Checks listed below the charts. */
const recent = 8

/** The error that explains the state, and the last check's error if it differs. */
const causeOf = ({ lastCheck, state }: MonitorDetail, explanation: MonitorExplanation | null): ReadonlyArray<string> => {
  const said = lastCheck === null ? null : lastCheckText(state, lastCheck)
  const explained = explanation?.check?.error ?? null
  return lastCheck?.outcome === state && explained !== null
    ? [explained]
    : [explained, said].filter((text) => text !== null)
}

const State = ({ explanation, monitor }: {
  readonly monitor: MonitorDetail
  readonly explanation: MonitorExplanation | null
}) => {
  const { lastCheck, late, openIncidentId, state, stateSince } = monitor
  const tone: Tone = toneOfMonitor(state)
  return (
    <div class={`banner is-${tone}`} role="status">
      <Dot tone={tone} />
      <div>
        <h2>
          {inWords(state)} for <Since at={stateSince} />
        </h2>
        <p class="note">
          {state === "pending"
            ? monitor.kind === "heartbeat" ? "Waiting for the first ping." : "The first check is under way."
            : state === "paused"
            ? "Not checked while paused."
            : causeOf(monitor, explanation).map((said) => said.replace(/[^.]$/, "$&.")).join(" ")}
          {late === null ? null : (
            <>
              {" "}
              A check is overdue since <Moment at={late.expectedAt} style="hour" />.
            </>
          )}
          {lastCheck === null ? null : (
            <>
              {" "}
              Last {monitor.kind === "heartbeat" ? "ping" : "check"} <Ago at={lastCheck.at} />.
            </>
          )}
        </p>
      </div>
      {openIncidentId === null ? null : <a class="button" href={`/app/incidents/${openIncidentId}`}>Open incident</a>}
    </div>
  )
}

/** The check that "Run check now" has just made. */
const Ran = ({ monitor: { id } }: { readonly monitor: MonitorDetail }) => {
  const check = useAnswerOf(runCheckForm(id), "run_check")
  const { millis } = useNumber()
  if (check === null) return null
  const { error, evidence, latencyMs, outcome } = check
  const tone = outcomeTones[outcome]
  return (
    <div class={`notice is-${tone}`} role="status" tabindex={-1} data-focus data-answer id="ran">
      <span>
        <Dot tone={tone} /> Checked just now: {inWords(outcome).toLowerCase()}
        {latencyMs === null ? "" : ` in ${millis(latencyMs)}`}
        {error === null ? "" : `. ${error}`}
      </span>
      <a class="button plain tight" href={`/app/monitors/${id}/checks/${check.id}`}>See the evidence</a>
      <Screenshots of={evidence?.browser?.screenshots ?? []} />
    </div>
  )
}

const MonitorFigures = ({ monitor: { kind, stats, uptime } }: { readonly monitor: MonitorDetail }) => {
  const { count, millis, percent } = useNumber()
  const share = (given: MonitorDetail["uptime"]["24h"]) => (given === null ? "–" : percent(given.percent))
  const coverage = (given: MonitorDetail["uptime"]["24h"]) =>
    given === null ? "not observed" : given.coveragePercent >= 99.9 ? undefined : `of ${percent(given.coveragePercent)} observed`
  return (
    <Figures
      of={[
        ["Uptime, 24 hours", share(uptime["24h"]), coverage(uptime["24h"])],
        ["7 days", share(uptime["7d"]), coverage(uptime["7d"])],
        ["30 days", share(uptime["30d"]), coverage(uptime["30d"])],
        [kind === "heartbeat" ? "Median duration" : "Median latency", stats.p50 === null ? "–" : millis(stats.p50), "24 h"],
        ["95th percentile", stats.p95 === null ? "–" : millis(stats.p95), "24 h"],
        [
          kind === "heartbeat" ? "Pings" : "Checks",
          count(stats.checks),
          stats.failures === 0 ? "none failed" : `${count(stats.failures)} failed`
        ]
      ]}
    />
  )
}

const Settings = ({ monitor }: { readonly monitor: MonitorDetail }) => {
  const { locale } = useVisit()
  const { confirmAfterSec, dependsOn, failureThreshold, graceSec, intervalSec, kind, periodSec, recoveryThreshold, regions } =
    monitor
  return (
    <p class="note">
      {kind === "heartbeat" && periodSec !== null
        ? `A ping is expected every ${durationText(locale, `${periodSec} seconds`)}, with ${
          durationText(locale, `${graceSec ?? 0} seconds`)
        } of grace.`
        : `Checked every ${durationText(locale, `${intervalSec} seconds`)} from ${
          regions.join(", ")
        }. Down after ${failureThreshold} ${failureThreshold === 1 ? "failure" : "failures in a row"}${
          confirmAfterSec === null ? "" : `, confirmed after ${confirmAfterSec} s`
        }; up again after ${recoveryThreshold}.`}
      {dependsOn.length === 0
        ? ""
        : ` Its alerts wait while ${dependsOn.length === 1 ? "the monitor" : "a monitor"} that it needs is down.`}{" "}
      <a href={`/app/monitors/${monitor.id}/edit`}>Change</a>
    </p>
  )
}

const Course = ({ axis, base }: { readonly axis: OnAxis; readonly base: string }) => (
  <Panel id="course" title="Course" actions={<RangeLinks base={base} range={axis.history.range} />}>
    <StateTimeline {...axis} />
  </Panel>
)

const Overview = ({ axis, explanation, monitor }: {
  readonly monitor: MonitorDetail
  readonly axis: OnAxis
  readonly explanation: MonitorExplanation | null
}) => {
  const base = `/app/monitors/${monitor.id}`
  return (
    <>
      <MonitorHead monitor={monitor} here={base} actions={<MonitorActions monitor={monitor} />} />
      <div class="stack" data-poll={pollOf(monitor)}>
        <Ran monitor={monitor} />
        <State monitor={monitor} explanation={explanation} />
        {explanation === null ? null : (
          <p>
            {explanation.summary} <a href={`${base}/explain`}>Explain in full</a>
          </p>
        )}
        <MonitorFigures monitor={monitor} />
        <Course axis={axis} base={base} />
        <LatencyChart {...axis} monitor={monitor} />
        {monitor.kind === "heartbeat" && monitor.pingUrl !== null ? <HeartbeatSnippets monitor={monitor} /> : null}
        <Panel
          id="recent"
          title={monitor.kind === "heartbeat" ? "Recent pings" : "Recent checks"}
          flush={monitor.checks.length > 0}
          actions={<a href={`${base}/checks`}>All {monitor.kind === "heartbeat" ? "pings" : "checks"}</a>}
        >
          {monitor.checks.length === 0
            ? <p class="note">None yet. This list fills by itself.</p>
            : <CheckRows checks={monitor.checks} monitor={monitor} />}
        </Panel>
        <Settings monitor={monitor} />
      </div>
    </>
  )
}

export const monitorView = view(
  "/app/monitors/:id",
  "monitors",
  Effect.gen(function*() {
    const { params, query } = yield* Visit
    const id = params["id"] ?? ""
    const asked = query.get("range")
    const range = isRange(asked) ? asked : "24h"
    const [monitor, history, { data: incidents }] = yield* Effect.all([
      read("get_monitor", { id, checks: recent }),
      read("get_monitor_history", { id, range }),
      read("list_incidents", { monitorId: id, limit: 50 })
    ], together)
    const isTrouble = monitor.state === "down" || monitor.state === "degraded"
    const [{ data: deploys }, explanation] = yield* Effect.all([
      read("list_deploys", { monitorId: id, since: DateTime.formatIso(history.from), limit: 50 }),
      isTrouble ? read("explain_monitor", { id }) : Effect.succeed(null)
    ], together)
    const within = incidents.filter(({ resolvedAt }) => resolvedAt === null || DateTime.greaterThan(resolvedAt, history.from))
    return {
      title: monitor.name,
      live: eventsOf(monitor),
      body: <Overview monitor={monitor} axis={{ history, deploys, incidents: within }} explanation={explanation} />
    }
  })
)
