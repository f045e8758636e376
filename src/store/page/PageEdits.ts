/** Changes and deletes the rows of status pages. */
import { SqlClient, type SqlError } from "@effect/sql"
import { DateTime, Effect } from "effect"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { PageFields } from "../../domain/page/PageEdit.ts"
import { forgetComponents } from "../incident/IncidentTemplates.ts"
import { isUniqueViolation } from "../postgres/PostgresErrors.ts"
import { findOne, write } from "../postgres/Queries.ts"
import { encodeBranding, encodeSeo, encodeSettings, encodeTheme, selectedPage, StoredPage } from "./Pages.ts"

/** False if the statement would give two pages the same slug or domain; the caller must then roll back. */
const unlessTaken = <A, R>(statement: Effect.Effect<A, SqlError.SqlError, R>): Effect.Effect<boolean, never, R> =>
  statement.pipe(
    Effect.as(true),
    Effect.catchIf(isUniqueViolation, () => Effect.succeed(false)),
    Effect.orDie
  )

export class PageEdits extends Effect.Service<PageEdits>()("belltower/PageEdits", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** Writes every field. A changed domain is no longer verified. False if another page has the slug. */
    const update = Effect.fn("PageEdits.update")(function*(workspaceId: WorkspaceId, id: PageId, page: PageFields) {
      const at = DateTime.toDateUtc(yield* DateTime.now)
      return yield* unlessTaken(sql`
        update pages
        set name = ${page.name}, slug = ${page.slug}, description = ${page.description}, custom_domain = ${page.customDomain},
          domain_verified_at = case when custom_domain is not distinct from ${page.customDomain} then domain_verified_at end,
          visibility = ${page.visibility}, theme = ${encodeTheme(page.theme)}::jsonb,
          branding = ${encodeBranding(page.branding)}::jsonb, settings = ${encodeSettings(page.settings)}::jsonb,
          seo = ${encodeSeo(page.seo)}::jsonb, updated_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id}`)
    })

    return {
      /** Locks and returns a page with only the settings that its owner set. */
      lock: findOne(
        StoredPage,
        (workspaceId: WorkspaceId, id: PageId) =>
          sql`${sql.literal(selectedPage)} where p.workspace_id = ${workspaceId} and p.id = ${id} for no key update of p`
      ),
      update,
      /**
       * Marks the domain as verified if the page still has it. With `unseat`, pages that only pointed their domain here lose it;
       * without, false means that another page has verified the domain.
       */
      verify: Effect.fn("PageEdits.verify")(
        function*(workspaceId: WorkspaceId, id: PageId, domain: string, unseat: boolean) {
          const at = DateTime.toDateUtc(yield* DateTime.now)
          if (unseat) {
            yield* Effect.orDie(sql`
              update pages set domain_verified_at = null
              where custom_domain = ${domain} and domain_verified_at is not null and id <> ${id}`)
          }
          return yield* unlessTaken(sql`
            update pages set domain_verified_at = coalesce(domain_verified_at, ${at})
            where workspace_id = ${workspaceId} and id = ${id} and custom_domain = ${domain}`)
        }
      ),
      /** The domain belongs to somebody else now. */
      unverify: (workspaceId: WorkspaceId, id: PageId, domain: string) =>
        write(sql`
          update pages set domain_verified_at = null
          where workspace_id = ${workspaceId} and id = ${id} and custom_domain = ${domain}`),
      /** How many subscribe to a page. By the partial index on active ones. */
      subscribers: (workspaceId: WorkspaceId, id: PageId): Effect.Effect<number> =>
        Effect.orDie(Effect.map(
          sql<{ readonly count: number }>`
          select count(*)::int as count from subscribers
          where workspace_id = ${workspaceId} and page_id = ${id} and status = 'active'`,
          ([row]) => row?.count ?? 0
        )),
      /** Deletes a page; its groups, components and subscribers go with it. Call it in a transaction. */
      remove: Effect.fn("PageEdits.remove")(function*(workspaceId: WorkspaceId, id: PageId) {
        yield* sql`delete from pages where workspace_id = ${workspaceId} and id = ${id}`
        yield* sql`
          update escalation_policies set page_ids = array_remove(page_ids, ${id})
          where workspace_id = ${workspaceId} and ${id} = any(page_ids)`
        yield* forgetComponents(sql, workspaceId)
      }, Effect.orDie)
    }
  })
}) {}
