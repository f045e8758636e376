/** Lists the deliveries to alert channels, and replays them. */
import { Effect } from "effect"
import type { ReplayInput } from "../../../schema/alert/Delivery.ts"
import { Conflict } from "../../../schema/Errors.ts"
import type { DeliveryId, WorkspaceId } from "../../../schema/Ids.ts"
import { Deliveries, mostReplayed, type WantedDeliveries } from "../../store/alert/Deliveries.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { orNoSuch } from "../NoSuch.ts"

export class ManageDeliveries extends Effect.Service<ManageDeliveries>()("belltower/ManageDeliveries", {
  effect: Effect.gen(function*() {
    const deliveries = yield* Deliveries
    const clock = yield* DatabaseClock

    const find = (workspaceId: WorkspaceId, id: DeliveryId) => orNoSuch("delivery", id, deliveries.find(workspaceId, id))

    return {
      /** Newest first; `next` leads to the older ones. */
      list: Effect.fn("ManageDeliveries.list")(function*(workspaceId: WorkspaceId, wanted: WantedDeliveries) {
        const data = yield* deliveries.list(workspaceId, wanted)
        return { data, next: data.length === wanted.limit ? data.at(-1)?.id ?? null : null }
      }),
      /**
       * Sends one that waits for its next attempt now. Fails with `conflict` while it is due, if its channel is disabled, and if the alert
       * that it belongs to was closed since.
       */
      replay: Effect.fn("ManageDeliveries.replay")(function*(workspaceId: WorkspaceId, id: DeliveryId) {
        const { stage, status } = yield* find(workspaceId, id)
        if ((yield* deliveries.replay(workspaceId, { id }, yield* clock.now)) === 0) {
          if (status === "due" && stage !== "retrying") {
            return yield* new Conflict({ message: "The delivery is due; it is attempted without a replay" })
          }
          return yield* new Conflict({
            message: "The alert channel is disabled, or the alert that the delivery belongs to was closed since",
            hint: "Enable the channel, then replay the delivery. A closed alert needs no further messages"
          })
        }
        return yield* find(workspaceId, id)
      }),
      replaySince: Effect.fn("ManageDeliveries.replaySince")(
        function*(workspaceId: WorkspaceId, { channelId, since, status = "dead" }: ReplayInput) {
          const replayed = yield* deliveries.replay(
            workspaceId,
            { since, channelId: channelId ?? null, status },
            yield* clock.now
          )
          return { replayed, more: replayed === mostReplayed }
        }
      )
    }
  })
}) {}
