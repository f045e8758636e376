/** Builds the digest of a workspace for a period from its rows. */
import { Effect } from "effect"
import type { Digest } from "../../../schema/digest/Digest.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { type Period, periodBefore } from "../../domain/digest/DigestWeek.ts"
import { type MonitorWeek, writeDigest } from "../../domain/digest/WriteDigest.ts"
import { nothing } from "../../domain/monitor/Uptime.ts"
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { Digests } from "../../store/digest/Digests.ts"
import { Spans } from "../../store/monitor/Spans.ts"

/** Monitors that one statement reads. */
const batch = 500

interface DigestWorkspace {
  readonly id: WorkspaceId
  readonly name: string
  readonly timezone: string
}

export class DigestBuilder extends Effect.Service<DigestBuilder>()("belltower/DigestBuilder", {
  effect: Effect.gen(function*() {
    const digests = yield* Digests
    const spans = yield* Spans

    /** The observed times of all monitors, a batch at a time. */
    const weeksOf = Effect.fnUntraced(
      function*(workspaceId: WorkspaceId, period: Period, before: Period, incidents: ReadonlyMap<string, number>) {
        const weeks: Array<MonitorWeek> = []
        const borders = [before.from, period.from, period.to].map(({ epochMillis }) => epochMillis)
        let after = ""
        while (true) {
          const monitors = yield* digests.monitors(workspaceId, after, batch)
          const ids = monitors.map(({ id }) => id)
          const found = yield* Effect.orDie(spans.tallies(workspaceId, ids, borders))
          for (const { id, name } of monitors) {
            const [previous = nothing, current = nothing] = found.get(id) ?? []
            weeks.push({
              id,
              name: maskUrls(name),
              current,
              previous,
              incidents: incidents.get(id) ?? 0
            })
          }
          const last = ids.at(-1)
          if (last === undefined || ids.length < batch) return weeks
          after = last
        }
      }
    )

    /** `period` ends at or before now. */
    const build = Effect.fn("DigestBuilder.build")(function*({ id, name, timezone }: DigestWorkspace, period: Period) {
      const before = periodBefore(period, timezone)
      const { byMonitor, week } = yield* digests.incidents(id, period, before)
      const monitors = yield* weeksOf(id, period, before, byMonitor)
      const digest: Digest = writeDigest({ workspace: { id, name }, timezone, period, monitors, incidents: week })
      return digest
    })

    return { build }
  })
}) {}
