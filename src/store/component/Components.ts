/** The rows of components and their groups, each component with the status it shows. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, DateTime, Effect, type Option, Schema } from "effect"
import type { ComponentInput } from "../../../schema/component/Component.ts"
import { ComponentId, type GroupId, MonitorId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { ComponentGroup } from "../../../schema/page/Page.ts"
import type { ComponentSettings } from "../../domain/component/ComponentSettings.ts"
import type { ComponentView } from "../../domain/component/ComponentView.ts"
import { randomToken } from "../Mint.ts"
import { tokenHash, Vault } from "../Vault.ts"
import { selectedComponents, shownBy, StoredComponent, viewOf } from "./ComponentRows.ts"

const GroupRow = Schema.Struct({ ...ComponentGroup.fields, pageId: PageId })
export type GroupRow = typeof GroupRow.Type

/** 238 bits: nobody guesses one, and it fits a URL as it is. */
const tokenLength = 40

const OfPages = Schema.Struct({ workspaceId: WorkspaceId, pageIds: Schema.Array(PageId) })
const OnPage = Schema.Struct({ workspaceId: WorkspaceId, pageId: PageId })

const makeQueries = (sql: SqlClient.SqlClient) => ({
  ofPages: SqlSchema.findAll({
    Request: OfPages,
    Result: StoredComponent,
    execute: ({ pageIds, workspaceId }) =>
      sql`
      ${selectedComponents(sql)} where c.workspace_id = ${workspaceId} and c.page_id = any(${pageIds}::text[])
      order by c.position, c.id`
  }),
  one: SqlSchema.single({
    Request: Schema.Struct({ workspaceId: WorkspaceId, id: ComponentId }),
    Result: StoredComponent,
    execute: ({ id, workspaceId }) => sql`${selectedComponents(sql)} where c.workspace_id = ${workspaceId} and c.id = ${id}`
  }),
  pushedBy: SqlSchema.findOne({
    Request: Schema.Uint8ArrayFromSelf,
    Result: Schema.Struct({ workspaceId: WorkspaceId, id: ComponentId }),
    execute: (hash) => sql`select workspace_id as "workspaceId", id from components where push and push_token_hash = ${hash}`
  }),
  groupsOf: SqlSchema.findAll({
    Request: OfPages,
    Result: GroupRow,
    execute: ({ pageIds, workspaceId }) =>
      sql`
      select id, page_id as "pageId", name, description, collapsed from component_groups
      where workspace_id = ${workspaceId} and page_id = any(${pageIds}::text[]) order by position, id`
  }),
  lockPage: SqlSchema.findOne({
    Request: OnPage,
    Result: Schema.Struct({ slug: Schema.String }),
    execute: ({ pageId, workspaceId }) =>
      sql`select slug from pages where workspace_id = ${workspaceId} and id = ${pageId} for no key update`
  }),
  keysOf: SqlSchema.findAll({
    Request: OnPage,
    Result: Schema.Struct({ key: Schema.String }),
    execute: ({ pageId, workspaceId }) =>
      sql`select key from components where workspace_id = ${workspaceId} and page_id = ${pageId}`
  }),
  monitors: SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, ids: Schema.Array(MonitorId) }),
    Result: Schema.Struct({ id: MonitorId }),
    execute: ({ ids, workspaceId }) =>
      sql`select id from monitors where workspace_id = ${workspaceId} and id = any(${ids}::text[])`
  })
})

/** Where a new component goes. */
interface Place {
  readonly workspaceId: WorkspaceId
  readonly pageId: PageId
  readonly key: string
  readonly group: GroupId | null
  /** Null for the end of the page. */
  readonly order: number | null
}

