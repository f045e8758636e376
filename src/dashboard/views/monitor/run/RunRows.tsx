/** Runs of a job as a table whose rows lead to what each printed. */
import type { JobRun, RunState } from "../../../../../schema/monitor/JobRun.ts"
import { Badge, Clamp, inWords, type Tone } from "../../../design/Parts.tsx"
import { type Columns, RecordTable } from "../../../design/Table.tsx"
import { Ago, Moment, useNumber } from "../../../design/Time.tsx"

export const runTones: Readonly<Record<RunState, Tone>> = {
  running: "calm",
  overdue: "bad",
  up: "good",
  degraded: "warn",
  down: "bad",
  lost: "warn",
  logged: "none"
}

export const runWords: Readonly<Record<RunState, string>> = {
  running: "Running",
  overdue: "Running too long",
  up: "Succeeded",
  degraded: "Degraded",
  down: "Failed",
  lost: "Did not end",
  logged: "Log only"
}

const RunBadge = ({ state }: Pick<JobRun, "state">) => <Badge tone={runTones[state]}>{runWords[state]}</Badge>

/** When it began, or ended if nobody said that it began. */
const timeOf = ({ endedAt, startedAt }: JobRun) => startedAt ?? endedAt

const Started = ({ run }: { readonly run: JobRun }) => {
  const at = timeOf(run)
  return (
    <>
      <a class="title" href={`/app/monitors/${run.monitorId}/runs/${run.id}`}>
        {at === null ? "Run" : <Moment at={at} style="second" />}
      </a>{" "}
      {at === null ? null : (
        <span class="note">
          <Ago at={at} />
        </span>
      )}
    </>
  )
}

const Said = ({ run: { error, rid } }: { readonly run: JobRun }) => (
  <>
    {error === null ? rid === null ? "–" : null : <Clamp>{error}</Clamp>}
    {rid === null ? null : <span class="note breaks">{rid}</span>}
  </>
)

export const RunRows = ({ runs }: { readonly runs: ReadonlyArray<JobRun> }) => {
  const { count, millis } = useNumber()
  const columns: Columns<JobRun> = [
    { name: "Time", cell: (run) => <Started run={run} /> },
    { name: "State", cell: ({ state }) => <RunBadge state={state} /> },
    { name: "Duration", class: "num", cell: ({ durationMs }) => millis(durationMs) },
    { name: "Exit code", class: "num", cell: ({ exitCode }) => exitCode === null ? "–" : String(exitCode) },
    { name: "Output", class: "num", cell: ({ logBytes }) => logBytes === 0 ? "–" : `${count(logBytes)} B` },
    { name: "Result", class: "named", cell: (run) => <Said run={run} /> }
  ]
  return <RecordTable of={runs} idOf={({ id }) => `run-${id}`} columns={columns} />
}

/** The options of a filter by state. */
export const runStates: ReadonlyArray<readonly [string, string]> = [
  ["", "All"],
  ...Object.entries(runWords).map(([state, words]): readonly [string, string] => [state, inWords(words)])
]
