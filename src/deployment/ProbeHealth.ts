/** The health checks of a process that only runs checks, and those that it shares with all others. */
import { Effect } from "effect"
import { Bus } from "../bus/Bus.ts"
import { type Finding, fine } from "../domain/health/Health.ts"
import { type HealthCheck, makeHealthLooks, reachable } from "../http/server/HealthChecks.ts"
import { heapLook } from "../http/server/HeapRoom.ts"
import { openFilesLook } from "../http/server/OpenFiles.ts"
import type { WorkerLife } from "../probe/WorkerLife.ts"

/** The checks of what each process has for itself. Traffic goes to others while this one has no files left. */
export const ownChecks = Effect.all([openFilesLook, heapLook]).pipe(
  Effect.map(([files, memory]): ReadonlyArray<HealthCheck> => [
    { name: "files", look: files, otherwise: "degraded", gatesReadiness: true },
    { name: "memory", look: memory, otherwise: "degraded", gatesReadiness: false }
  ])
)

/** For a probe: ready once it has joined the workers of its region, and while the bus takes its beats. */
export const probeHealth = Effect.fn("ProbeHealth.probeHealth")(function*(life: WorkerLife) {
  const bus = yield* Bus
  const look = Effect.map(life.fault, (fault): Finding => fault === null ? fine : { state: "failing", reason: fault })
  return yield* makeHealthLooks([
    { name: "worker", look, otherwise: "failing", gatesReadiness: true },
    reachable("bus", bus.ping, "degraded"),
    ...yield* ownChecks
  ])
})
