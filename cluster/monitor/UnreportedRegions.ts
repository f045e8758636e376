/** Publishes the assignments of monitors again on which a healthy region has stopped to report while others go on. */
import { Clock, Duration, Effect } from "effect"
import { Gauge } from "prom-client"
import { makeUnreportedMonitors } from "../../src/domain/monitor/ExpectedRound.ts"
import type { Pacing } from "../../src/domain/monitor/MonitorMachine.ts"
import { makeRation } from "../../src/domain/monitor/OverdueWatch.ts"
import { counted } from "../../src/domain/tools/text/Counted.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { Assignments, type MonitorKey } from "../../src/store/monitor/Assignments.ts"

/** How often an assignment is published again, and how many at a time. */
const republish = { everyMs: Duration.toMillis("5 minutes"), most: 500 }
const judgeEvery = Duration.seconds(30)

const gauge = new Gauge({
  name: "belltower_monitors_unreported",
  help: "Monitors of this runner's actors on which a healthy region has not reported for 90 s although others have"
})

export class UnreportedRegions extends Effect.Service<UnreportedRegions>()("belltower/UnreportedRegions", {
  scoped: Effect.gen(function*() {
    const assignments = yield* Assignments
    const monitors = makeUnreportedMonitors<MonitorKey>()
    const ration = makeRation<string>(republish.everyMs, republish.most)

    /** Counts those monitors and publishes their assignments again; runs every 30 s. */
    const judge = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const found = monitors.judge(now)
      gauge.set(found.length)
      const chosen = ration(found.map(({ monitorId }) => monitorId), now)
      const keys = found.filter(({ monitorId }) => chosen.has(monitorId))
      return keys.length === 0 ? Effect.void : Effect.zipRight(
        Effect.logWarning(
          `Healthy regions do not report on ${counted(keys.length, "monitor")}, for example ${keys[0]?.monitorId}; ` +
            `publishing ${keys.length === 1 ? "its assignment" : "their assignments"} again`
        ),
        assignments.queueAgain(keys)
      )
    })
    const what = "Watching for regions that do not report"
    const loop = Effect.forever(Effect.delay(retryForever(what, judge), judgeEvery))
    yield* Effect.forkScoped(restartForever(what, loop))
    yield* Effect.addFinalizer(() => Effect.sync(() => gauge.reset()))

    return {
      /** Records that a due round of a monitor lacks the report of a healthy region; a plain call. */
      note: (key: MonitorKey, pacing: Pacing, now: number): void => monitors.note(key.monitorId, key, pacing, now),
      judge
    }
  })
}) {}
