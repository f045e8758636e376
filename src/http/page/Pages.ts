/** Serves status pages. */
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ChangePage } from "../../operations/page/ChangePage.ts"
import { ManagePages } from "../../operations/page/ManagePages.ts"
import { PublicPages } from "../../operations/page/PublicPages.ts"
import { VerifyDomain } from "../../operations/page/VerifyDomain.ts"
import { ManageSubscribers } from "../../operations/subscriber/ManageSubscribers.ts"
import { PageViews } from "../../pages/PageViews.ts"
import { plainBody } from "../../pages/WebDocument.ts"
import { operationGroup } from "../server/OperationGroup.ts"
import { pageJson, pageListJson } from "./PageJson.ts"

const defaultLimit = 100

// The handlers that answer with pages are raw, because the components of a page are encoded over many turns.
export const PagesLive = operationGroup(Api, "Status pages", (handlers) =>
  Effect.gen(function*() {
    const pages = yield* ManagePages
    const subscribers = yield* ManageSubscribers
    const change = yield* ChangePage
    const { verify } = yield* VerifyDomain
    const shown = yield* PublicPages
    const views = yield* PageViews
    return handlers
      .handleRaw("list_pages", ({ urlParams }) =>
        Effect.flatMap(Access, (caller) => pages.list(caller, urlParams)).pipe(Effect.flatMap(pageListJson)))
      .handle("create_page", ({ payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) => pages.create(workspaceId, payload)))
      .handleRaw("get_page", ({ path }) =>
        Effect.flatMap(Access, (caller) =>
          pages.get(caller, path.pageId)).pipe(Effect.flatMap(pageJson)))
      .handle("list_subscribers", ({ path, urlParams }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          subscribers.list(workspaceId, path.pageId, {
            status: urlParams.status ?? null,
            before: urlParams.before ?? null,
            limit: urlParams.limit ?? defaultLimit
          })))
      .handle("delete_subscriber", ({ path }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          Effect.as(subscribers.remove(workspaceId, path.id), { id: path.id, deleted: true as const })))
      .handle("update_page", ({ path, payload }) =>
        Effect.flatMap(Access, (caller) =>
          change.update(caller, path.pageId, payload)))
      .handle("delete_page", ({ path }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          change.remove(workspaceId, path.pageId)).pipe(
            Effect.map((id) => ({ id, deleted: true as const }))
          ))
      .handle("verify_domain", ({ path }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          verify(workspaceId, path.pageId)))
      // A raw handler, because the snapshot is encoded once for all visitors.
      .handleRaw("preview_page", ({ path }) =>
        Effect.gen(function*() {
          const { workspaceId } = yield* Access
          const { slug } = yield* pages.find(workspaceId, path.pageId)
          const { snapshot } = yield* shown.latest(workspaceId, slug)
          const body = yield* plainBody((yield* views.json(snapshot, true)).document)
          return HttpServerResponse.uint8Array(body, { contentType: "application/json" })
        }))
      .handle("set_component_groups", ({ path, payload }) =>
        Effect.flatMap(Access, (caller) =>
          change.setGroups(caller, path.pageId, payload)))
  }))
