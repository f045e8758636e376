/** Lists and deletes the subscribers of a workspace's pages. */
import { Effect } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { SubscriberId, WorkspaceId } from "../../../schema/Ids.ts"
import type { SubscriberStatus } from "../../../schema/subscriber/Subscriber.ts"
import { Pages } from "../../store/page/Pages.ts"
import { subscriberOf } from "../../store/subscriber/SubscriberRows.ts"
import { Subscribers } from "../../store/subscriber/Subscribers.ts"
import { requirePage } from "../page/RequirePage.ts"

export class ManageSubscribers extends Effect.Service<ManageSubscribers>()("belltower/ManageSubscribers", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const subscribers = yield* Subscribers

    return {
      /** Newest first. */
      list: Effect.fn("ManageSubscribers.list")(
        function*(workspaceId: WorkspaceId, idOrSlug: string, status: SubscriberStatus | null, limit: number) {
          const page = yield* requirePage(pages, workspaceId, idOrSlug)
          return (yield* subscribers.list(workspaceId, page.id, status, limit)).map(subscriberOf)
        }
      ),
      remove: Effect.fn("ManageSubscribers.remove")(function*(workspaceId: WorkspaceId, id: SubscriberId) {
        if (yield* subscribers.remove(workspaceId, id)) return
        return yield* new NotFound({
          message: `No subscriber ${id} in this workspace`,
          hint: "List subscribers with GET /api/v1/pages/{pageId}/subscribers"
        })
      })
    }
  })
}) {}
