/** Lists and creates status pages. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Component } from "../../../schema/component/Component.ts"
import { Conflict } from "../../../schema/Errors.ts"
import { PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Page, PageInput } from "../../../schema/page/Page.ts"
import { pageFor, type Viewer } from "../../domain/access/WritingUrls.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { pageRefusals } from "../../domain/page/PageRefusals.ts"
import { firstFree, slugOf } from "../../domain/page/Slug.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Links } from "../../links/Links.ts"
import { Components, type GroupRow } from "../../store/component/Components.ts"
import { mint } from "../../store/Mint.ts"
import { Pages } from "../../store/page/Pages.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { ComponentRecords } from "../component/ComponentRecords.ts"
import { noPage, requirePage } from "./RequirePage.ts"

/** An attempt fails only if a concurrent request takes the same slug. */
const maxAttempts = 5

const slugTaken = (slug: string) =>
  new Conflict({
    message: `The slug ${slug} is taken`,
    hint: "Choose another slug, or omit it to generate one from the name"
  })

/** A page of another workspace that only names the domain, without having verified it, stands in nobody's way. */
const domainTaken = (domain: string) => new Conflict({ message: `The domain ${domain} is already used by another page` })

const recordOf = (
  { workspaceId: _, ...page }: SettledPage,
  groups: ReadonlyArray<GroupRow>,
  components: ReadonlyArray<Component>,
  url: string
): Page => ({
  ...page,
  groups: groups.filter(({ pageId }) => pageId === page.id).map(({ pageId: _, ...group }) => group),
  components: components.filter(({ pageId }) => pageId === page.id),
  url
})

/** Builds the records of pages, with their groups and components. */
const makeRecords = Effect.gen(function*() {
  const components = yield* Components
  const componentRecords = yield* ComponentRecords
  const links = yield* Links

  return Effect.fn("ManagePages.records")(function*(workspaceId: WorkspaceId, pages: ReadonlyArray<SettledPage>) {
    const ids = pages.map(({ id }) => id)
    const groups = yield* Effect.orDie(components.groupsOf(workspaceId, ids))
    const all = yield* componentRecords.ofPages(workspaceId, ids)
    return pages.map((page) => recordOf(page, groups, all, links.page(page.slug)))
  })
})

const makeCreate = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = yield* Pages
  const quotas = yield* Quotas
  const links = yield* Links

  const freeSlug = (name: string) => {
    const base = slugOf(name)
    return Effect.map(pages.slugsLike(base), (taken) => firstFree(base, taken))
  }

  /** Inserts the page under the given slug, which must be free, or under a free, numbered one generated from the name. */
  const inserted = Effect.fn("ManagePages.insert")(function*(workspaceId: WorkspaceId, id: PageId, input: PageInput) {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const slug = input.slug ?? (yield* freeSlug(input.name))
      if (yield* pages.insert(workspaceId, id, slug, input)) return slug
      if (input.slug !== undefined) break
    }
    return yield* slugTaken(input.slug ?? slugOf(input.name))
  })

  return Effect.fn("ManagePages.create")(
    function*(workspaceId: WorkspaceId, input: PageInput) {
      const refusals = pageRefusals(input)
      if (refusals.length > 0) return yield* validationFailure(refusals)
      yield* quotas.take(workspaceId, { pages: 1, ...(input.customDomain ? { customDomains: 1 } : {}) })
      const { customDomain = null } = input
      if (customDomain !== null && (yield* pages.hasDomain(workspaceId, customDomain))) return yield* domainTaken(customDomain)
      const id = yield* mint("pg", PageId)
      const slug = yield* inserted(workspaceId, id, input)
      yield* pages.changed(slug)
      const page = yield* Effect.orDie(requirePage(pages, workspaceId, id))
      return recordOf(page, [], [], links.page(slug))
    },
    sql.withTransaction,
    Effect.catchTag("SqlError", Effect.die)
  )
})

export class ManagePages extends Effect.Service<ManagePages>()("belltower/ManagePages", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const records = yield* makeRecords

    const list = Effect.fn("ManagePages.list")(function*(viewer: Viewer) {
      const found = yield* records(viewer.workspaceId, yield* pages.list(viewer.workspaceId))
      return found.map((page) => pageFor(viewer, page))
    })

    /** The full record, for callers with write access; fails with `not_found`. */
    const record = Effect.fn("ManagePages.record")(function*(workspaceId: WorkspaceId, idOrSlug: string) {
      const [page] = yield* records(workspaceId, [yield* requirePage(pages, workspaceId, idOrSlug)])
      return page === undefined ? yield* noPage(idOrSlug) : page
    })

    return {
      list,
      record,
      /** Finds a page by id or slug; fails with `not_found`. */
      get: (viewer: Viewer, idOrSlug: string) =>
        Effect.map(record(viewer.workspaceId, idOrSlug), (page) => pageFor(viewer, page)),
      /**
       * Creates a page. Fails with `conflict` if the slug or domain is taken, with `validation_failed` for invalid
       * settings, and with `plan_limit` above the plan's limits.
       */
      create: yield* makeCreate
    }
  }),
  dependencies: [ComponentRecords.Default]
}) {}
