/** Rounds whose deadline has passed are closed in turns of workspaces. */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, TestClock } from "effect"
import { randomBytes } from "node:crypto"
import { makeRoundSlots } from "../../../cluster/check/CloseDueRounds.ts"
import { entityId, type Observed } from "../../../cluster/monitor/MonitorProtocol.ts"
import { RoundClock } from "../../../cluster/monitor/RoundClock.ts"
import { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"

const nothing: Observed = { counted: true, moved: false, snapshot: null }
const newId = (prefix: string) => makeId(prefix, 1_700_000_000_000, randomBytes(10))
const monitorsOf = (count: number) => {
  const workspace = WorkspaceId.make(newId("ws"))
  return Array.from({ length: count }, () => entityId(workspace, MonitorId.make(newId("mon"))))
}

/** A clock that records what is armed again. */
const armed: Array<string> = []
const recorded = RoundClock.make({ arm: (id) => void armed.push(id), armed: Effect.void, due: Effect.succeed([]) })

it.scoped("the monitors of a locked workspace do not delay the rounds of others", () =>
  Effect.gen(function*() {
    const locked = new Set(monitorsOf(1000))
    const [other = ""] = monitorsOf(1)
    const asked: Array<string> = []
    const closed = yield* Deferred.make<void>()
    const begin = yield* makeRoundSlots(
      (id) =>
        Effect.suspend(() => {
          asked.push(id)
          return locked.has(id) ? Effect.never : Effect.as(Deferred.succeed(closed, undefined), nothing)
        }),
      () => {}
    )
    yield* begin([...locked])
    yield* begin([other])
    yield* Deferred.await(closed)
    // Most of them wait for their turn.
    expect(asked.length).toBeLessThan(64)
    // Those that do not answer are asked again, and others of the workspace meanwhile.
    const first = asked.filter((id) => locked.has(id))
    yield* TestClock.adjust("15 seconds")
    yield* Effect.yieldNow()
    expect([...armed].sort()).toEqual([...first].sort())
    expect(asked.length).toBeGreaterThan(first.length + 1)
    // One that waits is not asked twice at a time.
    yield* begin([...locked].slice(-1))
    expect(armed.at(-1)).toBe([...locked].at(-1))
  }).pipe(Effect.provideService(RoundClock, recorded)))
