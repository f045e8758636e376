/** The rows of subscribers. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import { ComponentId, type IncidentId, type PageId, type SubscriberId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Language } from "../../../schema/page/Page.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import type { SubscriberStatus, SubscriberType, SubscriptionKind } from "../../../schema/subscriber/Subscriber.ts"
import { KeyedHashes } from "../KeyedHashes.ts"
import { countOf, exists, findAll, findOne, write } from "../postgres/Queries.ts"
import { cellOf } from "../SealedColumns.ts"
import { tokenHash, Vault } from "../Vault.ts"
import { mayHear, subscriberColumns, SubscriberRow, SubscriberSecrets } from "./SubscriberRows.ts"

/** How long a subscription that ended is kept, for the list of its page. */
const retention = Duration.days(30)
const pruneBatch = 1000

export interface SubscriberDraft {
  readonly id: SubscriberId
  readonly workspaceId: WorkspaceId
  readonly pageId: PageId
  readonly type: SubscriberType
  readonly status: SubscriberStatus
  readonly language: Language
  readonly email: EmailAddress | null
  readonly secrets: SubscriberSecrets
  /** Set for a subscription that is to be confirmed. */
  readonly confirmToken: string | null
  readonly componentIds: ReadonlyArray<ComponentId>
  readonly kinds: ReadonlyArray<SubscriptionKind>
  readonly incidentId: IncidentId | null
  readonly agent: string | null
  /** Whether the visitor had given the password of a private page. */
  readonly knewPassword: boolean
  /** Whether the visitor may name a private target. */
  readonly reachesPrivate: boolean
  readonly at: DateTime.Utc
}

/** Null matches any subscriber. */
export interface SubscriberFilter {
  readonly workspaceId: WorkspaceId
  readonly pageId: PageId
  readonly status: SubscriberStatus | null
  readonly before: SubscriberId | null
  readonly limit: number
}

const encodeSecrets = Schema.encodeSync(SubscriberSecrets)

