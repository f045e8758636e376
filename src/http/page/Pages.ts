/** The operations on status pages. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect, Option } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import type { Component } from "../../../schema/component/Component.ts"
import { NotFound } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Page, PageInput } from "../../../schema/page/Page.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { Components, type GroupRow } from "../../store/component/Components.ts"
import { type PageRow, Pages } from "../../store/page/Pages.ts"
import { pageFor } from "../access/WritingUrls.ts"

const noPage = (idOrSlug: string) =>
  new NotFound({
    message: `No status page ${idOrSlug} in this workspace`,
    hint: "Give a page's id or slug; GET /api/v1/pages lists them"
  })

const record = (
  { workspaceId: _, ...page }: PageRow,
  groups: ReadonlyArray<GroupRow>,
  components: ReadonlyArray<Component>,
  baseUrl: string
): Page => ({
  ...page,
  groups: groups.filter(({ pageId }) => pageId === page.id).map(({ pageId: _, ...group }) => group),
  components: components.filter(({ pageId }) => pageId === page.id),
  url: linksFrom(baseUrl).page(page.slug)
})

/** Pages as the interface answers them, with their groups and components. */
const records = (workspaceId: WorkspaceId, pages: ReadonlyArray<PageRow>) =>
  Effect.gen(function*() {
    const components = yield* Components
    const baseUrl = yield* BaseUrl
    const ids = pages.map(({ id }) => id)
    const groups = yield* Effect.orDie(components.groupsOf(workspaceId, ids))
    const all = yield* components.records(workspaceId, ids)
    return pages.map((page) => record(page, groups, all, baseUrl))
  })

/** The page that goes by an id or a slug; fails with `not_found`. */
export const requirePage = Effect.fn("Pages.require")(function*(workspaceId: WorkspaceId, idOrSlug: string) {
  const pages = yield* Pages
  return yield* Effect.flatMap(
    pages.find(workspaceId, idOrSlug),
    Option.match({ onNone: () => noPage(idOrSlug), onSome: Effect.succeed })
  )
})

export const listPages = Effect.fn("Pages.list")(function*(workspaceId: WorkspaceId) {
  const pages = yield* Pages
  return { data: yield* records(workspaceId, yield* pages.list(workspaceId)), next: null }
})

export const getPage = Effect.fn("Pages.get")(function*(workspaceId: WorkspaceId, idOrSlug: string) {
  const baseUrl = yield* BaseUrl
  const page = yield* requirePage(workspaceId, idOrSlug)
  const [full] = yield* records(workspaceId, [page])
  return full ?? record(page, [], [], baseUrl)
})

export const createPage = Effect.fn("Pages.create")(function*(workspaceId: WorkspaceId, input: PageInput) {
  const pages = yield* Pages
  return record(yield* pages.create(workspaceId, input), [], [], yield* BaseUrl)
})

export const PagesLive = HttpApiBuilder.group(Api, "Status pages", (handlers) =>
  handlers
    .handle("list_pages", () =>
      Effect.flatMap(Access, (caller) =>
        Effect.map(listPages(caller.workspaceId), ({ data, next }) => ({
          data: data.map((page) => pageFor(caller, page)),
          next
        }))))
    .handle("create_page", ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => createPage(workspaceId, payload)))
    .handle("get_page", ({ path }) =>
      Effect.flatMap(Access, (caller) =>
        Effect.map(getPage(caller.workspaceId, path.pageId), (page) => pageFor(caller, page)))))
