/** Passes what manifests say to the components that follow them, through rows that the components' actors take. */
import { Clock, Effect, Schedule } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { phaseOf, slotStart } from "../../domain/check/round/CheckSlot.ts"
import { matters, reportOn } from "../../domain/component/ManifestReports.ts"
import { gather } from "../../domain/tools/Gather.ts"
import { type AddressedReport, ManifestReports, type Reader } from "../../store/component/ManifestReports.ts"

/** The part of a result with a manifest that its components need. */
export type ManifestResult = Pick<CheckResult, "at" | "manifest" | "monitorId" | "slot" | "workspaceId">

/** A scheduled check observes its round, so that the reports of several regions are one. */
const observedAt = ({ at, monitorId, slot }: ManifestResult, intervalSec: number): number => {
  const intervalMs = intervalSec * 1000
  return slot < 0 ? at : slotStart(slot, phaseOf(monitorId, intervalMs), intervalMs)
}

/** The reports of one component. After one that matters, all later ones do: the actor has not taken the first yet. */
const reportsFor = (reader: Reader, results: ReadonlyArray<ManifestResult>, now: number): ReadonlyArray<AddressedReport> => {
  const { confirmations, id, intervalSec, key, pushState, waiting, workspaceId } = reader
  const reports = results.map((result) => reportOn(result.manifest ?? [], key, observedAt(result, intervalSec)))
  const first = waiting > 0 ? 0 : reports.findIndex((report) => matters(pushState, confirmations, report, now))
  return first < 0 ? [] : reports.slice(first).map((report) => ({ ...report, workspaceId, id }))
}

export class ManifestFeed extends Effect.Service<ManifestFeed>()("belltower/ManifestFeed", {
  effect: Effect.gen(function*() {
    const manifests = yield* ManifestReports

    /** Results that do not count, such as those of an unhealthy region, must not be passed. Costs nothing without a manifest. */
    const pass = Effect.fnUntraced(function*(results: ReadonlyArray<ManifestResult>, patienceMs: number | null) {
      const some = results.filter(({ manifest }) => manifest !== undefined)
      if (some.length === 0) return
      const read = gather(some.map((result) => [result.monitorId, result]))
      const now = yield* Clock.currentTimeMillis
      const monitors = [...read].flatMap(([monitorId, [first]]) =>
        first === undefined ? [] : [{ workspaceId: first.workspaceId, monitorId }]
      )
      const readers = yield* manifests.readers(monitors)
      yield* manifests.add(readers.flatMap((reader) => reportsFor(reader, read.get(reader.monitorId) ?? [], now)), patienceMs)
    })

    /** The same for a caller who waits for it, with three attempts: the next check reports the same statuses. */
    const feed = (results: ReadonlyArray<ManifestResult>): Effect.Effect<void> =>
      Effect.catchAllCause(
        Effect.retry(pass(results, null), { times: 2, schedule: Schedule.exponential("100 millis") }),
        (cause) => Effect.logWarning("Statuses of manifests could not be passed to their components", cause)
      )

    return { feed, pass }
  })
}) {}
