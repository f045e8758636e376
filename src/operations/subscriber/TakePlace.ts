/** Gives an active subscription its place on its page, or that of the one it replaces. */
import type { DateTime } from "effect"
import { Effect } from "effect"
import type { SubscriberRow } from "../../store/subscriber/SubscriberRows.ts"
import { Subscribers } from "../../store/subscriber/Subscribers.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"

export const makeTakePlace = Effect.gen(function*() {
  const subscribers = yield* Subscribers
  const quotas = yield* Quotas

  /** Fails with `plan_limit` on a full page. The caller holds the workspace, so that of two at the same time one takes the last place. */
  return Effect.fn("Subscribers.takePlace")(
    function*(row: Pick<SubscriberRow, "id" | "pageId" | "workspaceId">, at: DateTime.Utc) {
      if (yield* subscribers.replace(row, at)) return
      const wanted = yield* subscribers.count(row.workspaceId, row.pageId)
      yield* quotas.settle(row.workspaceId, [{ limit: "subscribersPerPage", had: wanted - 1, wanted }])
    }
  )
})
