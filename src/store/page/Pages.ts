/** The rows of status pages. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { Branding, Page, type PageInput, PageSettings, Seo, Theme } from "../../../schema/page/Page.ts"
import { type SettledPage, textOrNull, withPageDefaults } from "../../domain/page/PageDefaults.ts"
import { storedTheme } from "../../domain/page/PageEdit.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { fedComponents } from "../component/ComponentSelection.ts"
import { exists, findAll, findOne, tryOne } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"

/** Notified with the slug of a page when its settings, groups or components change. */
export const pagesSignal = "belltower_pages"

export const StoredPage = Schema.Struct({
  id: PageId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  slug: Schema.String,
  description: Schema.NullOr(Schema.String),
  customDomain: Schema.NullOr(Schema.String),
  domainVerifiedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  visibility: Page.fields.visibility,
  passwordSetAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  theme: Theme,
  branding: Branding,
  settings: PageSettings,
  seo: Seo,
  timezone: Schema.String,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate
})

/** The length of the stem that numbered slugs of one name share; see `numbered` in `src/domain/page/Slug.ts`. */
const stemLength = 40

export const encodeTheme = Schema.encodeSync(Schema.parseJson(Theme))
export const encodeBranding = Schema.encodeSync(Schema.parseJson(Branding))
export const encodeSettings = Schema.encodeSync(Schema.parseJson(PageSettings))
export const encodeSeo = Schema.encodeSync(Schema.parseJson(Seo))

export const selectedPage = `
  select p.id, p.workspace_id as "workspaceId", p.name, p.slug, p.description, p.custom_domain as "customDomain",
    p.domain_verified_at as "domainVerifiedAt",
    p.visibility, p.password_set_at as "passwordSetAt", p.theme, p.branding, p.settings, p.seo, w.timezone, p.created_at as "createdAt",
    p.updated_at as "updatedAt"
  from pages p join workspaces w on w.id = p.workspace_id`

/** A list ends with the page that brings its components to this number: about 0.5 MB of JSON. */
const mostListed = 1000

interface Listing {
  readonly workspaceId: WorkspaceId
  /** Empty for the first pages. */
  readonly after: string
  readonly limit: number
  /** Whether the components are read, too, or their statuses, and so count. */
  readonly components: boolean
  /** Only pages with components that these monitors feed, and only these components; null for all. */
  readonly monitorIds: ReadonlyArray<string> | null
}

/** The first pages after an id, each with the number of components that are read for it. */
const countedPages = (sql: SqlClient.SqlClient, { after, components, limit, monitorIds, workspaceId }: Listing) =>
  monitorIds === null
    // By the unique index on (page_id, key).
    ? sql`
      select one.id, ${components ? sql`(select count(*) from components c where c.page_id = one.id)` : sql`0`} as components
      from pages one where one.workspace_id = ${workspaceId} and one.id > ${after} order by one.id limit ${limit + 1}`
    : sql`
      select page_id as id, ${components ? sql`count(*)` : sql`0`} as components
      from (${fedComponents(sql, workspaceId, monitorIds)}) fed
      where page_id > ${after} group by page_id order by page_id limit ${limit + 1}`

/** The pages with these ids or slugs that exist. */
export const pagesNamed = (sql: SqlClient.SqlClient) => {
  const find = findAll(
    Schema.Struct({ id: PageId, slug: Schema.String }),
    (workspaceId: WorkspaceId, names: ReadonlyArray<string>) =>
      sql`
    select id, slug from pages
    where workspace_id = ${workspaceId} and (id = any(${names}::text[]) or slug = any(${names}::text[]))`
  )
  return (workspaceId: WorkspaceId, names: ReadonlyArray<string>) =>
    names.length === 0 ? Effect.succeed([]) : find(workspaceId, names)
}

