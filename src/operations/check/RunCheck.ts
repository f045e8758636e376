/** Runs a check on demand from the monitor's regions; the result affects the monitor's state only with `apply`. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { entityId, MonitorEntity } from "../../../cluster/monitor/MonitorProtocol.ts"
import type { Assignment } from "../../../schema/check/Bus.ts"
import { liveChecksSignal } from "../../../schema/check/Check.ts"
import { Unavailable, ValidationFailed } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { ProbeTarget } from "../../../schema/monitor/kinds.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"
import type { RequestSecrets } from "../../../schema/monitor/Monitor.ts"
import { checkOf, observationOf } from "../../domain/check/history/CheckView.ts"
import { vote } from "../../domain/check/round/Vote.ts"
import { frameOf } from "../../services/check/LiveChecks.ts"
import { ManifestFeed } from "../../services/check/ManifestFeed.ts"
import { Checks } from "../../store/check/Checks.ts"
import { Monitors, type MonitorWithState } from "../../store/monitor/Monitors.ts"
import { Signals } from "../../store/postgres/Signals.ts"
import { requireMonitor } from "../NoSuch.ts"
import { OnDemandChecks } from "./OnDemandChecks.ts"

/** Longer than a runner needs to take over from a killed one. */
const applyTimeout = "20 seconds"

const assignmentOf = (row: MonitorWithState, target: ProbeTarget, secrets: RequestSecrets): Assignment => ({
  monitorId: row.id,
  workspaceId: row.workspaceId,
  revision: row.revision,
  changedAt: row.updatedAt.epochMillis,
  intervalSec: row.intervalSec,
  timeoutMs: row.timeoutMs,
  regions: row.regions,
  target,
  secrets
})

const notApplied = () =>
  new Unavailable({
    message: "The monitor's runner did not accept the result",
    hint: "Try again in a few seconds; if the runner has stopped, another one takes over"
  })

/** The target to check. Fails for a heartbeat, which has no target, and with `apply` for a paused monitor. */
const targetOf = ({ paused, target }: MonitorWithState, apply: boolean): Effect.Effect<ProbeTarget, ValidationFailed> => {
  if (target.kind === "heartbeat") {
    return new ValidationFailed({
      message: "A heartbeat monitor cannot be checked on demand; it waits for pings",
      hint: "To report a run of the job, POST to its pingUrl"
    })
  }
  return apply && paused
    ? new ValidationFailed({
      message: "A result cannot be applied to a paused monitor",
      hint: "Resume the monitor with PATCH paused=false, or run the check without apply"
    })
    : Effect.succeed(target)
}

const makeApply = Effect.map(
  MonitorEntity.client,
  (monitor) => (row: MonitorWithState, checks: ReadonlyArray<Observation>, missing: number) =>
    monitor(entityId(row.workspaceId, row.id)).Apply({ checks, missing }).pipe(
      Effect.timeoutFail({ duration: applyTimeout, onTimeout: notApplied }),
      Effect.catchTags({ MailboxFull: notApplied, AlreadyProcessingMessage: notApplied, PersistenceError: notApplied })
    )
)

export class RunCheck extends Effect.Service<RunCheck>()("belltower/RunCheck", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const checks = yield* Checks
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const manifests = yield* ManifestFeed
    const onDemand = yield* OnDemandChecks
    const applied = yield* makeApply

    /**
     * Checks from one healthy region, or with `apply` from all, which then vote as in a round. Fails like a preview, and for a
     * paused monitor.
     */
    const run = Effect.fn("RunCheck.run")(function*(workspaceId: WorkspaceId, id: string, apply: boolean) {
      const row = yield* requireMonitor(monitors, workspaceId, id)
      const target = yield* targetOf(row, apply)
      const { asked, results } = yield* onDemand.ask(assignmentOf(row, target, yield* monitors.secrets(row)), apply)
      const observations = results.map((result) => observationOf(result, result.trusted))
      const missing = asked - results.length
      const state = apply ? yield* applied(row, observations, missing) : null
      // Regions that did not answer can leave the round without a verdict, and the monitor can be paused or deleted meanwhile.
      const counted = state !== null && state !== "paused" && vote(observations, missing) !== null
      if (counted) yield* manifests.feed(results.filter(({ trusted }) => trusted))
      yield* Effect.orDie(sql.withTransaction(checks.insert(results.map((result) => ({ result, counted })))))
      // Checks that are applied reach the live streams by the monitor's actor.
      if (!apply) {
        const frames = observations.map((check) => frameOf({ workspaceId, check }))
        yield* Effect.forEach(frames, (frame) => signals.send(liveChecksSignal, frame), { discard: true })
      }
      const deciding = vote(observations, 0)?.check.checkId
      const shown = results.find((result) => result.checkId === deciding) ?? results[0]
      return checkOf(shown, counted)
    }, Effect.scoped)

    return { run }
  }),
  dependencies: [ManifestFeed.Default, OnDemandChecks.Default]
}) {}
