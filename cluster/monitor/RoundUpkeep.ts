/** Finds open rounds that no runner will close: the runner that held their deadline is gone. */
import { Clock, Effect } from "effect"
import { abandonedAfter } from "../../src/domain/monitor/ExpectedRound.ts"
import { MonitorStates } from "../../src/store/monitor/MonitorStates.ts"
import { singletonEvery } from "../SingletonEvery.ts"
import { entityId, MonitorEntity } from "./MonitorProtocol.ts"

/** Actors woken in one run; the next run takes the rest. */
const most = 1000

/** Reloads the actors of abandoned rounds, which sets their deadlines again. */
export const makeReloadAbandoned = Effect.gen(function*() {
  const states = yield* MonitorStates
  const monitor = yield* MonitorEntity.client
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const abandoned = yield* states.withAbandonedRounds(now, now - abandonedAfter, most)
    yield* Effect.forEach(
      abandoned,
      (key) => Effect.ignoreLogged(Effect.timeout(monitor(entityId(key.workspaceId, key.monitorId)).Reload(), "10 seconds")),
      { concurrency: 8, discard: true }
    )
  }).pipe(Effect.withSpan("RoundUpkeep.reloadAbandoned"))
})

export const RoundUpkeep = singletonEvery("RoundUpkeep", "1 minute", makeReloadAbandoned)
