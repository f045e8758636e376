/** The room in the old generation of this process's heap: V8 ends a process that has none after a collection of garbage. */
import { Effect } from "effect"
import { constants, PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8"
import { type Finding, fine } from "../../domain/health/Health.ts"

/** Three of these make the most that V8 takes for new objects, MiB: as an argument says, or as Node has it. */
const semiSpaceMb = Number(
  /--max-semi-space-size=(\d+)/.exec(process.execArgv.join(" "))?.[1] ??
    (Number.parseInt(process.versions.node, 10) < 24 ? 16 : 64)
)

const isOfNewObjects = (space: string): boolean => space === "new_space" || space === "new_large_object_space"

/** Bytes of the old generation in use. */
const heldNow = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name, space_used_size }) => isOfNewObjects(space_name) ? sum : sum + space_used_size,
    0
  )

/** The most bytes that V8 takes for it. */
const mostNow = (): number => getHeapStatistics().heap_size_limit - 3 * semiSpaceMb * 2 ** 20

/** With more than this in use after a collection, percent, V8 collects again and again, and soon ends the process. */
const mostHeld = 85

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20)

export const heapFinding = (held: number, most: number): Finding => {
  const details = { heldMb: mebibytes(held), mostMb: mebibytes(most) }
  return held <= most * mostHeld / 100 ? { ...fine, details } : {
    state: "degraded",
    reason:
      `${details.heldMb} of ${details.mostMb} MiB of the heap stay in use, and without more the process ends. Give it more ` +
      "memory (NODE_OPTIONS=--max-old-space-size, and the limit of its container), or share its work among more processes",
    details
  }
}

const isWhole = (entry: PerformanceEntry): boolean =>
  "detail" in entry && typeof entry.detail === "object" && entry.detail !== null && "kind" in entry.detail &&
  entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR

/** Reads the heap after each collection of the whole of it: between two of them, garbage counts as used. */
export const heapLook = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      let held = 0
      const observer = new PerformanceObserver((entries) => {
        if (entries.getEntries().some(isWhole)) held = heldNow()
      })
      observer.observe({ entryTypes: ["gc"] })
      return { held: () => held, observer }
    }),
    ({ observer }) => Effect.sync(() => observer.disconnect())
  ),
  ({ held }) => Effect.sync(() => heapFinding(held(), mostNow()))
)
