/**
 * Tells probes the keys of their regions. A revocation replaces the key of a region: its assignments are then published again, so
 * that the revoked probe cannot read what follows.
 */
import { Effect, Schedule, Stream } from "effect"
import { Bus, type BusUnavailable } from "../../src/bus/Bus.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { retryForever } from "../../src/loops/RetryForever.ts"
import { Wakeups } from "../../src/store/postgres/Wakeups.ts"
import { Probes, probesSignal } from "../../src/store/probe/Probes.ts"
import type { Replay } from "../monitor/Replay.ts"

/** A probe that begins to beat waits for its keys so long, if it has none of its region's newest. */
const tellEvery = "10 seconds"

/** `replay` publishes the assignments of regions again. Runs until interrupted; not at all inside one process. */
export const makePublishKeys = Effect.fnUntraced(function*(replay: (what: Replay) => Effect.Effect<void>) {
  const { publishKeys } = yield* Bus
  const probes = yield* Probes
  const wakeups = yield* Wakeups
  if (publishKeys === null) return Effect.never

  const following = (what: string, work: Effect.Effect<void, BusUnavailable>) =>
    wakeups.listen(probesSignal).pipe(
      Stream.merge(Stream.repeatEffectWithSchedule(Effect.void, Schedule.spaced(tellEvery))),
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      Stream.runForEach(() => retryForever(what, work)),
      (loop) => restartForever(what, loop)
    )

  const publishAgain = Effect.gen(function*() {
    const behind = (yield* probes.epochs.all).filter(({ epoch, published }) => epoch > published)
    if (behind.length === 0) return
    const regions = behind.map(({ region }) => region)
    yield* Effect.logInfo(`The key of ${regions.join(", ")} was replaced; all assignments there are published again`)
    // The bus seals with the keys that it read last.
    yield* publishKeys
    yield* replay({ regions, formerly: new Map() })
    yield* Effect.forEach(behind, ({ epoch, region }) => probes.epochs.published(region, epoch), { discard: true })
  })
  return Effect.all([
    following("Telling probes their keys", publishKeys),
    following("Publishing assignments under new keys", publishAgain)
  ], { concurrency: "unbounded", discard: true })
})
