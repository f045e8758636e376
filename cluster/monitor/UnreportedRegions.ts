/**
 * Publishes assignments again: of monitors on which a healthy region has stopped reporting while others go on, and of those that
 * probes check by settings that the database does not have, because a restore or a failover has lost an edit.
 */
import { Clock, Duration, Effect } from "effect"
import { Gauge } from "prom-client"
import { makeUnreportedMonitors } from "../../src/domain/monitor/ExpectedRound.ts"
import type { Pacing } from "../../src/domain/monitor/MonitorMachine.ts"
import { makeRation } from "../../src/domain/monitor/OverdueWatch.ts"
import { counted } from "../../src/domain/tools/text/Counted.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { Assignments, type LostEdit, type MonitorKey } from "../../src/store/monitor/Assignments.ts"

/** How often an assignment is published again, and how many at a time. */
const republish = { everyMs: Duration.toMillis("5 minutes"), most: 500 }
const judgeEvery = Duration.seconds(30)
/** Monitors with results of lost settings that are kept between two looks. Results of further ones come again. */
const mostLost = 5_000

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
    const lost = new Map<string, LostEdit>()
    const lostRation = makeRation<string>(republish.everyMs, republish.most)
    const publishLost = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const chosen = lostRation([...lost.keys()], now)
      const edits = [...lost.values()].filter(({ monitorId }) => chosen.has(monitorId))
      lost.clear()
      return edits.length === 0 ? Effect.void : Effect.zipRight(
        // Deletions while results were on their way show here as well.
        Effect.logDebug(
          `Probes check ${counted(edits.length, "monitor")}, for example ${edits[0]?.monitorId}, that the database ` +
            `has otherwise or not at all; publishing ${edits.length === 1 ? "it" : "them"} again`
        ),
        assignments.supersede(edits)
      )
    })

    const judgeAll = Effect.zipRight(judge, publishLost)
    const what = "Watching for regions that do not report"
    const loop = Effect.forever(Effect.delay(retryForever(what, judgeAll), judgeEvery))
    yield* Effect.forkScoped(restartForever(what, loop))
    yield* Effect.addFinalizer(() => Effect.sync(() => gauge.reset()))

    return {
      /** Records that a due round of a monitor lacks the report of a healthy region; a plain call. */
      note: (key: MonitorKey, pacing: Pacing, now: number): void => monitors.note(key.monitorId, key, pacing, now),
      /** Records that a probe has checked a monitor by settings that its row does not have; a plain call. */
      noteLost: (edit: LostEdit): void => {
        if (lost.size < mostLost) lost.set(edit.monitorId, edit)
      },
      judge: judgeAll
    }
  })
}) {}
