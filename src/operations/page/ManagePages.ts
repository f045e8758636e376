/** Lists and creates status pages. */
import { Effect, Option } from "effect"
import type { Component } from "../../../schema/component/Component.ts"
import { Conflict } from "../../../schema/Errors.ts"
import { type MonitorId, PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { ListedPage, Page, PageInput } from "../../../schema/page/Page.ts"
import { pageFor, type Viewer } from "../../domain/access/WritingUrls.ts"
import { type SettledPage, shownTheme } from "../../domain/page/PageDefaults.ts"
import { pageDns } from "../../domain/page/PageDomain.ts"
import { pageRefusals, publicPassword } from "../../domain/page/PageRefusals.ts"
import { firstFree, slugOf } from "../../domain/page/Slug.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { type LinkMaker, Links } from "../../links/Links.ts"
import { Components, type GroupRow, noComponents } from "../../store/component/Components.ts"
import { mint } from "../../store/Mint.ts"
import { PageDrafts } from "../../store/page/PageDrafts.ts"
import { PagePasswords } from "../../store/page/PagePasswords.ts"
import { Pages } from "../../store/page/Pages.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { ComponentRecords } from "../component/ComponentRecords.ts"
import { noSuch, requirePage } from "../NoSuch.ts"

/** An attempt fails only if a concurrent request takes the same slug. */
const maxAttempts = 5

export const slugTaken = (slug: string) =>
  new Conflict({
    message: `The slug ${slug} is taken`,
    hint: "Choose another slug, or omit it to generate one from the name"
  })

/** A page of another workspace that only names the domain, without having verified it, stands in nobody's way. */
export const domainTaken = (domain: string) => new Conflict({ message: `The domain ${domain} is already used by another page` })

const recordOf = (
  { passwordSetAt, workspaceId: _, ...page }: SettledPage,
  groups: ReadonlyArray<GroupRow>,
  components: ReadonlyArray<Component>,
  links: LinkMaker
): Omit<Page, "draft"> => ({
  ...page,
  theme: shownTheme(page.theme),
  hasPassword: passwordSetAt !== null,
  dns: pageDns(page.id, page.customDomain, links.domainTarget),
  groups: groups.filter(({ pageId }) => pageId === page.id).map(({ pageId: _, ...group }) => group),
  components: components.filter(({ pageId }) => pageId === page.id),
  url: links.page(page)
})

export interface PageListing {
  readonly after: PageId | null
  readonly limit: number
  /** The statuses of components cost more than all else, so lists of names leave them out. */
  readonly components: boolean
  /** Whether the components of each page are counted by status. */
  readonly counts: boolean
  /** Only pages with components that these monitors feed, and only these components; null for all. */
  readonly monitorIds: ReadonlyArray<MonitorId> | null
}

const firstPages: PageListing = { after: null, limit: 100, components: true, counts: false, monitorIds: null }

export interface PageList {
  readonly data: ReadonlyArray<ListedPage>
  readonly next: PageId | null
}

const makeRecords = Effect.gen(function*() {
  const components = yield* Components
  const componentRecords = yield* ComponentRecords
  const links = yield* Links

  return Effect.fn("ManagePages.records")(function*(
    workspaceId: WorkspaceId,
    pages: ReadonlyArray<SettledPage>,
    monitorIds: ReadonlyArray<MonitorId> | null
  ) {
    const ids = pages.map(({ id }) => id)
    const groups = yield* Effect.orDie(components.groupsOf(workspaceId, ids))
    const all = yield* componentRecords.ofPages(workspaceId, ids, monitorIds)
    return pages.map((page) => recordOf(page, groups, all, links))
  })
})

const makeCreate = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const pages = yield* Pages
  const quotas = yield* Quotas
  const links = yield* Links
  const passwords = yield* PagePasswords

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

  return Effect.fn("ManagePages.create")(function*(workspaceId: WorkspaceId, input: PageInput) {
    const refusals = pageRefusals(input)
    if (refusals.length > 0) return yield* validationFailure(refusals)
    const isGuarded = input.password !== undefined && input.password !== null
    if (isGuarded && input.visibility !== "private") return yield* validationFailure([publicPassword])
    yield* quotas.take(workspaceId, { pages: 1, ...(input.customDomain ? { customDomains: 1 } : {}) })
    const { customDomain = null } = input
    if (customDomain !== null && (yield* pages.hasDomain(workspaceId, customDomain))) return yield* domainTaken(customDomain)
    const id = yield* mint("pg", PageId)
    const slug = yield* inserted(workspaceId, id, input)
    const { password = null } = input
    if (password !== null) yield* passwords.set(workspaceId, id, yield* passwords.hash(password))
    yield* pages.changed(slug)
    const page = yield* Effect.orDie(requirePage(pages, workspaceId, id))
    return { ...recordOf(page, [], [], links), draft: null }
  }, transaction)
})

export class ManagePages extends Effect.Service<ManagePages>()("belltower/ManagePages", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const drafts = yield* PageDrafts
    const components = yield* Components
    const records = yield* makeRecords
    const links = yield* Links

    const withCounts = (workspaceId: WorkspaceId, some: ReadonlyArray<ListedPage>) =>
      Effect.map(
        components.counts(workspaceId, some.map(({ id }) => id)),
        (found) => some.map((page): ListedPage => ({ ...page, counts: found.get(page.id) ?? noComponents }))
      )

    /** The first pages after an id, oldest first; fewer than `limit` if they have many components. */
    const list = Effect.fn("ManagePages.list")(function*(viewer: Viewer, asked: Partial<PageListing> = {}) {
      const listing = { ...firstPages, ...asked }
      const { after, components, counts, limit, monitorIds } = listing
      const which = { after, limit, monitorIds, components: components || counts }
      const { more, pages: some } = yield* pages.listAfter(viewer.workspaceId, which)
      const shown = components
        ? (yield* records(viewer.workspaceId, some, monitorIds)).map((page) => pageFor(viewer, page))
        : some.map((page) => recordOf(page, [], [], links))
      const data: ReadonlyArray<ListedPage> = counts ? yield* withCounts(viewer.workspaceId, shown) : shown
      return { data, next: more ? data.at(-1)?.id ?? null : null } satisfies PageList
    })

    /** The full record, for callers with write access; fails with `not_found`. */
    const record = Effect.fn("ManagePages.record")(function*(workspaceId: WorkspaceId, idOrSlug: string) {
      const [page] = yield* records(workspaceId, [yield* requirePage(pages, workspaceId, idOrSlug)], null)
      if (page === undefined) return yield* noSuch("status page", idOrSlug)
      return { ...page, draft: Option.getOrNull(yield* drafts.find(workspaceId, page.id)) } satisfies Page
    })

    return {
      list,
      record,
      /** The page without its components; fails with `not_found`. */
      find: (workspaceId: WorkspaceId, idOrSlug: string) => requirePage(pages, workspaceId, idOrSlug),
      /** Finds a page by id or slug; fails with `not_found`. */
      get: (viewer: Viewer, idOrSlug: string) =>
        Effect.map(record(viewer.workspaceId, idOrSlug), (page) => pageFor(viewer, page)),
      /** Fails with `conflict` if the slug or domain is taken, with `validation_failed`, and with `plan_limit`. */
      create: yield* makeCreate
    }
  }),
  dependencies: [ComponentRecords.Default, PageDrafts.Default, PagePasswords.Default]
}) {}
