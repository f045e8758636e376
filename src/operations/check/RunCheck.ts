/** A check by hand: made at once in the monitor's regions, and fed into its state only when asked to. */
import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import { RegionHealth } from "../../../cluster/check/RegionHealth.ts"
import { entityId, MonitorEntity } from "../../../cluster/monitor/MonitorProtocol.ts"
import type { Assignment, CheckResult } from "../../../schema/check/Bus.ts"
import type { Check } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import { Unavailable, ValidationFailed } from "../../../schema/Errors.ts"
import { instant } from "../../../schema/Fields.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { ProbeTarget } from "../../../schema/monitor/Monitor.ts"
import { Bus } from "../../bus/Bus.ts"
import { vote } from "../../domain/check/Vote.ts"
import { observationOf } from "../../domain/monitor/MonitorView.ts"
import { Checks } from "../../store/check/Checks.ts"
import { randomToken } from "../../store/Mint.ts"
import type { MonitorWithState } from "../../store/monitor/Monitors.ts"

/** Beyond the check's own timeout: the way there and back, ms. */
const travel = 5000

/** Longer than it takes another runner to take over from one that was killed. */
const applyTimeout = "20 seconds"

const checkOf = (result: CheckResult, counted: boolean): Check => ({
  id: result.checkId,
  monitorId: result.monitorId,
  at: instant(result.at),
  outcome: result.outcome,
  statusCode: result.statusCode,
  latencyMs: result.latencyMs,
  error: result.error,
  cause: result.cause,
  region: result.region,
  hasEvidence: result.evidence !== null,
  counted,
  timings: result.timings,
  evidence: result.evidence
})

export class RunCheck extends Effect.Service<RunCheck>()("belltower/RunCheck", {
  effect: Effect.gen(function*() {
    const bus = yield* Bus
    const regions = yield* RegionHealth
    const checks = yield* Checks
    const sql = yield* SqlClient.SqlClient
    const monitor = yield* MonitorEntity.client

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

    const lookFrom = Effect.fn("RunCheck.lookFrom")(function*(row: MonitorWithState, target: ProbeTarget, region: RegionId) {
      const now = yield* Clock.currentTimeMillis
      return yield* bus.ask({
        requestId: yield* randomToken(24),
        region,
        assignment: assignmentOf(row, target),
        expiresAt: now + row.timeoutMs + travel
      })
    })

    const unavailable = (row: MonitorWithState) =>
      new Unavailable({
        message: `No probe of region ${row.regions.join(", ")} answered`,
        hint: "GET /api/v1/regions tells which regions are healthy"
      })

    const unanswered = () =>
      new Unavailable({
        message: "The monitor's runner did not take the result in",
        hint: "Try again in a moment: another runner takes over from one that is gone"
      })

    /**
     * Looks from one healthy region, or with `apply` from all of them, which then vote like any round. Fails when no probe
     * answers; a paused monitor can be looked at, but not moved.
     */
    const run = Effect.fn("RunCheck.run")(function*(workspaceId: WorkspaceId, row: MonitorWithState, apply: boolean) {
      const { target } = row
      if (target.kind === "heartbeat") {
        return yield* new ValidationFailed({
          message: "A heartbeat monitor is not checked from outside: it waits for pings",
          hint: "POST to its pingUrl to report that the job ran"
        })
      }
      if (apply && row.paused) {
        return yield* new ValidationFailed({
          message: "A paused monitor has no state to apply a result to",
          hint: "Resume it with PATCH paused=false, or check without apply"
        })
      }
      const now = yield* Clock.currentTimeMillis
      const healthy = row.regions.filter((region) => !regions.isUnfit(region, now))
      const candidates = healthy.length === 0 ? row.regions : healthy
      const results = yield* apply
        ? Effect.map(
          Effect.forEach(candidates, (region) => Effect.option(lookFrom(row, target, region)), { concurrency: "unbounded" }),
          (looks) => looks.flatMap((look) => look._tag === "Some" ? [look.value] : [])
        )
        : Effect.firstSuccessOf(candidates.map((region) => lookFrom(row, target, region))).pipe(
          Effect.map((result) => [result]),
          Effect.orElseSucceed(() => new Array<CheckResult>())
        )
      if (results.length === 0) return yield* unavailable(row)
      const observations = results.map((result) => observationOf(result, result.trusted))
      if (apply) {
        yield* monitor(entityId(workspaceId, row.id)).Apply({ checks: observations, missing: candidates.length - results.length })
          .pipe(
            Effect.timeoutFail({ duration: applyTimeout, onTimeout: unanswered }),
            Effect.catchTags({ MailboxFull: unanswered, AlreadyProcessingMessage: unanswered, PersistenceError: unanswered })
          )
      }
      yield* Effect.orDie(sql.withTransaction(checks.insert(results.map((result) => ({ result, counted: apply })))))
      const deciding = vote(observations, 0)?.check.checkId
      const told = results.find((result) => result.checkId === deciding) ?? results[0]
      return told === undefined ? yield* unavailable(row) : checkOf(told, apply)
    })

    return { run }
  })
}) {}