export class Pages extends Effect.Service<Pages>()("belltower/Pages", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const selected = sql.literal(selectedPage)

    const list = findAll(
      StoredPage,
      (workspaceId: WorkspaceId) => sql`${selected} where p.workspace_id = ${workspaceId} order by p.id`
    )
    const listAfter = findAll(Schema.Struct({ ...StoredPage.fields, found: Schema.Int }), (listing: Listing) =>
      sql`
      with counted as (${countedPages(sql, listing)}), placed as (
        select id, row_number() over (order by id) as ordinal, sum(components) over (order by id) - components as before,
          (count(*) over ())::int as found
        from counted
      )
      select shown.*, placed.found from placed join (${selected}) shown on shown.id = placed.id
      where placed.ordinal <= ${listing.limit} and placed.before < ${mostListed} order by shown.id`)
    const find = findOne(
      StoredPage,
      (workspaceId: WorkspaceId, idOrSlug: string) =>
        sql`${selected} where p.workspace_id = ${workspaceId} and (p.id = ${idOrSlug} or p.slug = ${idOrSlug})`
    )
    const named = findOne(
      StoredPage,
      (workspaceId: WorkspaceId, name: string) =>
        sql`${selected} where p.workspace_id = ${workspaceId} and lower(p.name) = lower(${name}) order by p.id limit 1`
    )
    // These have no workspace, since a visitor has only the URL. Their callers handle a failure of the database.
    const atSlug = tryOne(StoredPage, (slug: string) => sql`${selected} where p.slug = ${slug} and w.deleted_at is null`)
    const slugAt = tryOne(
      Schema.Struct({ slug: Schema.String }),
      (domain: string) => sql`select slug from pages where custom_domain = ${domain} and domain_verified_at is not null`
    )

    const insert = Effect.fn("Pages.insert")(function*(workspaceId: WorkspaceId, id: PageId, slug: string, input: PageInput) {
      const at = DateTime.toDateUtc(yield* DateTime.now)
      const rows = yield* sql`
        insert into pages (id, workspace_id, name, slug, description, custom_domain, visibility, theme, branding, settings,
                           seo, created_at, updated_at)
        values (${id}, ${workspaceId}, ${input.name}, ${slug}, ${textOrNull(input.description ?? null)},
                ${input.customDomain ?? null}, ${input.visibility ?? "public"}, ${
        encodeTheme(storedTheme(input.theme ?? {}))
      }::jsonb,
                ${encodeBranding(input.branding ?? {})}::jsonb, ${encodeSettings(input.settings ?? {})}::jsonb,
                ${encodeSeo(input.seo ?? {})}::jsonb, ${at}, ${at})
        on conflict do nothing
        returning 1`
      return rows.length > 0
    }, Effect.orDie)

    return {
      /** Inserts a page in the caller's transaction. False when another page has the slug. Its domain is not verified yet. */
      insert,
      /** Notifies every process that the page changed. */
      changed: (slug: string) => signals.send(pagesSignal, slug),
      /** The slugs of all workspaces that a numbered form of `base` could collide with. */
      slugsLike: (base: string): Effect.Effect<ReadonlySet<string>> =>
        sql<{ readonly slug: string }>`select slug from pages where starts_with(slug, ${base.slice(0, stemLength)})`.pipe(
          Effect.map((rows) => new Set(rows.map(({ slug }) => slug))),
          Effect.orDie
        ),
      /** Whether another page of the workspace has this domain, or a page of any workspace has proved that it is its own. */
      hasDomain: (workspaceId: WorkspaceId, domain: string) =>
        exists(sql`
        select 1 from pages
        where custom_domain = ${domain} and (domain_verified_at is not null or workspace_id = ${workspaceId})`),
      list: (workspaceId: WorkspaceId): Effect.Effect<ReadonlyArray<SettledPage>> =>
        Effect.map(list(workspaceId), (pages) => pages.map(withPageDefaults)),
      /** The first pages after an id, and whether others follow. With `components` they are few enough to read these too. */
      listAfter: (
        workspaceId: WorkspaceId,
        { after, ...which }: Omit<Listing, "workspaceId" | "after"> & { readonly after: PageId | null }
      ) =>
        Effect.map(listAfter({ workspaceId, after: after ?? "", ...which }), (rows) => ({
          pages: rows.map(({ found: _, ...page }): SettledPage => withPageDefaults(page)),
          more: rows.length < (rows[0]?.found ?? 0)
        })),
      find: (workspaceId: WorkspaceId, idOrSlug: string): Effect.Effect<Option.Option<SettledPage>> =>
        Effect.map(find(workspaceId, storable(idOrSlug)), Option.map(withPageDefaults)),
      /** Finds a page by name, case-insensitively; the oldest one when several match. */
      findByName: (workspaceId: WorkspaceId, name: string): Effect.Effect<Option.Option<SettledPage>> =>
        Effect.map(named(workspaceId, storable(name)), Option.map(withPageDefaults)),
      /** Finds the page at a slug, also a private one. Fails when the database is unavailable. */
      findAt: (slug: string) => Effect.map(atSlug(slug), Option.map(withPageDefaults)),
      /** The slug of the page that has verified a domain. Fails when the database is unavailable. */
      slugAt: (domain: string) => Effect.map(slugAt(domain), Option.map(({ slug }) => slug))
    }
  })
}) {}
