/** Deliveries under way, of any kind: each gets its result, however its attempt starts. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { defaultDeliveryLimits } from "../../../src/domain/alert/DeliveryLimits.ts"
import { makeDeliveryEngine } from "../../../src/notify/delivery/DeliveryEngine.ts"
import { makeKnownDeliveries } from "../../../src/notify/delivery/KnownDeliveries.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { until } from "../../support/time/Until.ts"

const workspaceId = WorkspaceId.make("ws_01k9zzzzzzzzzzzzzzzzzzzzzz")
const clock = DatabaseClock.make({ now: Effect.die("not asked"), estimate: () => 0, isDoubtful: () => false })

it.scopedLive("one whose start throws fails, frees its slot, and holds up no other", () =>
  Effect.gen(function*() {
    const results: Array<string> = []
    const { admit, slots, steady } = yield* makeDeliveryEngine<{ workspaceId: WorkspaceId; name: string }, string, never>({
      of: "deliveries",
      limits: defaultDeliveryLimits,
      share: () => 1,
      timeoutMs: 10_000,
      leaseMs: 30_000,
      starts: { perTurn: Infinity, perEnd: Infinity },
      hostOf: () => "shop.test",
      known: makeKnownDeliveries(({ name }) => name),
      renew: () => Effect.die("no lease is renewed"),
      shortestWaitMs: 0,
      attempts: Effect.succeed(({ name }, done) => {
        if (name === "broken") throw new Error("broken")
        done("delivered")
        return () => {}
      }),
      broken: () => "failed",
      ended: ({ name }, result) => void results.push(`${name} ${result}`),
      isUnanswered: (result) => result === "failed",
      postponed: ({ name }) => void results.push(`${name} postponed`),
      flush: Effect.void,
      wake: Effect.void
    })
    const room = slots.room("fast")
    const deliveries = ["broken", "sound"].map((name) => ({ workspaceId, name }))
    admit(deliveries, "fast", steady())
    yield* until(Effect.sync(() => results.length), (ended) => ended === 2)
    expect(results).toEqual(["broken failed", "sound delivered"])
    expect(slots.room("fast")).toBe(room)
  }).pipe(Effect.provideService(DatabaseClock, clock)))
