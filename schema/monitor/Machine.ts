/** What a monitor's actor remembers between checks: streaks, the rounds still open, the newest one closed. */
import { Schema } from "effect"
import { checkFacts, CheckSummary } from "../check/Check.ts"
import { CheckId, MonitorId, WorkspaceId } from "../Ids.ts"
import { MonitorState } from "./Monitor.ts"

/** A check result as the actor sees it: what it decides by, and what its events tell. Times are milliseconds since 1970. */
export const Observation = Schema.Struct({
  checkId: CheckId,
  monitorId: MonitorId,
  revision: Schema.Int,
  slot: Schema.Int,
  at: Schema.Number,
  ...checkFacts,
  hasEvidence: Schema.Boolean,
  trusted: Schema.Boolean
})
export type Observation = typeof Observation.Type

/** A round in which not every expected region has reported yet. */
export const Round = Schema.Struct({
  slot: Schema.Int,
  deadline: Schema.Number.annotations({
    description: "When it is decided by those heard, ms since 1970; later where the missing could turn it"
  }),
  votes: Schema.Array(Observation).annotations({
    description: "What was reported, also by probes that distrust themselves: those have no vote"
  })
})
export type Round = typeof Round.Type

export const Machine = Schema.Struct({
  state: MonitorState,
  since: Schema.Number.annotations({ description: "When the state began: at the first check of the streak that led to it" }),
  revision: Schema.Int,
  sequence: Schema.Int.annotations({ description: "Counts the changes of this record, so that an older copy never wins" }),
  failures: Schema.Int.annotations({ description: "Bad rounds in a row" }),
  successes: Schema.Int.annotations({ description: "Good rounds in a row while down or degraded" }),
  streakSince: Schema.NullOr(Schema.Number).annotations({ description: "The first check of the current streak" }),
  lastSlot: Schema.Int.annotations({ description: "The newest slot that was closed; -1 when none was" }),
  lastRoundAt: Schema.NullOr(Schema.Number).annotations({
    description: "When the last round that decided was seen; null where none was, and for heartbeats"
  }),
  rounds: Schema.Array(Round)
})
export type Machine = typeof Machine.Type

/** An actor's memory after a check that changed no state, to be written in bulk. */
export const Snapshot = Schema.Struct({
  workspaceId: WorkspaceId,
  monitorId: MonitorId,
  version: Schema.Int.annotations({ description: "The version of the row it belongs to" }),
  machine: Machine,
  lastCheck: Schema.NullOr(CheckSummary)
})
export type Snapshot = typeof Snapshot.Type
