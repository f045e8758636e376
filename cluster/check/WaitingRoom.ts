/** Bounds what one workspace lets wait for its actors, and reports when results are given up for that. */
import { Clock, Context, Duration, Effect } from "effect"
import { Counter } from "prom-client"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { resultBytes } from "../../src/domain/check/history/ResultSize.ts"
import { defaultWaitingLimits, type WaitingLimits } from "../../src/domain/check/ResultRoom.ts"
import { makeWaitingResults } from "../../src/domain/monitor/WaitingResults.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import type { Waiting } from "./MonitorQueues.ts"

export class WaitingSettings extends Context.Reference<WaitingSettings>()("belltower/WaitingSettings", {
  defaultValue: (): WaitingLimits => defaultWaitingLimits
}) {}

const givenUpResults = new Counter({
  name: "belltower_check_results_given_up_total",
  help: "Check results that are stored but not counted, because too many of their workspace waited for their monitors"
})

/** How often results are judged within the patience. */
const judgements = 5

/** `giveUp` settles results as not counted. */
export const makeWaitingRoom = Effect.fnUntraced(function*(giveUp: (results: ReadonlyArray<Waiting>) => void) {
  const limits = yield* WaitingSettings
  const waiting = makeWaitingResults<WorkspaceId, Waiting>(limits)
  const filled = Effect.unsafeMakeLatch(false)

  const judge = Effect.gen(function*() {
    const { freed, givenUp, limited } = waiting.giveUp(yield* Clock.currentTimeMillis)
    giveUp(givenUp)
    givenUpResults.inc(givenUp.length)
    yield* Effect.forEach(limited, (id) =>
      Effect.logWarning(
        `Results of workspace ${id} wait too long for their monitors. Beyond a share of at most ${limits.results} they are stored but not ` +
          "counted, so that others are not held up; look for what locks its rows."
      ))
    yield* Effect.forEach(freed, (id) => Effect.logInfo(`Results of workspace ${id} are counted again`))
    if (waiting.isEmpty()) filled.unsafeClose()
  })
  const loop = Effect.forever(Effect.zipRight(filled.await, Effect.delay(judge, Duration.millis(limits.patienceMs / judgements))))
  yield* Effect.forkScoped(restartForever("Judging what waits for monitors", loop))

  return {
    hasRoom: waiting.hasRoom,
    enter: (one: Waiting, now: number): void => {
      waiting.add(one.result.workspaceId, one, resultBytes(one.result), now)
      filled.unsafeOpen()
    },
    leave: (one: Waiting): void => waiting.end(one.result.workspaceId, one),
    turnedAway: (): void => givenUpResults.inc()
  }
})
export type WaitingRoom = Effect.Effect.Success<ReturnType<typeof makeWaitingRoom>>
