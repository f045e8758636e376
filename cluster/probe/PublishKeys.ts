/**
 * Sends probes the keys of their regions. A revocation replaces the key of a region: its assignments are then published again, so
 * that the revoked probe cannot read what follows.
 */
import { Duration, Effect } from "effect"
import { Bus, type BusUnavailable } from "../../src/bus/Bus.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { withEmptyContext } from "../../src/loops/WorkPriority.ts"
import { wakeableLoop, wakeSignal } from "../../src/services/WakeableLoop.ts"
import { Probes, probesSignal } from "../../src/store/probe/Probes.ts"
import type { Republication } from "../monitor/PublishAssignments.ts"

/** The longest that a new probe waits for the newest key of its region. */
const sendEvery = Duration.seconds(10)

const following = (what: string, work: Effect.Effect<void, BusUnavailable>) =>
  Effect.flatMap(
    wakeSignal(probesSignal),
    (signal) => wakeableLoop(what, Effect.as(withEmptyContext(retryForever(what, work)), sendEvery), signal)
  )

/** `republish` publishes the assignments of regions again. Runs until its scope closes; not at all inside one process. */
export const makePublishKeys = Effect.fnUntraced(function*(republish: (what: Republication) => Effect.Effect<void>) {
  const { publishKeys } = yield* Bus
  const probes = yield* Probes
  if (publishKeys === null) return

  const publishAgain = Effect.gen(function*() {
    const behind = (yield* probes.epochs.all).filter(({ epoch, published }) => epoch > published)
    if (behind.length === 0) return
    const regions = behind.map(({ region }) => region)
    yield* Effect.logInfo(`The key of ${regions.join(", ")} was replaced; all assignments there are published again`)
    // The bus seals with the keys that it read last.
    yield* publishKeys
    yield* republish({ regions, formerly: new Map() })
    yield* Effect.forEach(behind, ({ epoch, region }) => probes.epochs.published(region, epoch), { discard: true })
  })
  // Each has a loop of its own: publishing the assignments of a region again may take long.
  yield* following("Sending probes their keys", publishKeys)
  yield* following("Publishing assignments under new keys", publishAgain)
})
