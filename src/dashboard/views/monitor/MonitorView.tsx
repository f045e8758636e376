/** The overview of a monitor: its state and cause, figures, states and latency over time, and what happened around them. */
import { DateTime, Effect } from "effect"
import type { MonitorExplanation } from "../../../../schema/monitor/Explanation.ts"
import type { JobRun } from "../../../../schema/monitor/JobRun.ts"
import { lastCheckText } from "../../../domain/monitor/LastCheckText.ts"
import { useAnswerOf } from "../../design/Form.tsx"
import { May } from "../../design/May.tsx"
import { Banner, Dot, Figures, inWords, Panel, toneOfMonitor } from "../../design/Parts.tsx"
import { Ago, Moment, Since, useNumber } from "../../design/Time.tsx"
import { read, readOrNull, together, view } from "../../frame/View.ts"
import { CheckRows, outcomeTones } from "./CheckRows.tsx"
import { Screenshots } from "./EvidenceParts.tsx"
import { HeartbeatSnippets } from "./HeartbeatSnippets.tsx"
import { type Happened, isRange, LatencyChart } from "./LatencyChart.tsx"
import { MonitorActions, runCheckForm } from "./MonitorActions.tsx"
import { eventsOf, type MonitorDetail, monitorHead, pollOf } from "./MonitorHead.tsx"
import { NextPing, NextPings, type SchedulePreview } from "./NextPings.tsx"
import { RunRows } from "./run/RunRows.tsx"

const recent = 8

const noRuns: { readonly data: ReadonlyArray<JobRun> } = { data: [] }

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
  const { lastCheck, late, muted, openIncidentId, state, stateSince } = monitor
  const noun = monitor.kind === "heartbeat" ? "ping" : "check"
  return (
    <Banner
      tone={toneOfMonitor(state)}
      role="status"
      title={
        <>
          {inWords(state)} for <Since at={stateSince} />
        </>
      }
      note={
        <>
          {state === "pending"
            ? noun === "ping" ? "Waiting for the first ping." : "The first check is under way."
            : state === "paused"
            ? "Not checked while paused."
            : causeOf(monitor, explanation).map((said) => said.replace(/[^.]$/, "$&.")).join(" ")}
          {late === null ? null : (
            <>
              {" "}
              A check is overdue since <Moment at={late.expectedAt} style="hour" />.
            </>
          )}
          {muted === null ? null : (
            <>
              {" "}
              {muted.incidentId === null ? "Muted" : <a href={`/app/incidents/${muted.incidentId}`}>In maintenance</a>} until{" "}
              <Moment at={muted.until} />
              {muted.reason === null ? null : (
                <>
                  : <bdi>{muted.reason}</bdi>
                </>
              )}.
            </>
          )}
          {lastCheck === null ? null : (
            <>
              {" "}
              Last {noun} <Ago at={lastCheck.at} />.
            </>
          )}
          <NextPing monitor={monitor} />
        </>
      }
    >
      {openIncidentId === null ? null : <a class="button" href={`/app/incidents/${openIncidentId}`}>Open incident</a>}
    </Banner>
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
        [`Median ${kind === "heartbeat" ? "duration" : "latency"}`, millis(stats.p50)],
        ["95th percentile", millis(stats.p95)],
        [
          kind === "heartbeat" ? "Pings, 24 hours" : "Checks, 24 hours",
          count(stats.checks),
          stats.failures === 0 ? "none failed" : `${count(stats.failures)} failed`
        ]
      ]}
    />
  )
}

