/** Runs of a job, from the pings of its heartbeat monitor: when one began and ended, how, and what it printed. */
import { Schema } from "effect"
import { described, fromTarget, orNull, textLike, Timestamp } from "../Fields.ts"
import { MonitorId, RunId } from "../Ids.ts"

/** A ping's part in a run: its start, its end, or text in between. */
export const RunSignal = Schema.Literal("start", "end", "log")
export type RunSignal = typeof RunSignal.Type

export const RunState = Schema.Literal("running", "overdue", "up", "degraded", "down", "lost", "logged").annotations({
  description:
    "running; overdue: longer than maxRunSec; up, degraded or down: how it ended; lost: the job started again without " +
    "ending it; logged: text outside of a run"
})
export type RunState = typeof RunState.Type

/** In characters. */
export const longestRunId = 100

/** The most bytes that are kept of a ping's body. */
export const longestLog = 100_000

const facts = {
  id: RunId,
  monitorId: MonitorId,
  state: RunState,
  rid: orNull(Schema.String, "The job's own id of the run; null without one", "728b3763-ae80-4113-b8d8-b5ce3c19ab1d"),
  startedAt: orNull(Timestamp, "null if the start was not reported"),
  endedAt: orNull(Timestamp, "null if the end was not reported"),
  durationMs: orNull(Schema.Number, "Milliseconds; null if unknown", 5120),
  exitCode: orNull(Schema.Int, "null if none was reported", 1),
  error: fromTarget(orNull(Schema.String, "Why it failed; null if it did not", "pg_dump: connection refused")),
  logBytes: described(Schema.Int, "Bytes that it printed to its pings")
}

export const JobRun = Schema.Struct(facts).annotations({ identifier: "JobRun" })
export type JobRun = typeof JobRun.Type

export const JobLog = Schema.Struct({
  at: described(Timestamp, "When it arrived"),
  signal: RunSignal.annotations({ description: "The ping that brought it" }),
  bytes: described(Schema.Int, "Bytes that arrived"),
  text: fromTarget(
    orNull(textLike("pg_dump: connection refused"), "Its first 100 kB; null when the job's 1 MiB of the day was spent")
  )
}).annotations({ identifier: "JobLog" })
export type JobLog = typeof JobLog.Type

export const JobRunDetail = Schema.Struct({
  ...facts,
  logs: Schema.Array(JobLog).annotations({ description: "Oldest first, at most 100" })
}).annotations({ identifier: "JobRunDetail" })
export type JobRunDetail = typeof JobRunDetail.Type

/** A run that has not ended, as its heartbeat's row has it. Its id has its time. */
export const OpenRun = Schema.Struct({
  id: RunId,
  /** Empty without one. */
  rid: Schema.String,
  /** When it began, ms since 1970. */
  at: Schema.Number,
  /** It has been reported as too long. */
  overdue: Schema.optionalWith(Schema.Literal(true), { exact: true })
})
export type OpenRun = typeof OpenRun.Type
