/** One run of a job: its log first if it failed, else its facts. */
import type { JobLog } from "../../../../../schema/monitor/JobRun.ts"
import { Banner, Facts, Panel, TargetText } from "../../../design/Parts.tsx"
import { Moment, momentText, useNumber } from "../../../design/Time.tsx"
import type { AnswerOf } from "../../../frame/DashboardApi.ts"
import { read, view } from "../../../frame/View.ts"
import { runTones, runWords } from "./RunRows.tsx"

type Run = AnswerOf<"get_run">

const parts: Readonly<Record<JobLog["signal"], string>> = {
  start: "At the start",
  log: "While it ran",
  end: "At the end"
}

const Log = ({ log: { at, bytes, signal, text } }: { readonly log: JobLog }) => {
  const { count } = useNumber()
  const isCut = text !== null && bytes > text.length && bytes > new TextEncoder().encode(text).length
  return (
    <>
      <p class="note">
        {parts[signal]}, <Moment at={at} style="full" />, {count(bytes)} bytes
        {isCut ? ". The first 100 kB are kept" : ""}
      </p>
      {text === null
        ? <p class="note">Not kept: the job had used its 1 MiB of the day.</p>
        : <TargetText label="Output">{text}</TargetText>}
    </>
  )
}

/** The end of a failed run says most. */
const Logs = ({ isFailed, logs }: { readonly isFailed: boolean; readonly logs: ReadonlyArray<JobLog> }) => (
  <Panel id="log" title="Log">
    {logs.length === 0
      ? <p class="note">The run sent no output. Send it as the body of a ping.</p>
      : (isFailed ? [...logs].reverse() : logs).map((log) => <Log log={log} />)}
  </Panel>
)

const RunFacts = ({ run }: { readonly run: Run }) => {
  const { millis } = useNumber()
  const { durationMs, endedAt, exitCode, rid, startedAt } = run
  return (
    <Panel id="facts" title="Run">
      <Facts
        of={[
          ["Started", startedAt === null ? null : <Moment at={startedAt} style="full" />],
          ["Ended", endedAt === null ? null : <Moment at={endedAt} style="full" />],
          ["Duration", durationMs === null ? null : millis(durationMs)],
          ["Exit code", exitCode],
          ["Run id", rid === null ? null : <span class="mono breaks">{rid}</span>]
        ]}
      />
    </Panel>
  )
}

export const runView = view("/app/monitors/:id/runs/:run", "monitors", function*(visit) {
  const run = yield* read("get_run", { id: visit.params["run"] ?? "" })
  const id = run.monitorId
  const monitor = yield* read("get_monitor", { id, checks: 0 })
  const at = run.startedAt ?? run.endedAt
  const isFailed = run.state === "down" || run.state === "overdue"
  const log = <Logs isFailed={isFailed} logs={run.logs} />
  const facts = <RunFacts run={run} />
  return {
    title: `Run of ${monitor.name}`,
    live: run.endedAt === null ? [`monitor.*:${id}`] : [],
    head: {
      title: at === null ? "Run" : `Run at ${momentText(visit, at)}`,
      crumbs: [
        ["/app/monitors", "Monitors"],
        [`/app/monitors/${id}`, monitor.name],
        [`/app/monitors/${id}/runs`, "Runs"]
      ]
    },
    stack: [
      <Banner
        tone={runTones[run.state]}
        title={run.exitCode === null ? runWords[run.state] : `${runWords[run.state]} with exit code ${run.exitCode}`}
        more={run.error === null ? null : <p>{run.error}</p>}
      />,
      ...(isFailed ? [log, facts] : [facts, log])
    ]
  }
})
