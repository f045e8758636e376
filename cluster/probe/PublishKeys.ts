/**
 * Sends probes the keys of their regions. A revocation replaces the key of a region: its assignments are then published again, so
 * that the revoked probe cannot read what follows.
 */
import { Duration, Effect, FiberMap } from "effect"
import type { RegionId } from "../../schema/check/Region.ts"
import { Bus, type BusUnavailable } from "../../src/bus/Bus.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { withEmptyContext } from "../../src/loops/WorkPriority.ts"
import { wakeableLoop, wakeSignal } from "../../src/services/WakeableLoop.ts"
import { Probes, probesSignal, type RegionEpoch } from "../../src/store/probe/Probes.ts"
import type { Republish } from "../monitor/PublishAssignments.ts"

/** The longest that a new probe waits for the newest key of its region. */
const sendEvery = Duration.seconds(10)

const following = (what: string, work: Effect.Effect<void, BusUnavailable>) =>
  Effect.flatMap(
    wakeSignal(probesSignal),
    (signal) => wakeableLoop(what, Effect.as(withEmptyContext(retryForever(what, work)), sendEvery), signal)
  )

/** Runs until its scope closes; not at all inside one process. */
export const makePublishKeys = Effect.fnUntraced(function*(republish: Republish) {
  const { publishKeys } = yield* Bus
  const probes = yield* Probes
  if (publishKeys === null) return
  const work = yield* FiberMap.make<RegionId, void>()

  const publishAgain = ({ epoch, region }: RegionEpoch) =>
    Effect.gen(function*() {
      yield* Effect.logInfo(`The key of ${region} was replaced; all assignments there are published again`)
      // The bus seals with the keys that it read last.
      yield* retryForever("Sending probes their keys", publishKeys)
      yield* republish({ region })
      yield* retryForever("Recording the keys of assignments", probes.epochs.published(region, epoch))
    })

  const publishBehind = Effect.flatMap(probes.epochs.all, (all) =>
    Effect.forEach(
      all.filter(({ epoch, published }) => epoch > published),
      (behind) => FiberMap.run(work, behind.region, publishAgain(behind), { onlyIfMissing: true }),
      { discard: true }
    ))
  // Publishing the assignments of a region again may take long.
  yield* following("Sending probes their keys", publishKeys)
  yield* following("Publishing assignments under new keys", publishBehind)
})