export class Subscribers extends Effect.Service<Subscribers>()("belltower/Subscribers", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const hash = yield* KeyedHashes
    const columns = sql.literal(subscriberColumns)

    /** By a token, without a workspace: somebody who manages a subscription has only its id and its token, as in a mail. */
    const lockedBy = (hash: "manage_hash" | "confirm_hash") =>
      findOne(
        SubscriberRow,
        (id: string, token: string) =>
          sql`
          select ${columns} from subscribers s where s.id = ${id} and s.${sql(hash)} = ${tokenHash(token)} for no key update`
      )

    const hashOf = ({ email, pageId, secrets, type }: Pick<SubscriberDraft, "email" | "pageId" | "secrets" | "type">): Buffer =>
      hash(`subscriber ${pageId} ${type} ${email ?? secrets.url ?? ""}`)

    const insert = Effect.fn("Subscribers.insert")(function*(draft: SubscriberDraft) {
      const sealed = yield* vault.seal(cellOf("subscribers.sealed", draft.id), encodeSecrets(draft.secrets))
      const at = DateTime.toDateUtc(draft.at)
      yield* sql`
        insert into subscribers (id, workspace_id, page_id, type, status, language, email, host, target_hash, sealed, manage_hash,
                                 confirm_hash, component_ids, kinds, incident_id, agent, knew_password, reaches_private, created_at,
                                 updated_at)
        values (${draft.id}, ${draft.workspaceId}, ${draft.pageId}, ${draft.type}, ${draft.status}, ${draft.language},
                ${draft.email}, ${draft.secrets.url === null ? null : new URL(draft.secrets.url).origin}, ${hashOf(draft)},
                ${sealed}, ${tokenHash(draft.secrets.manage)}, ${
        draft.confirmToken === null ? null : tokenHash(draft.confirmToken)
      },
                ${[...draft.componentIds]}, ${[...draft.kinds]}, ${draft.incidentId}, ${draft.agent}, ${draft.knewPassword},
                ${draft.reachesPrivate}, ${at}, ${at})`
    }, Effect.orDie)

    return {
      insert,
      /** Ends other active subscriptions of the same target with the same interest: the newest replaces them. False if there are none. */
      replace: (row: Pick<SubscriberRow, "id" | "workspaceId" | "pageId">, at: DateTime.Utc) =>
        exists(sql`
          update subscribers old set status = 'unsubscribed', ended_at = ${DateTime.toDateUtc(at)}, updated_at = ${
          DateTime.toDateUtc(at)
        }
          from subscribers fresh
          where fresh.workspace_id = ${row.workspaceId} and fresh.id = ${row.id} and old.page_id = ${row.pageId}
            and old.target_hash = fresh.target_hash and old.id <> fresh.id and old.status = 'active'
            and old.incident_id is not distinct from fresh.incident_id
            and (old.type = 'email' or (old.component_ids = fresh.component_ids and old.kinds = fresh.kinds))
          returning old.id`),
      /** Locks the active subscription of the same address and interest that replaced one by mail. */
      successor: findOne(
        SubscriberRow,
        ({ id, pageId, workspaceId }: Pick<SubscriberRow, "id" | "workspaceId" | "pageId">) =>
          sql`
        select ${columns} from subscribers s
        where s.workspace_id = ${workspaceId} and s.page_id = ${pageId} and s.status = 'active' and s.id <> ${id}
          and exists (
            select from subscribers old
            where old.workspace_id = ${workspaceId} and old.id = ${id} and old.type = 'email' and old.target_hash = s.target_hash
              and old.incident_id is not distinct from s.incident_id
          )
        for no key update`
      ),
      /** Also drops the open deliveries of a subscription that ends. */
      setStatus: Effect.fn("Subscribers.setStatus")(
        function*({ id, workspaceId }: Pick<SubscriberRow, "id" | "workspaceId">, status: SubscriberStatus, at: DateTime.Utc) {
          const ended = status === "active" || status === "pending" ? null : DateTime.toDateUtc(at)
          yield* sql`
            update subscribers
            set status = ${status}, ended_at = ${ended}, updated_at = ${DateTime.toDateUtc(at)},
                confirm_hash = case when ${status} = 'active' then confirm_hash end
            where workspace_id = ${workspaceId} and id = ${id}`
          if (ended !== null) yield* sql`delete from subscriber_deliveries where subscriber_id = ${id}`
        },
        Effect.orDie
      ),
      /** Whether a subscriber of the page may still see it. */
      mayHear: ({ id, pageId, workspaceId }: Pick<SubscriberRow, "id" | "pageId" | "workspaceId">) =>
        exists(sql`
          select from subscribers s where s.workspace_id = ${workspaceId} and s.id = ${id} and ${mayHear(sql, pageId)}`),
      /** Writes what the subscriber chose. */
      setInterest: ({ componentIds, id, kinds, updatedAt, workspaceId }: SubscriberRow) =>
        write(sql`
          update subscribers
          set component_ids = ${componentIds}, kinds = ${kinds}, updated_at = ${DateTime.toDateUtc(updatedAt)}
          where workspace_id = ${workspaceId} and id = ${id}`),
      /** Deletes one with its open deliveries. False if there is none. */
      remove: (workspaceId: WorkspaceId, id: SubscriberId) =>
        exists(sql`delete from subscribers where workspace_id = ${workspaceId} and id = ${id} returning id`),
      /** Newest first. */
      list: findAll(SubscriberRow, ({ before, limit, pageId, status, workspaceId }: SubscriberFilter) =>
        // By the index on (workspace_id, page_id, id).
        sql`
        select ${columns} from subscribers s
        where ${
          sql.and([
            sql`s.workspace_id = ${workspaceId}`,
            sql`s.page_id = ${pageId}`,
            ...(status === null ? [] : [sql`s.status = ${status}`]),
            ...(before === null ? [] : [sql`s.id < ${before}`])
          ])
        }
        order by s.id desc limit ${limit}`),
      /** Locks the subscription of a manage token; none if the token is not its own. */
      managed: lockedBy("manage_hash"),
      /** Locks the subscription of a confirmation. */
      toConfirm: lockedBy("confirm_hash"),
      locked: findOne(SubscriberRow, (workspaceId: WorkspaceId, id: SubscriberId) =>
        sql`
        select ${columns} from subscribers s where s.workspace_id = ${workspaceId} and s.id = ${id} for no key update`),
      /** The active subscribers of a page, by their partial index. */
      count: (workspaceId: WorkspaceId, pageId: PageId) =>
        countOf(sql`
          select count(*)::int as count from subscribers
          where page_id = ${pageId} and workspace_id = ${workspaceId} and status = 'active'`),
      /** Whether an address is that of a member of the workspace. */
      isMember: (workspaceId: WorkspaceId, email: EmailAddress) =>
        exists(sql`
          select from users u join memberships m on m.user_id = u.id and m.workspace_id = ${workspaceId}
          where u.email = ${email}`),
      /** The number of active subscribers of the page with the most, by the same index, page by page. */
      most: (workspaceId: WorkspaceId) =>
        countOf(sql`
          select coalesce(max(count), 0)::int as count from (
            select (select count(*) from subscribers s where s.page_id = p.id and s.status = 'active') as count
            from pages p where p.workspace_id = ${workspaceId}
          ) pages`),
      /** The visible components of a page by id or key. */
      components: findAll(
        Schema.Struct({ id: ComponentId, key: Schema.String }),
        (workspaceId: WorkspaceId, pageId: PageId, names: ReadonlyArray<string>) =>
          sql`
        select id, key from components
        where workspace_id = ${workspaceId} and page_id = ${pageId} and not hidden and (id = any(${names}::text[]) or key = any(${names}::text[]))`
      ),
      /** Deletes a batch of those that ended more than 30 days ago. Returns whether there may be more. */
      prune: Effect.fn("Subscribers.prune")(function*(now: DateTime.Utc) {
        const gone = yield* sql`
          delete from subscribers where id in (
            select id from subscribers where ended_at < ${DateTime.toDateUtc(DateTime.subtractDuration(now, retention))}
            limit ${pruneBatch}
          ) returning id`
        return gone.length === pruneBatch
      }, Effect.orDie)
    }
  })
}) {}
