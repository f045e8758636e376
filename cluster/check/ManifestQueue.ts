/** Lets what manifests say wait for its way to components, so that no results wait for rows of components that somebody has locked. */
import { Cause, Clock, Effect } from "effect"
import { Counter } from "prom-client"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { manifestBytes } from "../../src/domain/check/history/ResultSize.ts"
import { type FeedGroup, makeManifestTurns } from "../../src/domain/component/ManifestTurns.ts"
import { reasonOf } from "../../src/loops/Outage.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { ManifestFeed, type ManifestResult } from "../../src/services/check/ManifestFeed.ts"

/** How long a group waits for the locks of others, ms. */
const patience = { shared: 100, apart: 500 }
/** How often workspaces that failed are looked at, while there are any. */
const lookEvery = "100 millis"

const droppedResults = new Counter({
  name: "belltower_manifest_results_dropped_total",
  help: "Check results whose manifests were not passed to components, because too many waited or their rows stayed locked"
})

/**
 * Waiting results are lost with their process, as are stored results that were not passed on: a repeated result does not count
 * again. The next check reports the same statuses.
 */
export const makeManifestQueue = Effect.gen(function*() {
  const { pass } = yield* ManifestFeed
  const turns = makeManifestTurns<ManifestResult>()
  const news = { shared: Effect.unsafeMakeLatch(false), apart: Effect.unsafeMakeLatch(false) }
  const tell = (): void => {
    news.shared.unsafeOpen()
    if (turns.hasApart()) news.apart.unsafeOpen()
  }

  const fail = (group: FeedGroup<ManifestResult>, reason: unknown) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const givenUp = turns.failed(group, now)
      droppedResults.inc(givenUp)
      tell()
      if (givenUp === 0) return Effect.void
      return Effect.logWarning(
        `Statuses of ${givenUp} checks of manifests of workspace ${
          [...group.members.keys()].join(", ")
        } could not be passed to its ` +
          `components: ${reasonOf(reason)}`
      )
    })

  const passGroup = (group: FeedGroup<ManifestResult>, patienceMs: number) =>
    Effect.matchCauseEffect(pass(group.items, patienceMs), {
      onFailure: (cause) => fail(group, Cause.squash(cause)),
      onSuccess: () =>
        Effect.sync(() => {
          turns.passed(group)
          tell()
        })
    })

  const passShared = Effect.suspend(() => {
    const group = turns.takeShared()
    if (group !== null) return passGroup(group, patience.shared)
    news.shared.unsafeClose()
    return news.shared.await
  })

  const passApart = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const group = turns.takeApart(now)
    if (group !== null) return passGroup(group, patience.apart)
    if (turns.hasApart()) return Effect.sleep(lookEvery)
    news.apart.unsafeClose()
    return news.apart.await
  })

  yield* Effect.forkScoped(restartForever("Passing statuses of manifests", Effect.forever(passShared)))
  yield* Effect.forkScoped(restartForever("Passing statuses of manifests again", Effect.forever(passApart)))

  return {
    /** Adds results in order. Those without a manifest cost nothing. */
    add: (results: ReadonlyArray<CheckResult>): void => {
      for (const { at, manifest, monitorId, slot, workspaceId } of results) {
        if (manifest === undefined) continue
        // Drops the rest of the result, such as evidence.
        const told: ManifestResult = { at, manifest, monitorId, slot, workspaceId }
        droppedResults.inc(turns.add(workspaceId, told, manifestBytes(manifest)))
        news.shared.unsafeOpen()
      }
    }
  }
})
