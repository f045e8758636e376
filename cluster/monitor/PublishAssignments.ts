/** Publishes the assignments of some monitors to the probes. */
import { Effect } from "effect"
import type { RegionId } from "../../schema/check/Region.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import { Bus, type BusUnavailable, type OneRegion } from "../../src/bus/Bus.ts"
import { Assignments, type MonitorKey } from "../../src/store/monitor/Assignments.ts"

/** A monitor to publish, and the regions that may have an earlier assignment of it. */
interface PublishedLine extends MonitorKey {
  readonly formerRegions: ReadonlyArray<RegionId>
}

/** The line after its assignment was sent to these regions. */
const withRegions = (line: PublishedLine, regions: ReadonlyArray<RegionId>): PublishedLine => ({
  ...line,
  formerRegions: [...line.formerRegions, ...regions]
})

export const makePublishAssignments = Effect.gen(function*() {
  const bus = yield* Bus
  const assignments = yield* Assignments

  /** Publishes nothing for an unreadable row: probes would stop checking a monitor that is published as gone. */
  const send = (lines: ReadonlyArray<PublishedLine>, only?: OneRegion) =>
    Effect.gen(function*() {
      const found = yield* assignments.of(lines)
      const unreadable = new Set(found.unreadable)
      const current = new Map(found.assignments.map((assignment) => [assignment.monitorId, assignment]))
      const readable = lines.filter(({ monitorId }) => !unreadable.has(monitorId))
      const publications = readable.map(({ formerRegions, monitorId }) => ({
        monitorId,
        assignment: current.get(monitorId) ?? null,
        left: formerRegions
      }))
      yield* bus.assign(publications, only)
      return {
        unreadable,
        sent: readable.map((line) => {
          const assignment = current.get(line.monitorId)
          return { line: withRegions(line, assignment?.regions ?? []), revision: assignment?.revision }
        })
      }
    })

  /** Sends the rows until their revisions stay the same, so that no old one is the last message. Returns the unreadable monitors. */
  const publish = (
    lines: ReadonlyArray<PublishedLine>,
    only?: OneRegion
  ): Effect.Effect<ReadonlySet<MonitorId>, BusUnavailable> =>
    Effect.gen(function*() {
      const { sent, unreadable } = yield* send(lines, only)
      const revisions = yield* assignments.revisions(sent.map(({ line }) => line))
      const moved = sent.filter(({ line, revision }) => revisions.get(line.monitorId) !== revision).map(({ line }) => line)
      return moved.length === 0 ? unreadable : new Set([...unreadable, ...(yield* publish(moved, only))])
    })
  return publish
})
export type PublishAssignments = Effect.Effect.Success<typeof makePublishAssignments>

/** Publishes the assignments of a region again, or all, inside one process. */
export type Republish = (only: OneRegion | null) => Effect.Effect<void>
