/** The rows of status pages. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { Conflict } from "../../../schema/Errors.ts"
import { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { Branding, Page, type PageInput, PageSettings, Seo, Theme } from "../../../schema/page/Page.ts"
import { withBrandingDefaults, withSettingsDefaults, withThemeDefaults } from "../../domain/page/PageDefaults.ts"
import { pageRefusals } from "../../domain/page/PageRefusals.ts"
import { firstFree, slugOf } from "../../domain/page/Slug.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { storable } from "../../domain/Storable.ts"
import { mint } from "../Mint.ts"
import { Wakeups } from "../postgres/Wakeups.ts"
import { Quotas } from "../workspace/Quotas.ts"

/** Notified with the slug of a page whose settings, groups or components changed. */
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

/** A page with every setting at its effective value. */
const settled = ({ branding, settings, theme, timezone, ...page }: typeof StoredPage.Type) => ({
  ...page,
  theme: withThemeDefaults(theme),
  branding: withBrandingDefaults(branding),
  settings: withSettingsDefaults(settings, timezone)
})
export type PageRow = ReturnType<typeof settled>

/** Each try loses only against another page that took the same slug at the same moment. */
const tries = 5

const encodeTheme = Schema.encodeSync(Schema.parseJson(Theme))
const encodeBranding = Schema.encodeSync(Schema.parseJson(Branding))
const encodeSettings = Schema.encodeSync(Schema.parseJson(PageSettings))
const encodeSeo = Schema.encodeSync(Schema.parseJson(Seo))

const slugTaken = (slug: string) =>
  new Conflict({
    message: `The slug ${slug} is taken`,
    hint: "Choose another, or leave it out to have one made from the name"
  })

const domainTaken = (domain: string) => new Conflict({ message: `The domain ${domain} already belongs to a page` })

export class Pages extends Effect.Service<Pages>()("belltower/Pages", {
  dependencies: [Quotas.Default],
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const wakeups = yield* Wakeups
    const quotas = yield* Quotas

    const selected = sql.literal(`
      select p.id, p.workspace_id as "workspaceId", p.name, p.slug, p.description, p.custom_domain as "customDomain",
        p.visibility, p.theme, p.branding, p.settings, p.seo, w.timezone, p.created_at as "createdAt",
        p.updated_at as "updatedAt"
      from pages p join workspaces w on w.id = p.workspace_id`)

    const list = SqlSchema.findAll({
      Request: WorkspaceId,
      Result: StoredPage,
      execute: (workspaceId) => sql`${selected} where p.workspace_id = ${workspaceId} order by p.id`
    })

    const find = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, idOrSlug: Schema.String }),
      Result: StoredPage,
      execute: ({ idOrSlug, workspaceId }) =>
        sql`${selected} where p.workspace_id = ${workspaceId} and (p.id = ${idOrSlug} or p.slug = ${idOrSlug})`
    })

    const named = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, name: Schema.String }),
      Result: StoredPage,
      execute: ({ name, workspaceId }) =>
        sql`${selected} where p.workspace_id = ${workspaceId} and lower(p.name) = lower(${name}) order by p.id limit 1`
    })

    /** The one query without a workspace: a visitor knows nothing but the address, and a private page has none. */
    const visible = SqlSchema.findOne({
      Request: Schema.String,
      Result: StoredPage,
      execute: (slug) => sql`${selected} where p.slug = ${slug} and p.visibility = 'public'`
    })

    const freeSlug = (name: string) => {
      const base = slugOf(name)
      return Effect.map(
        sql<{ readonly slug: string }>`select slug from pages where starts_with(slug, ${base.slice(0, 40)})`,
        (rows) => firstFree(base, new Set(rows.map((row) => row.slug)))
      )
    }

    /** False when another page has the slug or the domain. */
    const insert = (workspaceId: WorkspaceId, id: PageId, slug: string, input: PageInput) =>
      Effect.gen(function*() {
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
      })

    const isTaken = (column: "slug" | "custom_domain", value: string) =>
      Effect.map(sql`select 1 from pages where ${sql(column)} = ${value}`, (rows) => rows.length > 0)

    const findPage = (workspaceId: WorkspaceId, idOrSlug: string): Effect.Effect<Option.Option<PageRow>> =>
      Effect.orDie(Effect.map(find({ workspaceId, idOrSlug: storable(idOrSlug) }), Option.map(settled)))

    /**
     * A new page. A slug that was given must be free, one made from the name is numbered until it is. Fails with `conflict`
     * for a slug or domain that is taken, with `validation_failed` for settings that cannot be, with `plan_limit` beyond
     * what the plan allows.
     */
    const create = Effect.fn("Pages.create")(
      function*(workspaceId: WorkspaceId, input: PageInput) {
        const refusals = pageRefusals(input)
        if (refusals.length > 0) return yield* validationFailure(refusals)
        yield* quotas.take(workspaceId, { pages: 1, ...(input.customDomain ? { customDomains: 1 } : {}) })
        const id = yield* mint("pg", PageId)
        for (let attempt = 0; attempt < tries; attempt++) {
          const slug = input.slug ?? (yield* freeSlug(input.name))
          if (yield* insert(workspaceId, id, slug, input)) {
            yield* wakeups.notify(pagesSignal, slug)
            return yield* Effect.flatten(findPage(workspaceId, id))
          }
          if (input.customDomain && (yield* isTaken("custom_domain", input.customDomain))) {
            return yield* domainTaken(input.customDomain)
          }
          if (input.slug !== undefined) break
        }
        return yield* slugTaken(input.slug ?? slugOf(input.name))
      },
      sql.withTransaction,
      Effect.catchTags({ SqlError: Effect.die, NoSuchElementException: Effect.die })
    )

    return {
      create,
      list: (workspaceId: WorkspaceId): Effect.Effect<ReadonlyArray<PageRow>> =>
        Effect.orDie(Effect.map(list(workspaceId), (pages) => pages.map(settled))),
      /** By its id or its slug. */
      find: findPage,
      /** By its name, in any spelling of upper and lower case; the oldest where several have it. */
      findByName: (workspaceId: WorkspaceId, name: string): Effect.Effect<Option.Option<PageRow>> =>
        Effect.orDie(Effect.map(named({ workspaceId, name: storable(name) }), Option.map(settled))),
      /** The page that visitors reach at a slug; none where it is private. Fails where the database is away. */
      findVisible: (slug: string) => Effect.map(visible(slug), Option.map(settled))
    }
  })
}) {}
