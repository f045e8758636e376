/** The alerts about a monitor are decided over many transactions. */
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { EventId, MonitorId } from "../../../schema/Ids.ts"
import type { Change } from "../../../src/domain/alert/Flapping.ts"
import { AlertStreaks } from "../../../src/store/alert/AlertStreaks.ts"
import { ground, newChannel, newWorkspace } from "../../notify/alert/Receiver.ts"

layer(ground([]), { excludeTestServices: true })("the streak of a channel and a monitor", (it) => {
  it.effect("remembers whether an outage was told", () =>
    Effect.gen(function*() {
      const { take } = yield* AlertStreaks
      const workspaceId = yield* newWorkspace
      const { id: channelId } = yield* newChannel(workspaceId, "https://hooks.example.com/")
      const states: ReadonlyArray<Change["state"]> = ["degraded", "up", "degraded", "up", "degraded", "up", "down", "up", "down"]
      const told = yield* Effect.forEach(states, (state, minutes) =>
        take([{
          workspaceId,
          channelId,
          monitorId: MonitorId.make("mon_streak"),
          eventId: EventId.make(`evt_${minutes}`),
          at: DateTime.add(DateTime.unsafeMake("2026-11-20T08:00:00Z"), { minutes }),
          state
        }]))
      expect(told.flat())
        .toEqual(["alert", "alert", "alert", "alert", "flapping", "nothing", "alert", "alert", "nothing"])
    }))
})
