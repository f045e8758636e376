/** Serves status pages. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ManagePages } from "../../operations/page/ManagePages.ts"

export const PagesLive = HttpApiBuilder.group(Api, "Status pages", (handlers) =>
  Effect.map(ManagePages, (pages) =>
    handlers
      .handle("list_pages", () => Effect.flatMap(Access, pages.list).pipe(Effect.map((data) => ({ data, next: null }))))
      .handle("create_page", ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => pages.create(workspaceId, payload)))
      .handle("get_page", ({ path }) => Effect.flatMap(Access, (caller) => pages.get(caller, path.pageId)))))
