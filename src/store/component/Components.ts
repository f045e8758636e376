/** The rows of component groups and of components, each with its current status. */
import { SqlClient } from "@effect/sql"
import { Clock, DateTime, Effect, Schema } from "effect"
import type { ComponentInput } from "../../../schema/component/Component.ts"
import { ComponentId, type GroupId, MonitorId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { type ComponentCounts, ComponentGroup } from "../../../schema/page/Page.ts"
import type { ComponentSettings } from "../../domain/component/ComponentSettings.ts"
import type { ComponentView } from "../../domain/component/ComponentStatus.ts"
import { forEachOverTurns } from "../../loops/OverTurns.ts"
import { randomToken } from "../Mint.ts"
import { decodedOverTurns, findAll, findOne, findSingle, tryAll, write } from "../postgres/Queries.ts"
import { cellOf } from "../SealedColumns.ts"
import { tokenHash, Vault } from "../Vault.ts"
import { shownBy, type StatusSources, StoredComponent, viewOf } from "./ComponentRows.ts"
import { componentsOfPages, fedComponents, selectedComponents, sourcesOfPages } from "./ComponentSelection.ts"

const GroupRow = Schema.Struct({ ...ComponentGroup.fields, pageId: PageId })
export type GroupRow = typeof GroupRow.Type

/** 238 bits: infeasible to guess, and needs no escaping in a URL. */
export const tokenLength = 40

const decodedComponents = decodedOverTurns(StoredComponent)

/** PostgreSQL makes it as JSON, in which none of the sources needs decoding. */
interface SourcesRow extends StatusSources {
  readonly pageId: PageId
  readonly hidden: boolean
}

/** Statuses found in one turn of the event loop: about 1 ms. A page may have 500 components. */
const perTurn = 200

export const noComponents: ComponentCounts = {
  operational: 0,
  degraded: 0,
  partial_outage: 0,
  major_outage: 0,
  maintenance: 0,
  unknown: 0,
  hidden: 0
}

interface OnPage {
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
  const one = findSingle(
    StoredComponent,
    (workspaceId: WorkspaceId, id: ComponentId) =>
      sql`${selectedComponents(sql)} where c.workspace_id = ${workspaceId} and c.id = ${id}`
  )

  /** Records the initial status of a component, so that its first change is announced as a change; a manual one's history begins. */
  const recordShown = (stored: StoredComponent) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      sql`
      with shown as (
        insert into component_states (component_id, workspace_id, version, status, changed_at)
        values (${stored.id}, ${stored.workspaceId}, 1, ${shownBy(stored, null, now).status},
                ${DateTime.toDateUtc(stored.createdAt)})
        returning component_id, workspace_id, changed_at, status
      )
      insert into component_spans (component_id, workspace_id, started_at, state)
      select component_id, workspace_id, changed_at, status from shown where ${stored.manual}`)

  return Effect.fn("Components.insert")(
    function*(id: ComponentId, name: ComponentInput["name"], settings: ComponentSettings, onPage: OnPage) {
      const at = DateTime.toDateUtc(yield* DateTime.now)
      const token = settings.push ? yield* randomToken(tokenLength) : null
      const sealed = token === null ? null : yield* vault.seal(cellOf("components.push_token_sealed", id), token)
      yield* sql`
        insert into components (id, workspace_id, page_id, name, key, description, group_id, monitor_ids, aggregate, push,
                                push_ttl_sec, manifest_monitor_id, manifest_key, confirmations, push_token_hash, push_token_sealed, manual, show_uptime,
                                show_response_times, hidden, position, created_at, updated_at)
        select ${id}, ${onPage.workspaceId}, ${onPage.pageId}, ${name}, ${onPage.key}, ${settings.description},
               ${onPage.group}, ${[...settings.monitorIds]}::text[], ${settings.aggregate}, ${settings.push},
               ${settings.pushTtlSec}, ${settings.manifest?.monitorId ?? null}, ${settings.manifest?.key ?? null},
               ${settings.confirmations}, ${token === null ? null : tokenHash(token)}, ${sealed},
               ${settings.manual}, ${settings.showUptime}, ${settings.showResponseTimes}, ${settings.hidden},
               coalesce(${onPage.order}::int, least(10000, coalesce(max(position) + 1, 0))), ${at}, ${at}
        from components where page_id = ${onPage.pageId}`
      const stored = yield* one(onPage.workspaceId, id)
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

    const ofPages = (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>, monitorIds: ReadonlyArray<MonitorId> | null) =>
      Effect.flatMap(
        componentsOfPages(
          sql,
          workspaceId,
          pageIds,
          monitorIds === null ? sql`true` : sql`c.id in (select id from (${fedComponents(sql, workspaceId, monitorIds)}) fed)`
        ),
        decodedComponents
      )

    const keysOf = findAll(
      Schema.Struct({ key: Schema.String }),
      (workspaceId: WorkspaceId, pageId: PageId) =>
        sql`select key from components where workspace_id = ${workspaceId} and page_id = ${pageId}`
    )

    const monitors = findAll(
      Schema.Struct({ id: MonitorId, kind: MonitorKind }),
      (workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>) =>
        sql`select id, kind from monitors where workspace_id = ${workspaceId} and id = any(${ids}::text[])`
    )

    const pushedBy = findOne(
      Schema.Struct({ workspaceId: WorkspaceId, id: ComponentId }),
      (hash: Buffer) => sql`select workspace_id as "workspaceId", id from components where push and push_token_hash = ${hash}`
    )

    const views = (rows: ReadonlyArray<StoredComponent>): Effect.Effect<ReadonlyArray<ComponentView>> =>
      Effect.map(Clock.currentTimeMillis, (now) => rows.map((stored) => viewOf(stored, now)))

    return {
      /**
       * The components of pages by the status that they show, without reading the rest of them; a page without components has no
       * entry.
       */
      counts: Effect.fn("Components.counts")(
        function*(workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) {
          const rows = yield* sql<SourcesRow>`${sourcesOfPages(sql, workspaceId, pageIds, sql`true`)}`
          const now = yield* Clock.currentTimeMillis
          const counted = yield* forEachOverTurns(
            rows,
            perTurn,
            (row) =>
              Effect.succeed({
                pageId: row.pageId,
                shown: row.hidden ? "hidden" as const : shownBy(row, row.pushState, now).status
              })
          )
          const found = new Map<PageId, ComponentCounts>()
          for (const { pageId, shown } of counted) {
            const before = found.get(pageId) ?? noComponents
            found.set(pageId, { ...before, [shown]: before[shown] + 1 })
          }
          return found
        },
        Effect.orDie
      ),
      /** Inserts a component on its page, in the caller's transaction, which holds the page's lock. */
      insert: yield* makeInsert,
      /** Locks the page's row in the caller's transaction, so that keys, groups and positions are assigned one at a time. */
      lockPage: findOne(
        Schema.Struct({ slug: Schema.String }),
        (workspaceId: WorkspaceId, pageId: PageId) =>
          sql`select slug from pages where workspace_id = ${workspaceId} and id = ${pageId} for no key update`
      ),
      keysOf: (workspaceId: WorkspaceId, pageId: PageId): Effect.Effect<ReadonlySet<string>> =>
        Effect.map(keysOf(workspaceId, pageId), (rows) => new Set(rows.map(({ key }) => key))),
      /** The monitors of the workspace among `ids`, and their kinds. */
      ownMonitors: (workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>) =>
        Effect.map(monitors(workspaceId, ids), (rows) => new Map(rows.map(({ id, kind }) => [id, kind] as const))),
      /** Inserts a group, in the caller's transaction. */
      insertGroup: (workspaceId: WorkspaceId, pageId: PageId, group: Pick<GroupRow, "id" | "name">, position: number) =>
        write(sql`
          insert into component_groups (id, workspace_id, page_id, name, position)
          values (${group.id}, ${workspaceId}, ${pageId}, ${group.name}, ${position})`),
      /** The components of pages, or of them those that some monitors feed, with their sealed push tokens, in page order. */
      stored: (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>, monitorIds: ReadonlyArray<MonitorId> | null = null) =>
        Effect.orDie(ofPages(workspaceId, pageIds, monitorIds)),
      /** The components of pages without push tokens, in page order. Fails when the database is unavailable, like `groupsOf`. */
      ofPages: (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) =>
        Effect.flatMap(ofPages(workspaceId, pageIds, null), views),
      groupsOf: tryAll(GroupRow, (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) =>
        sql`
        select id, page_id as "pageId", name, description, collapsed from component_groups
        where workspace_id = ${workspaceId} and page_id = any(${pageIds}::text[]) order by position, id`),
      /** The component of a push token. A query without a workspace, since the client only has the token. */
      pushedBy: (token: string) => pushedBy(tokenHash(token)),
      /** The decrypted push token; null for a component that is not pushed. */
      pushToken: ({ id, push, pushTokenSealed }: StoredComponent): Effect.Effect<string | null> =>
        push && pushTokenSealed !== null
          ? vault.unseal(cellOf("components.push_token_sealed", id), pushTokenSealed)
          : Effect.succeed(null)
    }
  })
}) {}
