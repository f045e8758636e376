/** Serves status pages. */
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { admitDeletion } from "../../operations/AdmitDeletion.ts"
import { ChangePage } from "../../operations/page/ChangePage.ts"
import { DraftPage } from "../../operations/page/DraftPage.ts"
import { ManagePages } from "../../operations/page/ManagePages.ts"
import { PublicPages } from "../../operations/page/PublicPages.ts"
import { VerifyDomain } from "../../operations/page/VerifyDomain.ts"
import { ManageSubscribers } from "../../operations/subscriber/ManageSubscribers.ts"
import { WarnOfDuplicates } from "../../operations/WarnOfDuplicates.ts"
import { PageViews } from "../../pages/PageViews.ts"
import { plainBody } from "../../pages/WebDocument.ts"
import { asCaller, deleted, gone, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"
import { pageJson, pageListJson } from "./PageJson.ts"

const defaultLimit = 100

// The handlers that answer with pages are raw, because the components of a page are encoded over many turns.
export const PagesLive = operationGroup(Api, "Status pages", (handlers) =>
  Effect.gen(function*() {
    const warn = yield* WarnOfDuplicates
    const pages = yield* ManagePages
    const subscribers = yield* ManageSubscribers
    const change = yield* ChangePage
    const drafts = yield* DraftPage
    const { verify } = yield* VerifyDomain
    const shown = yield* PublicPages
    const views = yield* PageViews
    return handlers
      .handleRaw(
        "list_pages",
        ({ urlParams }) => Effect.flatMap(asCaller((caller) => pages.list(caller, urlParams)), pageListJson)
      )
      .handle("create_page", ({ payload }) => inWorkspace((id) => warn.after("page", id, pages.create(id, payload))))
      .handleRaw("get_page", ({ path }) => Effect.flatMap(asCaller((caller) => pages.get(caller, path.pageId)), pageJson))
      .handle("list_subscribers", ({ path, urlParams: { before = null, limit = defaultLimit, status = null } }) =>
        inWorkspace((id) =>
          subscribers.list(id, path.pageId, { status, before, limit })
        ))
      .handle("delete_subscriber", ({ path }) => deleted(path.id, inWorkspace((id) => subscribers.remove(id, path.id))))
      .handle("update_page", ({ path, payload }) => asCaller((caller) => drafts.update(caller, path.pageId, payload)))
      .handle("delete_page", ({ path, urlParams }) =>
        Effect.map(
          asCaller((caller) => change.remove(caller.workspaceId, path.pageId, admitDeletion(caller, urlParams.count))),
          gone
        ))
      .handle("verify_domain", ({ path }) => inWorkspace((id) => verify(id, path.pageId)))
      // A raw handler, because the snapshot is encoded once for all visitors.
      .handleRaw("preview_page", ({ path }) =>
        inWorkspace((id) =>
          Effect.gen(function*() {
            const { slug } = yield* pages.find(id, path.pageId)
            const { snapshot } = yield* shown.latest(id, slug)
            const body = yield* plainBody((yield* views.json(snapshot, true)).document)
            return HttpServerResponse.uint8Array(body, { contentType: "application/json" })
          })
        ))
      .handle("set_component_groups", ({ path, payload }) => asCaller((caller) => change.setGroups(caller, path.pageId, payload)))
  }))
