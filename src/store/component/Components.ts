/** The rows of components and their groups, each with the status it shows. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, DateTime, Effect, Either, type Option, Schema } from "effect"
import type { Component, ComponentInput } from "../../../schema/component/Component.ts"
import { Conflict, NotFound } from "../../../schema/Errors.ts"
import { ComponentId, GroupId, type MonitorId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { ComponentGroup } from "../../../schema/page/Page.ts"
import { type ComponentSettings, settleComponent } from "../../domain/component/ComponentSettings.ts"
import { idTime } from "../../domain/Id.ts"
import { firstFree, keyOf } from "../../domain/page/Slug.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Links } from "../../links/Links.ts"
import { mint, randomToken } from "../Mint.ts"
import { pagesSignal } from "../page/Pages.ts"
import { Wakeups } from "../postgres/Wakeups.ts"
import { tokenHash, Vault } from "../Vault.ts"
import { type ComponentView, selectedComponents, shownBy, StoredComponent, viewOf } from "./ComponentRows.ts"

const GroupRow = Schema.Struct({ ...ComponentGroup.fields, pageId: PageId })
export type GroupRow = typeof GroupRow.Type

const longestKey = 63

/** 238 bits: nobody guesses one, and it fits a URL as it is. */
const tokenLength = 40

const OfPages = Schema.Struct({ workspaceId: WorkspaceId, pageIds: Schema.Array(PageId) })

