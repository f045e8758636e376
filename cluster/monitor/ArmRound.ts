/** Sets an actor's deadline to the time when one of its open rounds must be closed. */
import { Effect } from "effect"
import type { Machine } from "../../schema/monitor/Machine.ts"
import { nextDeadline } from "../../src/domain/monitor/MonitorMachine.ts"
import { RegionHealth } from "../../src/services/check/RegionHealth.ts"
import type { MonitorMemory } from "./MonitorMemory.ts"
import { RoundClock } from "./RoundClock.ts"

export type ArmRound = (memory: MonitorMemory, machine: Machine, now: number) => void

export const makeArmRound = Effect.gen(function*() {
  const regions = yield* RegionHealth
  const rounds = yield* RoundClock
  const armRound: ArmRound = (memory, machine, now) => rounds.arm(memory.entityId, nextDeadline(machine, regions.attention, now))
  return armRound
})
