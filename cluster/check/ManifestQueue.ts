/** Queues the statuses that manifests report on their way to components, so that no result waits for locked rows of components. */
import { Effect } from "effect"
import { Counter } from "prom-client"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { manifestBytes } from "../../src/domain/check/history/ResultSize.ts"
import { counted } from "../../src/domain/tools/text/Counted.ts"
import { reasonOf } from "../../src/loops/Outage.ts"
import { lockPatience, makeTogetherQueue } from "../../src/loops/TogetherThenApart.ts"
import { ManifestFeed, type ManifestResult } from "../../src/services/check/ManifestFeed.ts"

const droppedResults = new Counter({
  name: "belltower_manifest_results_dropped_total",
  help: "Check results whose manifests were not passed to components, because too many waited or their rows stayed locked"
})

/** Results that wait are lost with their process; the next check reports the same statuses. */
export const makeManifestQueue = Effect.gen(function*() {
  const { pass } = yield* ManifestFeed
  const queue = yield* makeTogetherQueue<ManifestResult>({
    name: "Passing statuses of manifests",
    ownerOf: ({ workspaceId }) => workspaceId,
    work: (results, isApart) => Effect.as(pass(results, lockPatience(isApart)), []),
    mostInGroup: { items: 256, ofOne: 16 },
    rest: { first: 200, longest: 5_000 },
    // About half a minute.
    mostTries: 10,
    room: { items: 4_000, bytes: 32 * 1024 * 1024, bytesOf: ({ manifest }) => manifestBytes(manifest ?? []) },
    gaveUp: (results, reason) => {
      droppedResults.inc(results.length)
      const { workspaceId = "" } = results[0] ?? {}
      return Effect.logWarning(
        `Passing the statuses of ${
          counted(results.length, "check")
        } of manifests to components of workspace ${workspaceId} failed; ` +
          `the next checks report them again: ${reasonOf(reason)}`
      )
    }
  })

  return {
    /** Adds results in order. Those without a manifest cost nothing. */
    add: (results: ReadonlyArray<CheckResult>): void => {
      for (const { at, manifest, monitorId, slot, workspaceId } of results) {
        // Drops the rest of the result, such as evidence.
        if (manifest !== undefined) droppedResults.inc(queue.add({ at, manifest, monitorId, slot, workspaceId }))
      }
    }
  }
})