export class Components extends Effect.Service<Components>()("belltower/Components", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const wakeups = yield* Wakeups
    const vault = yield* Vault
    const links = yield* Links

    const selected = selectedComponents(sql)

    const ofPages = SqlSchema.findAll({
      Request: OfPages,
      Result: StoredComponent,
      execute: ({ pageIds, workspaceId }) =>
        sql`
        ${selected} where c.workspace_id = ${workspaceId} and c.page_id = any(${pageIds}::text[])
        order by c.position, c.id`
    })

    const find = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: ComponentId }),
      Result: StoredComponent,
      execute: ({ id, workspaceId }) => sql`${selected} where c.workspace_id = ${workspaceId} and c.id = ${id}`
    })

    const pushedBy = SqlSchema.findOne({
      Request: Schema.Uint8ArrayFromSelf,
      Result: Schema.Struct({ workspaceId: WorkspaceId, id: ComponentId }),
      execute: (hash) =>
        sql`
        select workspace_id as "workspaceId", id from components where push and push_token_hash = ${hash}`
    })

    /** The component as its workspace sees it: with the address that sets its status. */
    const record = (stored: StoredComponent): Effect.Effect<Component> =>
      Effect.gen(function*() {
        const view = viewOf(stored, yield* Clock.currentTimeMillis)
        const token = stored.push && stored.pushTokenSealed !== null ? yield* vault.unseal(stored.pushTokenSealed) : null
        return { ...view, pushUrl: token === null ? null : links.push(token) }
      })

    const groupsOf = SqlSchema.findAll({
      Request: OfPages,
      Result: GroupRow,
      execute: ({ pageIds, workspaceId }) =>
        sql`
        select id, page_id as "pageId", name, description, collapsed from component_groups
        where workspace_id = ${workspaceId} and page_id = any(${pageIds}::text[]) order by position, id`
    })

    /** The slug of the page, whose row is taken so that keys, groups and positions are given one at a time. */
    const lockPage = (workspaceId: WorkspaceId, pageId: PageId) =>
      Effect.flatMap(
        sql<{ readonly slug: string }>`
          select slug from pages where workspace_id = ${workspaceId} and id = ${pageId} for no key update`,
        ([page]) => page === undefined ? new NotFound({ message: "No such status page" }) : Effect.succeed(page.slug)
      )

    const requireMonitors = (workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>) =>
      Effect.gen(function*() {
        const rows = yield* sql<{ readonly id: string }>`
          select id from monitors where workspace_id = ${workspaceId} and id = any(${[...ids]}::text[])`
        const known = new Set(rows.map((row) => row.id))
        const refusals = ids.flatMap((id, index) =>
          known.has(id) ? [] : [{ path: `monitorIds.${index}`, message: `No monitor ${id} in this workspace` }]
        )
        if (refusals.length > 0) return yield* validationFailure(refusals)
      })

    /** The group that goes by a name or an id; a name that is new makes one at the end. */
    const groupOf = (workspaceId: WorkspaceId, pageId: PageId, group: string) =>
      Effect.gen(function*() {
        const groups = yield* groupsOf({ workspaceId, pageIds: [pageId] })
        const wanted = group.toLowerCase()
        const found = groups.find(({ id, name }) => id === group || name.toLowerCase() === wanted)
        if (found !== undefined) return found.id
        if (group.startsWith("grp_") && idTime(group) !== null) {
          const hint = "Give a name to have one made"
          return yield* validationFailure([{ path: "group", message: "No such group on this page", hint }])
        }
        const id = yield* mint("grp", GroupId)
        yield* sql`
          insert into component_groups (id, workspace_id, page_id, name, position)
          values (${id}, ${workspaceId}, ${pageId}, ${group}, ${groups.length})`
        return id
      })

    /** The key that was given, which must be free, or one made from the name. */
    const claimKey = (workspaceId: WorkspaceId, pageId: PageId, { key, name }: ComponentInput) =>
      Effect.gen(function*() {
        const rows = yield* sql<{ readonly key: string }>`
          select key from components where workspace_id = ${workspaceId} and page_id = ${pageId}`
        const taken = new Set(rows.map((row) => row.key))
        if (key === undefined) return firstFree(keyOf(name), taken, longestKey)
        if (!taken.has(key)) return key
        return yield* new Conflict({ message: `The page already has a component with the key ${key}` })
      })

    const insert = (
      key: { readonly workspaceId: WorkspaceId; readonly pageId: PageId; readonly id: ComponentId },
      input: ComponentInput,
      settings: ComponentSettings,
      placed: { readonly key: string; readonly group: GroupId | null }
    ) =>
      Effect.gen(function*() {
        const at = DateTime.toDateUtc(yield* DateTime.now)
        const token = settings.push ? yield* randomToken(tokenLength) : null
        const sealed = token === null ? null : yield* vault.seal(token)
        yield* sql`
          insert into components (id, workspace_id, page_id, name, key, description, group_id, monitor_ids, aggregate, push,
                                  push_ttl_sec, confirmations, push_token_hash, push_token_sealed, manual, show_uptime,
                                  show_response_times, hidden, position, created_at, updated_at)
          select ${key.id}, ${key.workspaceId}, ${key.pageId}, ${input.name}, ${placed.key}, ${settings.description},
                 ${placed.group}, ${[...settings.monitorIds]}::text[], ${settings.aggregate}, ${settings.push},
                 ${settings.pushTtlSec}, ${settings.confirmations}, ${token === null ? null : tokenHash(token)}, ${sealed},
                 ${settings.manual}, ${settings.showUptime}, ${settings.showResponseTimes}, ${settings.hidden},
                 coalesce(${input.order ?? null}::int, least(10000, coalesce(max(position) + 1, 0))), ${at}, ${at}
          from components where page_id = ${key.pageId}`
      })

    /** Notes what a new component shows, so that the first change of it is told as one. */
    const noteShown = (stored: StoredComponent) =>
      Effect.gen(function*() {
        const { status } = shownBy(stored, null, yield* Clock.currentTimeMillis)
        yield* sql`
          insert into component_states (component_id, workspace_id, version, status, changed_at)
          values (${stored.id}, ${stored.workspaceId}, 1, ${status}, ${DateTime.toDateUtc(stored.createdAt)})`
      })

    /**
     * A new component at the end of its page, or at `order`. Fails with `not_found` without the page, `conflict` for a key
     * that is taken, `validation_failed` for a source that cannot be, such as a monitor of another workspace.
     */
    const create = Effect.fn("Components.create")(
      function*(workspaceId: WorkspaceId, pageId: PageId, input: ComponentInput) {
        const settings = yield* Either.mapLeft(settleComponent(input), validationFailure)
        const slug = yield* lockPage(workspaceId, pageId)
        yield* requireMonitors(workspaceId, settings.monitorIds)
        const key = yield* claimKey(workspaceId, pageId, input)
        const group = input.group === undefined || input.group.trim() === ""
          ? null
          : yield* groupOf(workspaceId, pageId, input.group.trim())
        const id = yield* mint("cmp", ComponentId)
        yield* insert({ workspaceId, pageId, id }, input, settings, { key, group })
        const stored = yield* Effect.flatten(find({ workspaceId, id }))
        yield* noteShown(stored)
        yield* wakeups.notify(pagesSignal, slug)
        return yield* record(stored)
      },
      sql.withTransaction,
      Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die, NoSuchElementException: Effect.die })
    )

    const views = (rows: ReadonlyArray<StoredComponent>): Effect.Effect<ReadonlyArray<ComponentView>> =>
      Effect.map(Clock.currentTimeMillis, (now) => rows.map((stored) => viewOf(stored, now)))

    return {
      create,
      find: (workspaceId: WorkspaceId, id: ComponentId): Effect.Effect<Option.Option<Component>> =>
        Effect.orDie(Effect.flatMap(find({ workspaceId, id }), Effect.transposeMapOption(record))),
      /** As its workspace sees them, in the order of their pages. */
      records: (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>): Effect.Effect<ReadonlyArray<Component>> =>
        Effect.orDie(Effect.flatMap(ofPages({ workspaceId, pageIds }), (rows) => Effect.forEach(rows, record))),
      /** As anyone may see them, in the order of their pages. Fails where the database is away, as does `groupsOf`. */
      ofPages: (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) =>
        Effect.flatMap(ofPages({ workspaceId, pageIds }), views),
      groupsOf: (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) => groupsOf({ workspaceId, pageIds }),
      /** The component that a push token is for; a query without a workspace, since the token is all that a pusher has. */
      pushedBy: (token: string) => Effect.orDie(pushedBy(tokenHash(token)))
    }
  })
}) {}