const Schedule = ({ monitor, schedule }: { readonly monitor: MonitorDetail; readonly schedule: SchedulePreview | null }) => {
  const { duration } = useNumber()
  const { confirmAfterSec, dependsOn, failureThreshold, graceSec, intervalSec, kind, periodSec, recoveryThreshold, regions } =
    monitor
  const rule = kind === "heartbeat"
    ? `A ping is expected ${schedule?.words ?? `every ${duration(periodSec ?? 0)}`}, with ${duration(graceSec ?? 0)} of grace.`
    : `Checked every ${duration(intervalSec)} from ${regions.join(", ")}. Down after ${failureThreshold} ${
      failureThreshold === 1 ? "failure" : "failures in a row"
    }${confirmAfterSec === null ? "" : `, checked again within ${confirmAfterSec} s`}; up again after ${recoveryThreshold}.`
  return (
    <p class="note">
      {rule}
      {dependsOn.length === 0
        ? ""
        : ` Its alerts wait while ${dependsOn.length === 1 ? "the monitor" : "a monitor"} that it needs is down.`}{" "}
      <May call="update_monitor">
        <a href={`/app/monitors/${monitor.id}/edit`}>Change</a>
      </May>
    </p>
  )
}

const Recent = ({ base, monitor }: { readonly base: string; readonly monitor: MonitorDetail }) => {
  const noun = monitor.kind === "heartbeat" ? "pings" : "checks"
  return (
    <Panel
      id="recent"
      title={`Recent ${noun}`}
      flush={monitor.checks.length > 0}
      actions={<a href={`${base}/checks`}>All {noun}</a>}
    >
      {monitor.checks.length === 0
        ? <p class="note">None yet. New {noun} appear here.</p>
        : <CheckRows checks={monitor.checks} monitor={monitor} />}
    </Panel>
  )
}

/** Runs come before pings: they say more. Nothing is shown of a job without any. */
const RecentRuns = ({ base, runs }: { readonly base: string; readonly runs: ReadonlyArray<JobRun> }) =>
  runs.length === 0 ? null : (
    <Panel id="runs" title="Recent runs" flush actions={<a href={`${base}/runs`}>All runs</a>}>
      <RunRows runs={runs} />
    </Panel>
  )

export const monitorView = view("/app/monitors/:id", "monitors", function*({ id, query }) {
  const asked = query.get("range")
  const range = isRange(asked) ? asked : "24h"
  const [monitor, history, { data: incidents }, { data: maintenance }] = yield* together([
    read("get_monitor", { id, checks: recent }),
    read("get_monitor_history", { id, range }),
    read("list_incidents", { monitorId: id, limit: 50 }),
    read("list_incidents", { monitorId: id, kind: "maintenance", limit: 20 })
  ])
  const isTrouble = monitor.state === "down" || monitor.state === "degraded"
  const [schedule, { data: deploys }, explanation, { data: runs }] = yield* together([
    monitor.schedule === null
      ? Effect.succeed(null)
      : readOrNull("preview_schedule", { schedule: monitor.schedule, timezone: monitor.timezone ?? "UTC" }),
    read("list_deploys", { monitorId: id, since: DateTime.formatIso(history.from), limit: 50 }),
    isTrouble ? read("explain_monitor", { id }) : Effect.succeed(null),
    monitor.kind === "heartbeat" ? read("list_runs", { id, limit: recent }) : Effect.succeed(noRuns)
  ])
  const happened: Happened = { history, deploys, incidents, maintenance }
  const base = `/app/monitors/${id}`
  return {
    title: monitor.name,
    live: eventsOf(monitor),
    head: monitorHead(monitor, base, <MonitorActions monitor={monitor} />),
    body: (
      <div class="stack" data-poll={pollOf(monitor)}>
        <Ran monitor={monitor} />
        <State monitor={monitor} explanation={explanation} />
        {explanation === null ? null : (
          <p>
            {explanation.summary} <a href={`${base}/explain`}>Explain in full</a>
          </p>
        )}
        <MonitorFigures monitor={monitor} />
        <LatencyChart base={base} happened={happened} monitor={monitor} />
        {monitor.kind === "heartbeat" && monitor.pingUrl !== null ? <HeartbeatSnippets monitor={monitor} /> : null}
        <RecentRuns base={base} runs={runs} />
        <Recent base={base} monitor={monitor} />
        {schedule === null || monitor.paused ? null : <NextPings schedule={schedule} zone={monitor.timezone ?? "UTC"} />}
        <Schedule monitor={monitor} schedule={schedule} />
      </div>
    )
  }
})
