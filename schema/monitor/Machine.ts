/** The state that a monitor's actor keeps between checks: streaks, open rounds and the newest closed round. */
import { Schema, Struct } from "effect"
import { CheckResult } from "../check/Bus.ts"
import { checkFacts, CheckSummary } from "../check/Check.ts"
import { optional, orNull } from "../Fields.ts"
import { MonitorId, WorkspaceId } from "../Ids.ts"
import { MonitorState } from "./Monitor.ts"

/** A check result as the actor receives it: the input of its decisions and events. Times are milliseconds since 1970. */
export const Observation = Schema.Struct({
  ...Struct.pick(CheckResult.fields, "checkId", "monitorId", "revision", "slot", "attempt", "at"),
  ...checkFacts,
  hasEvidence: Schema.Boolean,
  trusted: Schema.Boolean
})
export type Observation = typeof Observation.Type

/** A round in which not every expected region has reported yet. */
export const Round = Schema.Struct({
  slot: Schema.Int,
  attempt: optional(Schema.Int, "From 1 for rounds that confirm a failed one; missing for others"),
  deadline: Schema.Number.annotations({
    description: "When the reported votes decide the round, ms since 1970; later if missing regions could change the result"
  }),
  votes: Schema.Array(Observation).annotations({
    description: "All reports, including untrusted ones, which do not count as votes"
  })
})
export type Round = typeof Round.Type

export const Machine = Schema.Struct({
  state: MonitorState,
  since: Schema.Number.annotations({ description: "Start of the state: the first check of the streak that led to it" }),
  revision: Schema.Int,
  sequence: Schema.Int.annotations({
    description: "Number of changes to this record; an older copy never overwrites a newer one"
  }),
  failures: Schema.Int.annotations({ description: "Consecutive failed rounds" }),
  successes: Schema.Int.annotations({ description: "Consecutive successful rounds while down or degraded" }),
  streakSince: orNull(Schema.Number, "Time of the first check of the current streak"),
  lastSlot: Schema.Int.annotations({ description: "Newest closed slot; -1 if none" }),
  lastRoundAt: orNull(Schema.Number, "When the last conclusive round was processed; null if none was, and for heartbeats"),
  lastAttempt: optional(Schema.Int, "Newest closed attempt of lastSlot; missing if none"),
  failed: optional(
    Schema.Array(Observation),
    "The last vote of each region in lastSlot, while a failed round of it waits for confirmation"
  ),
  recent: optional(
    Schema.Array(Schema.Boolean),
    "Whether each of the last rounds failed, oldest first; only with a failure rate"
  ),
  rounds: Schema.Array(Round)
})
export type Machine = typeof Machine.Type

/** The latest time of a monitor's next round. */
export const Expectation = Schema.Struct({
  at: Schema.Number.annotations({ description: "ms since 1970" }),
  allowance: Schema.Number.annotations({ description: "How long after a round the next one is late, ms" })
})
export type Expectation = typeof Expectation.Type

/** An actor's memory after a check that changed no state; written in batches. */
export const Snapshot = Schema.Struct({
  workspaceId: WorkspaceId,
  monitorId: MonitorId,
  version: Schema.Int.annotations({ description: "Version of the row that the snapshot belongs to" }),
  machine: Machine,
  lastCheck: Schema.NullOr(CheckSummary),
  expected: orNull(Expectation, "null if no round is expected: paused, or not probed")
})
export type Snapshot = typeof Snapshot.Type
