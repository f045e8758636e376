/** Every domain that a page has verified. A trigger adds each; its row stays when no page holds it any more. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import type { DomainStanding } from "../../domain/page/PageDomain.ts"
import { findAll, findSingle, write } from "../postgres/Queries.ts"

const Facts = Schema.Struct({ isOwn: Schema.Boolean, isHeld: Schema.Boolean, isKnown: Schema.Boolean })

/** A domain and the page that holds it. */
const Held = Schema.Struct({
  domain: Schema.String,
  failures: Schema.Int,
  pageId: PageId,
  workspaceId: WorkspaceId,
  slug: Schema.String,
  name: Schema.String
})
export type HeldDomain = typeof Held.Type

const Due = Schema.Struct({
  ...Held.fields,
  pageId: Schema.NullOr(Held.fields.pageId),
  workspaceId: Schema.NullOr(Held.fields.workspaceId),
  slug: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String)
})

const date = DateTime.toDateUtc

/** Mails about one domain. */
const mostRecipients = 20

const columns = `d.domain, d.failures, p.id as "pageId", p.workspace_id as "workspaceId", p.slug, p.name`

export class VerifiedDomains extends Effect.Service<VerifiedDomains>()("belltower/VerifiedDomains", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const selected = sql.literal(columns)

    const facts = findSingle(Facts, (workspaceId: WorkspaceId, pageId: PageId, domain: string) =>
      sql`
      select
        exists(select 1 from verified_domains where domain = ${domain}) as "isKnown",
        exists(select 1 from pages where custom_domain = ${domain} and domain_verified_at is not null) as "isHeld",
        exists(
          select 1 from pages
          where workspace_id = ${workspaceId} and id = ${pageId} and custom_domain = ${domain} and domain_verified_at is not null
        ) as "isOwn"`)

    return {
      /** The worth of records without a name of the page, for it. */
      standing: (workspaceId: WorkspaceId, pageId: PageId, domain: string, isReserved: boolean): Effect.Effect<DomainStanding> =>
        Effect.map(
          facts(workspaceId, pageId, domain),
          ({ isHeld, isKnown, isOwn }) => isOwn ? "held" : isReserved || (isKnown && !isHeld) ? "spent" : "open"
        ),
      /** Up to `limit` domains about which DNS is to be asked, those first that are due for longest; null for a released one. */
      due: findAll(Due, (now: DateTime.Utc, limit: number) =>
        sql`
        select ${selected} from verified_domains d
        left join pages p on p.custom_domain = d.domain and p.domain_verified_at is not null
        where d.due_at <= ${date(now)} order by d.due_at limit ${limit}`),
      /** Up to `limit` other domains that pages hold: those that did not fail, and were asked about last. */
      others: findAll(Held, (except: ReadonlyArray<string>, limit: number) =>
        sql`
        select ${selected} from verified_domains d
        join pages p on p.custom_domain = d.domain and p.domain_verified_at is not null
        where d.due_at is not null and d.domain <> all(${except}::text[])
        order by d.failures, d.due_at desc limit ${limit}`),
      /** When DNS is asked next, and how often in a row it has failed; null as long as no page holds the domain. */
      schedule: (domain: string, at: DateTime.Utc | null, failures: number) => {
        const due = at === null ? null : date(at)
        return write(sql`update verified_domains set due_at = ${due}, failures = ${failures} where domain = ${domain}`)
      },
      /** Owners and admins of a workspace, by addresses that they have proved. */
      recipients: findAll(Schema.Struct({ email: Schema.typeSchema(EmailAddress) }), (workspaceId: WorkspaceId) =>
        sql`
        select u.email from memberships m join users u on u.id = m.user_id
        where m.workspace_id = ${workspaceId} and m.role in ('owner', 'admin') and u.email_proved_at is not null and u.shown_email is null
        order by u.id limit ${mostRecipients}`)
    }
  })
}) {}
