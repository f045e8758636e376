/** The health checks of a process that only runs checks, and the one that it shares with all others. */
import { Effect } from "effect"
import { Bus } from "./bus/Bus.ts"
import { type Finding, fine } from "./domain/health/Health.ts"
import { type HealthCheck, makeHealthLooks, reachable } from "./http/server/HealthChecks.ts"
import { openFilesLook } from "./http/server/OpenFiles.ts"
import type { WorkerLife } from "./probe/WorkerLife.ts"

/** What each process has for itself: others may have more left, so traffic should go there. */
export const filesCheck = Effect.map(openFilesLook, (look): HealthCheck => ({
  name: "files",
  look,
  otherwise: "degraded",
  gatesReadiness: true
}))

/** For a probe: ready once it has joined the workers of its region, and while the bus takes its beats. */
export const probeHealth = Effect.fn("ProbeHealth.probeHealth")(function*(life: WorkerLife) {
  const bus = yield* Bus
  const look = Effect.map(life.fault, (fault): Finding => fault === null ? fine : { state: "failing", reason: fault })
  return yield* makeHealthLooks([
    { name: "worker", look, otherwise: "failing", gatesReadiness: true },
    reachable("bus", bus.ping, "degraded"),
    yield* filesCheck
  ])
})
