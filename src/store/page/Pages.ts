/** The rows of status pages. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { Branding, Page, type PageInput, PageSettings, Seo, Theme } from "../../../schema/page/Page.ts"
import { type SettledPage, withPageDefaults } from "../../domain/page/PageDefaults.ts"
import { storable } from "../../domain/Storable.ts"
import { Signals } from "../postgres/Signals.ts"

/** Notified with the slug of a page when its settings, groups or components change. */
export const pagesSignal = "belltower_pages"

const StoredPage = Schema.Struct({
  id: PageId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  slug: Schema.String,
  description: Schema.NullOr(Schema.String),
  customDomain: Schema.NullOr(Schema.String),
  visibility: Page.fields.visibility,
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

const encodeTheme = Schema.encodeSync(Schema.parseJson(Theme))
const encodeBranding = Schema.encodeSync(Schema.parseJson(Branding))
const encodeSettings = Schema.encodeSync(Schema.parseJson(PageSettings))
const encodeSeo = Schema.encodeSync(Schema.parseJson(Seo))

const selected = `
  select p.id, p.workspace_id as "workspaceId", p.name, p.slug, p.description, p.custom_domain as "customDomain",
    p.visibility, p.theme, p.branding, p.settings, p.seo, w.timezone, p.created_at as "createdAt",
    p.updated_at as "updatedAt"
  from pages p join workspaces w on w.id = p.workspace_id`

const makeQueries = (sql: SqlClient.SqlClient) => ({
  list: SqlSchema.findAll({
    Request: WorkspaceId,
    Result: StoredPage,
    execute: (workspaceId) => sql`${sql.literal(selected)} where p.workspace_id = ${workspaceId} order by p.id`
  }),
  find: SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, idOrSlug: Schema.String }),
    Result: StoredPage,
    execute: ({ idOrSlug, workspaceId }) =>
      sql`${sql.literal(selected)} where p.workspace_id = ${workspaceId} and (p.id = ${idOrSlug} or p.slug = ${idOrSlug})`
  }),
  named: SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, name: Schema.String }),
    Result: StoredPage,
    execute: ({ name, workspaceId }) =>
      sql`
      ${sql.literal(selected)} where p.workspace_id = ${workspaceId} and lower(p.name) = lower(${name}) order by p.id limit 1`
  }),
  // The one query without a workspace, since a visitor has only the URL. Private pages are excluded.
  visible: SqlSchema.findOne({
    Request: Schema.String,
    Result: StoredPage,
    execute: (slug) => sql`${sql.literal(selected)} where p.slug = ${slug} and p.visibility = 'public'`
  })
})

export class Pages extends Effect.Service<Pages>()("belltower/Pages", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const queries = makeQueries(sql)

    const insert = Effect.fn("Pages.insert")(function*(workspaceId: WorkspaceId, id: PageId, slug: string, input: PageInput) {
      const at = DateTime.toDateUtc(yield* DateTime.now)
      const rows = yield* sql`
        insert into pages (id, workspace_id, name, slug, description, custom_domain, visibility, theme, branding, settings,
                           seo, created_at, updated_at)
        values (${id}, ${workspaceId}, ${input.name}, ${slug}, ${input.description ?? null},
                ${input.customDomain ?? null}, ${input.visibility ?? "public"}, ${encodeTheme(input.theme ?? {})}::jsonb,
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
        sql`
        select 1 from pages
        where custom_domain = ${domain} and (domain_verified_at is not null or workspace_id = ${workspaceId})`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        ),
      list: (workspaceId: WorkspaceId): Effect.Effect<ReadonlyArray<SettledPage>> =>
        Effect.orDie(Effect.map(queries.list(workspaceId), (pages) => pages.map(withPageDefaults))),
      /** Finds a page by id or slug. */
      find: (workspaceId: WorkspaceId, idOrSlug: string): Effect.Effect<Option.Option<SettledPage>> =>
        Effect.orDie(Effect.map(queries.find({ workspaceId, idOrSlug: storable(idOrSlug) }), Option.map(withPageDefaults))),
      /** Finds a page by name, case-insensitively; the oldest one when several match. */
      findByName: (workspaceId: WorkspaceId, name: string): Effect.Effect<Option.Option<SettledPage>> =>
        Effect.orDie(Effect.map(queries.named({ workspaceId, name: storable(name) }), Option.map(withPageDefaults))),
      /** Finds the public page at a slug; none when it is private. Fails when the database is unavailable. */
      findVisible: (slug: string) => Effect.map(queries.visible(slug), Option.map(withPageDefaults))
    }
  })
}) {}
