/** Lists and deletes the subscribers of a workspace's pages. */
import { Effect } from "effect"
import type { SubscriberId, WorkspaceId } from "../../../schema/Ids.ts"
import { listPage } from "../../domain/tools/ListPage.ts"
import { Pages } from "../../store/page/Pages.ts"
import { subscriberOf } from "../../store/subscriber/SubscriberRows.ts"
import { type SubscriberFilter, Subscribers } from "../../store/subscriber/Subscribers.ts"
import { removed, requirePage } from "../NoSuch.ts"

type SubscriberQuery = Omit<SubscriberFilter, "workspaceId" | "pageId">

export class ManageSubscribers extends Effect.Service<ManageSubscribers>()("belltower/ManageSubscribers", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const subscribers = yield* Subscribers

    return {
      /** Newest first. `next` is the cursor of the next page; null at the end. */
      list: Effect.fn("ManageSubscribers.list")(
        function*(workspaceId: WorkspaceId, idOrSlug: string, query: SubscriberQuery) {
          const page = yield* requirePage(pages, workspaceId, idOrSlug)
          const rows = yield* subscribers.list({ ...query, workspaceId, pageId: page.id, limit: query.limit + 1 })
          const { data, next } = listPage(rows, query.limit)
          return { data: data.map(subscriberOf), next }
        }
      ),
      remove: Effect.fn("ManageSubscribers.remove")((workspaceId: WorkspaceId, id: SubscriberId) =>
        removed("subscriber", id, subscribers.remove(workspaceId, id))
      )
    }
  })
}) {}
