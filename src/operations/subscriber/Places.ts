/** The places of a page's active subscriptions. The caller holds the workspace, so that one of two concurrent calls takes the last place. */
import type { DateTime } from "effect"
import { Effect } from "effect"
import type { SubscriberRow } from "../../store/subscriber/SubscriberRows.ts"
import { Subscribers } from "../../store/subscriber/Subscribers.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"

export const makePlaces = Effect.gen(function*() {
  const subscribers = yield* Subscribers
  const quotas = yield* Quotas

  const settle = (row: Pick<SubscriberRow, "pageId" | "workspaceId">, waiting: number) =>
    Effect.flatMap(subscribers.count(row.workspaceId, row.pageId), (active) => {
      const wanted = active + waiting
      return quotas.settle(row.workspaceId, [{ limit: "subscribersPerPage", had: wanted - 1, wanted }])
    })

  return {
    /** Fails with `plan_limit` on a full page, for every address: the answer to one address would tell whether it is subscribed. */
    requirePlace: (row: Pick<SubscriberRow, "pageId" | "workspaceId">) => settle(row, 1),
    /** Gives an active subscription the place of the one it replaces, or one of its own. Fails with `plan_limit` on a full page. */
    takePlace: Effect.fn("Subscribers.takePlace")(
      function*(row: Pick<SubscriberRow, "id" | "pageId" | "workspaceId">, at: DateTime.Utc) {
        if (!(yield* subscribers.replace(row, at))) yield* settle(row, 0)
      }
    )
  }
})
