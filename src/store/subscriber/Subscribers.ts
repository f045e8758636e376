/** The rows of subscribers. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { ComponentId, type IncidentId, PageId, SubscriberId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Language } from "../../../schema/page/Page.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { SubscriberStatus, type SubscriberType } from "../../../schema/subscriber/Subscriber.ts"
import { tokenHash, Vault } from "../Vault.ts"
import { subscriberColumns, SubscriberRow, SubscriberSecrets } from "./SubscriberRows.ts"

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
  readonly incidentId: IncidentId | null
  readonly agent: string | null
  /** Whether the visitor had given the password of a private page. */
  readonly knewPassword: boolean
  readonly at: DateTime.Utc
}

/** Null matches any subscriber. */
const SubscriberFilter = Schema.Struct({
  workspaceId: WorkspaceId,
  pageId: PageId,
  status: Schema.NullOr(SubscriberStatus),
  before: Schema.NullOr(SubscriberId),
  limit: Schema.Int
})
export type SubscriberFilter = typeof SubscriberFilter.Type

const encodeSecrets = Schema.encodeSync(SubscriberSecrets)

const makeReads = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(subscriberColumns)
  return {
    list: SqlSchema.findAll({
      Request: SubscriberFilter,
      Result: SubscriberRow,
      // By the index on (workspace_id, page_id, id).
      execute: ({ before, limit, pageId, status, workspaceId }) =>
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
        order by s.id desc limit ${limit}`
    }),
    // Two queries without a workspace: who manages a subscription has only its id and its token, as in a mail.
    managed: SqlSchema.findOne({
      Request: Schema.Struct({ id: Schema.String, hash: Schema.Uint8ArrayFromSelf }),
      Result: SubscriberRow,
      execute: ({ hash, id }) =>
        sql`select ${columns} from subscribers s where s.id = ${id} and s.manage_hash = ${hash} for no key update`
    }),
    toConfirm: SqlSchema.findOne({
      Request: Schema.Struct({ id: Schema.String, hash: Schema.Uint8ArrayFromSelf }),
      Result: SubscriberRow,
      execute: ({ hash, id }) =>
        sql`select ${columns} from subscribers s where s.id = ${id} and s.confirm_hash = ${hash} for no key update`
    }),
    locked: SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: SubscriberId }),
      Result: SubscriberRow,
      execute: ({ id, workspaceId }) =>
        sql`
        select ${columns} from subscribers s where s.workspace_id = ${workspaceId} and s.id = ${id} for no key update`
    }),
    // By the partial index of active subscribers.
    count: SqlSchema.single({
      Request: Schema.Struct({ workspaceId: WorkspaceId, pageId: PageId }),
      Result: Schema.Struct({ count: Schema.Int }),
      execute: ({ pageId, workspaceId }) =>
        sql`
        select count(*)::int as count from subscribers
        where page_id = ${pageId} and workspace_id = ${workspaceId} and status = 'active'`
    }),
    member: SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, email: Schema.String }),
      Result: Schema.Struct({ id: Schema.String }),
      execute: ({ email, workspaceId }) =>
        sql`
        select u.id from users u join memberships m on m.user_id = u.id and m.workspace_id = ${workspaceId}
        where u.email = ${email}`
    }),
    // By the same index, page by page.
    most: SqlSchema.single({
      Request: WorkspaceId,
      Result: Schema.Struct({ count: Schema.Int }),
      execute: (workspaceId) =>
        sql`
        select coalesce(max(count), 0)::int as count from (
          select (select count(*) from subscribers s where s.page_id = p.id and s.status = 'active') as count
          from pages p where p.workspace_id = ${workspaceId}
        ) pages`
    }),
    components: SqlSchema.findAll({
      Request: Schema.Struct({ workspaceId: WorkspaceId, pageId: PageId, names: Schema.Array(Schema.String) }),
      Result: Schema.Struct({ id: ComponentId, key: Schema.String }),
      execute: ({ names, pageId, workspaceId }) =>
        sql`
        select id, key from components
        where workspace_id = ${workspaceId} and page_id = ${pageId} and not hidden and (id = any(${[
          ...names
        ]}::text[]) or key = any(${[...names]}::text[]))`
    })
  }
}

export class Subscribers extends Effect.Service<Subscribers>()("belltower/Subscribers", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const reads = makeReads(sql)

    const hashOf = ({ email, pageId, secrets, type }: Pick<SubscriberDraft, "email" | "pageId" | "secrets" | "type">): Buffer =>
      vault.hash(`subscriber ${pageId} ${type} ${email ?? secrets.url ?? ""}`)

    const insert = Effect.fn("Subscribers.insert")(function*(draft: SubscriberDraft) {
      const sealed = yield* vault.seal(encodeSecrets(draft.secrets))
      const at = DateTime.toDateUtc(draft.at)
      yield* sql`
        insert into subscribers (id, workspace_id, page_id, type, status, language, email, host, target_hash, sealed, manage_hash,
                                 confirm_hash, component_ids, incident_id, agent, knew_password, created_at, updated_at)
        values (${draft.id}, ${draft.workspaceId}, ${draft.pageId}, ${draft.type}, ${draft.status}, ${draft.language},
                ${draft.email}, ${draft.secrets.url === null ? null : new URL(draft.secrets.url).origin}, ${hashOf(draft)},
                ${sealed}, ${tokenHash(draft.secrets.manage)}, ${
        draft.confirmToken === null ? null : tokenHash(draft.confirmToken)
      },
                ${[...draft.componentIds]}, ${draft.incidentId}, ${draft.agent}, ${draft.knewPassword}, ${at}, ${at})`
    }, Effect.orDie)

    /** Ends other active subscriptions of the same target with the same interest: the newest replaces them. */
    const replace = Effect.fn("Subscribers.replace")(
      function*(row: Pick<SubscriberRow, "id" | "workspaceId" | "pageId">, at: DateTime.Utc) {
        yield* sql`
        update subscribers old set status = 'unsubscribed', ended_at = ${DateTime.toDateUtc(at)}, updated_at = ${
          DateTime.toDateUtc(at)
        }
        from subscribers fresh
        where fresh.workspace_id = ${row.workspaceId} and fresh.id = ${row.id} and old.page_id = ${row.pageId}
          and old.target_hash = fresh.target_hash and old.id <> fresh.id and old.status = 'active'
          and old.incident_id is not distinct from fresh.incident_id
          and (old.type = 'email' or old.component_ids = fresh.component_ids)`
      },
      Effect.orDie
    )

    const setStatus = Effect.fn("Subscribers.setStatus")(
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
    )

    return {
      insert,
      replace,
      /** Also drops the open deliveries of a subscription that ends. */
      setStatus,
      setComponents: (row: SubscriberRow, componentIds: ReadonlyArray<ComponentId>, at: DateTime.Utc) =>
        Effect.asVoid(Effect.orDie(sql`
          update subscribers set component_ids = ${[...componentIds]}, updated_at = ${DateTime.toDateUtc(at)}
          where workspace_id = ${row.workspaceId} and id = ${row.id}`)),
      /** Deletes one with its open deliveries. False if there is none. */
      remove: (workspaceId: WorkspaceId, id: SubscriberId) =>
        Effect.orDie(sql`delete from subscribers where workspace_id = ${workspaceId} and id = ${id} returning id`).pipe(
          Effect.map((rows) => rows.length > 0)
        ),
      /** Newest first. */
      list: (filter: SubscriberFilter) => Effect.orDie(reads.list(filter)),
      /** Locks the subscription of a manage token; none if the token is not its own. */
      managed: (id: string, token: string): Effect.Effect<Option.Option<SubscriberRow>> =>
        Effect.orDie(reads.managed({ id, hash: tokenHash(token) })),
      /** Locks the subscription of a confirmation. */
      toConfirm: (id: string, token: string): Effect.Effect<Option.Option<SubscriberRow>> =>
        Effect.orDie(reads.toConfirm({ id, hash: tokenHash(token) })),
      locked: (workspaceId: WorkspaceId, id: SubscriberId) => Effect.orDie(reads.locked({ workspaceId, id })),
      /** The active subscribers of a page. */
      count: (workspaceId: WorkspaceId, pageId: PageId) =>
        Effect.orDie(Effect.map(reads.count({ workspaceId, pageId }), ({ count }) => count)),
      /** Whether an address is that of a member of the workspace. */
      isMember: (workspaceId: WorkspaceId, email: EmailAddress) =>
        Effect.orDie(Effect.map(reads.member({ workspaceId, email }), Option.isSome)),
      /** The number of subscribers of the page with the most. */
      most: (workspaceId: WorkspaceId) => Effect.orDie(Effect.map(reads.most(workspaceId), ({ count }) => count)),
      /** The visible components of a page by id or key. */
      components: (workspaceId: WorkspaceId, pageId: PageId, names: ReadonlyArray<string>) =>
        Effect.orDie(reads.components({ workspaceId, pageId, names })),
      secretsOf: ({ sealed }: Pick<SubscriberRow, "sealed">) =>
        Effect.map(vault.unseal(sealed), Schema.decodeSync(SubscriberSecrets)),
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
