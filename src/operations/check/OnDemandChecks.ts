/** Asks probes for checks outside the schedule: a bounded number at a time, and no longer than the caller waits. */
import { Clock, Context, Effect, Option } from "effect"
import type { Assignment, CheckResult } from "../../../schema/check/Bus.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import { Unavailable } from "../../../schema/Errors.ts"
import { Bus } from "../../bus/Bus.ts"
import { answerTime } from "../../domain/check/answer/AnswerTime.ts"
import { defaultChecksPerWorkspace, makeRunningChecks } from "../../domain/check/probe/RunningChecks.ts"
import { RegionHealth } from "../../services/check/RegionHealth.ts"
import { randomToken } from "../../store/Mint.ts"
import { CallerLeft } from "../access/CallerLeft.ts"
import { takePlace } from "../Places.ts"

/** Checks on demand that one workspace may have under way in one process. */
export class ChecksPerWorkspace extends Context.Reference<ChecksPerWorkspace>()("belltower/ChecksPerWorkspace", {
  defaultValue: () => defaultChecksPerWorkspace
}) {}

const noAnswer = (regions: ReadonlyArray<RegionId>) =>
  new Unavailable({
    message: `No probe answered in ${regions.join(", ")}`,
    hint: "Check the health of the regions with GET /api/v1/regions"
  })

/** Nobody reads this answer. */
const abandoned = new Unavailable({ message: "The caller left before the check ended" })

export class OnDemandChecks extends Effect.Service<OnDemandChecks>()("belltower/OnDemandChecks", {
  effect: Effect.gen(function*() {
    const bus = yield* Bus
    const regions = yield* RegionHealth
    const running = makeRunningChecks(yield* ChecksPerWorkspace)

    const checkFrom = Effect.fn("OnDemandChecks.checkFrom")(function*(assignment: Assignment, region: RegionId) {
      const now = yield* Clock.currentTimeMillis
      return yield* bus.ask({
        requestId: yield* randomToken(24),
        region,
        assignment,
        expiresAt: now + answerTime(assignment.target.kind, assignment.timeoutMs)
      })
    })

    const all = (assignment: Assignment, wanted: ReadonlyArray<RegionId>) =>
      Effect.map(
        Effect.forEach(wanted, (region) => Effect.option(checkFrom(assignment, region)), { concurrency: "unbounded" }),
        (answers) => answers.flatMap(Option.toArray)
      )

    const first = (assignment: Assignment, wanted: ReadonlyArray<RegionId>) =>
      Effect.firstSuccessOf(wanted.map((region) => checkFrom(assignment, region))).pipe(
        Effect.map((result) => [result]),
        Effect.orElseSucceed(() => new Array<CheckResult>())
      )

    return {
      /**
       * The results of a check in all healthy regions of the assignment, or in one after the other until a probe answers, and how many
       * regions were asked. If none is healthy, all are asked, and no result of one that alone sees its targets fail is trusted.
       * Occupies one of the workspace's places until the scope closes. Fails with `rate_limited` when the workspace has too many
       * under way, and with `unavailable` if no probe
       * answers. If the caller leaves, the check ends.
       */
      ask: Effect.fn("OnDemandChecks.ask")(function*(assignment: Assignment, everywhere: boolean) {
        const now = yield* Clock.currentTimeMillis
        const alone = yield* regions.alone
        const healthy = assignment.regions.filter((region) => !alone.has(region) && !regions.isUnfit(region, now))
        const candidates = healthy.length === 0 ? assignment.regions : healthy
        yield* takePlace(running, assignment.workspaceId)
        const results = yield* Effect.raceFirst(
          (everywhere ? all : first)(assignment, candidates),
          Effect.zipRight(yield* CallerLeft, abandoned)
        )
        const [result, ...others] = results.map((one) => alone.has(one.region) ? { ...one, trusted: false } : one)
        if (result === undefined) return yield* noAnswer(assignment.regions)
        return { results: [result, ...others] as const, asked: candidates.length }
      })
    }
  })
}) {}