const makeInsert = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  const { one } = makeQueries(sql)

  /** Records what a new component shows, so that its first change is announced as a change. */
  const recordShown = (stored: StoredComponent) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      sql`
      insert into component_states (component_id, workspace_id, version, status, changed_at)
      values (${stored.id}, ${stored.workspaceId}, 1, ${shownBy(stored, null, now).status},
              ${DateTime.toDateUtc(stored.createdAt)})`)

  return Effect.fn("Components.insert")(
    function*(id: ComponentId, name: ComponentInput["name"], settings: ComponentSettings, place: Place) {
      const at = DateTime.toDateUtc(yield* DateTime.now)
      const token = settings.push ? yield* randomToken(tokenLength) : null
      const sealed = token === null ? null : yield* vault.seal(token)
      yield* sql`
        insert into components (id, workspace_id, page_id, name, key, description, group_id, monitor_ids, aggregate, push,
                                push_ttl_sec, confirmations, push_token_hash, push_token_sealed, manual, show_uptime,
                                show_response_times, hidden, position, created_at, updated_at)
        select ${id}, ${place.workspaceId}, ${place.pageId}, ${name}, ${place.key}, ${settings.description},
               ${place.group}, ${[...settings.monitorIds]}::text[], ${settings.aggregate}, ${settings.push},
               ${settings.pushTtlSec}, ${settings.confirmations}, ${token === null ? null : tokenHash(token)}, ${sealed},
               ${settings.manual}, ${settings.showUptime}, ${settings.showResponseTimes}, ${settings.hidden},
               coalesce(${place.order}::int, least(10000, coalesce(max(position) + 1, 0))), ${at}, ${at}
        from components where page_id = ${place.pageId}`
      const stored = yield* one({ workspaceId: place.workspaceId, id })
      yield* recordShown(stored)
      return stored
    },
    Effect.orDie
  )
})

export class Components extends Effect.Service<Components>()("belltower/Components", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const queries = makeQueries(sql)

    const views = (rows: ReadonlyArray<StoredComponent>): Effect.Effect<ReadonlyArray<ComponentView>> =>
      Effect.map(Clock.currentTimeMillis, (now) => rows.map((stored) => viewOf(stored, now)))

    return {
      /** Inserts a component on its page, in the caller's transaction, which holds the page's lock. */
      insert: yield* makeInsert,
      /** Takes the page's row for the caller's transaction, so that keys, groups and positions are given one at a time. */
      lockPage: (workspaceId: WorkspaceId, pageId: PageId): Effect.Effect<Option.Option<{ readonly slug: string }>> =>
        Effect.orDie(queries.lockPage({ workspaceId, pageId })),
      /** The keys that are taken on the page. */
      keysOf: (workspaceId: WorkspaceId, pageId: PageId): Effect.Effect<ReadonlySet<string>> =>
        Effect.orDie(Effect.map(queries.keysOf({ workspaceId, pageId }), (rows) => new Set(rows.map(({ key }) => key)))),
      /** Those of these monitors that the workspace has. */
      ownMonitors: (workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>): Effect.Effect<ReadonlySet<MonitorId>> =>
        Effect.orDie(Effect.map(queries.monitors({ workspaceId, ids }), (rows) => new Set(rows.map(({ id }) => id)))),
      /** Inserts a group, in the caller's transaction. */
      insertGroup: (workspaceId: WorkspaceId, pageId: PageId, group: Pick<GroupRow, "id" | "name">, position: number) =>
        Effect.asVoid(Effect.orDie(sql`
          insert into component_groups (id, workspace_id, page_id, name, position)
          values (${group.id}, ${workspaceId}, ${pageId}, ${group.name}, ${position})`)),
      /** With their push tokens sealed, in the order of their pages. */
      stored: (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) =>
        Effect.orDie(queries.ofPages({ workspaceId, pageIds })),
      /** Without their push tokens, in the order of their pages. Fails when the database is away, as `groupsOf` does. */
      ofPages: (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) =>
        Effect.flatMap(queries.ofPages({ workspaceId, pageIds }), views),
      groupsOf: (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) => queries.groupsOf({ workspaceId, pageIds }),
      /** The component that has a push token; a query without a workspace, since the token is all that a pusher has. */
      pushedBy: (token: string) => Effect.orDie(queries.pushedBy(tokenHash(token))),
      /** The push token, opened; null for a component that is not pushed. */
      pushToken: ({ push, pushTokenSealed }: StoredComponent): Effect.Effect<string | null> =>
        push && pushTokenSealed !== null ? vault.unseal(pushTokenSealed) : Effect.succeed(null)
    }
  })
}) {}
