/** Runs a check on demand from the monitor's regions; the result affects the monitor's state only with `apply`. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Option } from "effect"
import { RegionHealth } from "../../../cluster/check/RegionHealth.ts"
import { entityId, MonitorEntity } from "../../../cluster/monitor/MonitorProtocol.ts"
import type { Assignment, CheckResult } from "../../../schema/check/Bus.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import { type RateLimited, Unavailable, ValidationFailed } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { ProbeTarget } from "../../../schema/monitor/kinds.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"
import { Bus } from "../../bus/Bus.ts"
import { checkOf, observationOf } from "../../domain/check/CheckView.ts"
import { defaultChecksPerWorkspace, makeRunningChecks } from "../../domain/check/RunningChecks.ts"
import { vote } from "../../domain/check/Vote.ts"
import { Checks } from "../../store/check/Checks.ts"
import { randomToken } from "../../store/Mint.ts"
import { Monitors, type MonitorWithState } from "../../store/monitor/Monitors.ts"
import { CallerLeft } from "../access/CallerLeft.ts"
import { requireMonitor } from "../monitor/RequireMonitor.ts"

/** Checks on demand that one workspace may have under way in one process. */
export class ChecksPerWorkspace extends Context.Reference<ChecksPerWorkspace>()("belltower/ChecksPerWorkspace", {
  defaultValue: () => defaultChecksPerWorkspace
}) {}

/** Time for the request and the result to cross the bus, added to the check's timeout, ms. */
const transitMs = 5000

/** Longer than a runner needs to take over from a killed one. */
const applyTimeout = "20 seconds"

const assignmentOf = (row: MonitorWithState, target: ProbeTarget): Assignment => ({
  monitorId: row.id,
  workspaceId: row.workspaceId,
  revision: row.revision,
  changedAt: row.updatedAt.epochMillis,
  intervalSec: row.intervalSec,
  timeoutMs: row.timeoutMs,
  regions: row.regions,
  target,
  sealed: row.sealed
})

const noAnswer = (row: MonitorWithState) =>
  new Unavailable({
    message: `No probe answered in ${row.regions.join(", ")}`,
    hint: "Check the health of the regions with GET /api/v1/regions"
  })

const notApplied = () =>
  new Unavailable({
    message: "The monitor's runner did not accept the result",
    hint: "Try again in a few seconds; if the runner has stopped, another one takes over"
  })

/** Nobody reads this answer. */
const abandoned = new Unavailable({ message: "The caller left before the check ended" })

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

/** Runs a check in all given regions, or in one after the other until a probe answers. */
const makeProbing = Effect.gen(function*() {
  const bus = yield* Bus

  const checkFrom = Effect.fn("RunCheck.checkFrom")(function*(row: MonitorWithState, target: ProbeTarget, region: RegionId) {
    const now = yield* Clock.currentTimeMillis
    return yield* bus.ask({
      requestId: yield* randomToken(24),
      region,
      assignment: assignmentOf(row, target),
      expiresAt: now + row.timeoutMs + transitMs
    })
  })

  return {
    all: (row: MonitorWithState, target: ProbeTarget, regions: ReadonlyArray<RegionId>) =>
      Effect.map(
        Effect.forEach(regions, (region) => Effect.option(checkFrom(row, target, region)), { concurrency: "unbounded" }),
        (answers) => answers.flatMap(Option.toArray)
      ),
    first: (row: MonitorWithState, target: ProbeTarget, regions: ReadonlyArray<RegionId>) =>
      Effect.firstSuccessOf(regions.map((region) => checkFrom(row, target, region))).pipe(
        Effect.map((result) => [result]),
        Effect.orElseSucceed(() => new Array<CheckResult>())
      )
  }
})

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
    const regions = yield* RegionHealth
    const checks = yield* Checks
    const sql = yield* SqlClient.SqlClient
    const probing = yield* makeProbing
    const applied = yield* makeApply
    const running = makeRunningChecks(yield* ChecksPerWorkspace)

    /** One of the workspace's places for checks on demand, until the scope closes. */
    const place = (workspaceId: WorkspaceId) =>
      Effect.acquireRelease(
        Effect.suspend((): Effect.Effect<void, RateLimited | Unavailable> => running.begin(workspaceId) ?? Effect.void),
        () => Effect.sync(() => running.end(workspaceId))
      )

    /**
     * Checks from one healthy region, or with `apply` from all of them, which then vote as in a scheduled round. Fails with
     * `not_found`, with `validation_failed` for a heartbeat or a paused monitor (with `apply`), with `rate_limited` when the
     * workspace has too many under way, and with `unavailable` if no probe answers. If the caller leaves, the check ends.
     */
    const run = Effect.fn("RunCheck.run")(function*(workspaceId: WorkspaceId, id: string, apply: boolean) {
      const row = yield* requireMonitor(monitors, workspaceId, id)
      const target = yield* targetOf(row, apply)
      const now = yield* Clock.currentTimeMillis
      const healthy = row.regions.filter((region) => !regions.isUnfit(region, now))
      const candidates = healthy.length === 0 ? row.regions : healthy
      yield* place(workspaceId)
      const results = yield* Effect.raceFirst(
        (apply ? probing.all : probing.first)(row, target, candidates),
        Effect.zipRight(yield* CallerLeft, abandoned)
      )
      if (results.length === 0) return yield* noAnswer(row)
      const observations = results.map((result) => observationOf(result, result.trusted))
      if (apply) yield* applied(row, observations, candidates.length - results.length)
      yield* Effect.orDie(sql.withTransaction(checks.insert(results.map((result) => ({ result, counted: apply })))))
      const deciding = vote(observations, 0)?.check.checkId
      const shown = results.find((result) => result.checkId === deciding) ?? results[0]
      return shown === undefined ? yield* noAnswer(row) : checkOf(shown, apply)
    }, Effect.scoped)

    return { run }
  })
}) {}
