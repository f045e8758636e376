/** The memories of monitors: how long they outlive their actors, and when they are forgotten. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeMonitorCalls } from "../../../cluster/monitor/MonitorCalls.ts"
import { MonitorMemories } from "../../../cluster/monitor/MonitorMemories.ts"
import { entityId, type Observed } from "../../../cluster/monitor/MonitorProtocol.ts"
import { MonitorRows } from "../../../cluster/monitor/MonitorRows.ts"
import { RoundClock } from "../../../cluster/monitor/RoundClock.ts"
import { ShardHandovers } from "../../../cluster/ShardHandovers.ts"
import type { Observation } from "../../../schema/monitor/Machine.ts"
import { observationOf } from "../../../src/domain/check/history/CheckView.ts"
import { shardOf } from "../../../src/domain/tools/Shard.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { Ground, monitorRow, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const Memories = Layer.mergeAll(MonitorMemories.Default, MonitorRows.Default, RoundClock.Default, ManageMonitors.Default).pipe(
  Layer.provideMerge(Ground)
)

const byActor: Observed = { counted: true, moved: true, snapshot: null }

/** A monitor, its memory in no actor, and a check that changes nothing. */
const setUp = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const { id } = yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", failureThreshold: 3 })
  const row = yield* monitorRow(workspaceId, id)
  const memories = yield* MonitorMemories
  const calls = yield* makeMonitorCalls
  const key = entityId(workspaceId, id)
  // The runner takes its shards shortly after its start.
  yield* until(Effect.sync(() => memories.isHere(key)), (isHere) => isHere)
  return {
    id,
    key,
    manage,
    memories,
    calls,
    workspaceId,
    /** By way of the actor only if memory and row are not enough. */
    observe: (check: Observation) => calls.observe(workspaceId, check, Effect.succeed(byActor)),
    failed: (slot: number) => observationOf(resultOf(row, slot, { outcome: "down" }), true),
    find: () => memories.find(workspaceId, id)
  }
})

layer(Memories, { excludeTestServices: true })((it) => {
  it.effect("a check that changes no state loads the monitor, and the next one finds it in memory", () =>
    Effect.gen(function*() {
      const { calls, failed, find, observe, workspaceId } = yield* setUp
      expect(calls.observeNow(workspaceId, failed(1), Date.UTC(2026, 0))).toBe(null)
      const first = yield* observe(failed(1))
      expect([first.counted, first.moved]).toEqual([true, false])
      const second = calls.observeNow(workspaceId, failed(2), Date.UTC(2026, 0))
      expect([second?.counted, find()?.monitor?.machine.failures]).toEqual([true, 2])
    }))

  it.effect("a check that changes the state is left to the actor, and so is one while the actor works", () =>
    Effect.gen(function*() {
      const { calls, failed, find, observe, workspaceId } = yield* setUp
      yield* observe(failed(1))
      calls.observeNow(workspaceId, failed(2), Date.UTC(2026, 0))
      expect(calls.observeNow(workspaceId, failed(3), Date.UTC(2026, 0))).toBe(null)
      const memory = find()
      if (memory !== undefined) memory.messages++
      expect(yield* observe(failed(2))).toBe(byActor)
    }))

  it.effect("an edit reaches the memory without an actor, unless it changes the state", () =>
    Effect.gen(function*() {
      const { calls, failed, find, id, manage, observe, workspaceId } = yield* setUp
      yield* observe(failed(1))
      yield* manage.update(workspaceId, id, { failureThreshold: 5 })
      expect(yield* calls.tryReload(workspaceId, id)).toBe(true)
      expect(find()?.monitor?.failureThreshold).toBe(5)
      yield* manage.update(workspaceId, id, { paused: true })
      expect(yield* calls.tryReload(workspaceId, id)).toBe(false)
    }))

  it.effect("it is forgotten when its shard changes hands, and only then", () =>
    Effect.gen(function*() {
      const { failed, find, key, observe } = yield* setUp
      yield* observe(failed(1))
      const { handedOver } = yield* ShardHandovers
      const shard = shardOf(key)
      handedOver([`default:${((shard + 1) % 64) + 1}`])
      expect(find()).toBeDefined()
      handedOver([`default:${shard + 1}`])
      expect(find()).toBe(undefined)
    }))

  it.effect("it outlives its actor while checks need it, and otherwise ends with it", () =>
    Effect.gen(function*() {
      const { failed, find, key, memories, observe } = yield* setUp
      yield* Effect.scoped(memories.forActor(key))
      expect(find()).toBe(undefined)
      yield* Effect.scoped(Effect.zipRight(memories.forActor(key), observe(failed(1))))
      expect(find()).toBeDefined()
    }))
})
