/** The rows of components and their groups, each with the status it shows. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, DateTime, Effect, Either, type Option, Schema, Struct } from "effect"
import { Component, type ComponentInput, ComponentStatus } from "../../schema/Component.ts"
import { Conflict, NotFound } from "../../schema/Errors.ts"
import { ComponentId, GroupId, type MonitorId, PageId, WorkspaceId } from "../../schema/Ids.ts"
import { ComponentGroup } from "../../schema/Page.ts"
import { settleComponent } from "../domain/ComponentSettings.ts"
import { effectiveStatus } from "../domain/ComponentStatus.ts"
import { idTime } from "../domain/Id.ts"
import { observedUntil } from "../domain/MonitorMachine.ts"
import { refused } from "../domain/Refused.ts"
import { firstFree, keyOf } from "../domain/Slug.ts"
import { mint } from "./Mint.ts"
import { pagesChannel } from "./Pages.ts"
import { SpanState } from "./Spans.ts"
import { Wakeups } from "./Wakeups.ts"

const FollowedMonitor = Schema.Struct({
  state: SpanState,
  lastRoundAt: Schema.NullOr(Schema.Number),
  intervalSec: Schema.NullOr(Schema.Int),
  timeoutMs: Schema.NullOr(Schema.Int)
})

/** The state that was last seen; unobserved once checks have stopped coming. */
const seenState = ({ intervalSec, lastRoundAt, state, timeoutMs }: typeof FollowedMonitor.Type, now: number) =>
  intervalSec === null || timeoutMs === null || observedUntil(lastRoundAt, { intervalSec, timeoutMs }, now) >= now
    ? state
    : "unobserved"

const StoredComponent = Schema.Struct({
  ...Struct.omit(Component.fields, "status"),
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate,
  monitors: Schema.Array(FollowedMonitor),
  incidents: Schema.Array(ComponentStatus)
})

const withStatus = (stored: typeof StoredComponent.Type): Effect.Effect<Component> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { incidents, monitors, ...component } = stored
    const states = monitors.map((monitor) => seenState(monitor, now))
    return { ...component, status: effectiveStatus({ aggregate: component.aggregate, monitors: states, incidents }) }
  })

const GroupRow = Schema.Struct({ ...ComponentGroup.fields, pageId: PageId })
export type GroupRow = typeof GroupRow.Type

const longestKey = 63

const OfPages = Schema.Struct({ workspaceId: WorkspaceId, pageIds: Schema.Array(PageId) })

export class Components extends Effect.Service<Components>()("belltower/Components", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const wakeups = yield* Wakeups

    // A monitor that was deleted stays in the list and has no say; a pause shows at once, before the actor has heard of it.
    const selected = sql.literal(`
      select c.id, c.page_id as "pageId", c.name, c.key, c.description, c.group_id as "group", c.monitor_ids as "monitorIds",
        c.aggregate, c.manual, c.show_uptime as "showUptime", c.show_response_times as "showResponseTimes", c.hidden,
        c.position as "order", c.created_at as "createdAt", c.updated_at as "updatedAt",
        coalesce((
          select jsonb_agg(jsonb_build_object(
            'state', case when s.state is null then 'unobserved' when m.paused then 'paused'
                          when s.state = 'paused' then 'pending' else s.state end,
            'lastRoundAt', s.machine->'lastRoundAt', 'intervalSec', m.interval_sec, 'timeoutMs', m.timeout_ms))
          from unnest(c.monitor_ids) as followed (id)
          left join monitors m on m.id = followed.id and m.workspace_id = c.workspace_id
          left join monitor_states s on s.monitor_id = m.id), '[]') as monitors,
        coalesce((
          select jsonb_agg(case when i.kind = 'maintenance' then 'maintenance' else affected->>'status' end)
          from incidents i cross join lateral jsonb_array_elements(i.components) affected
          where i.workspace_id = c.workspace_id and i.page_ids @> array[c.page_id] and i.public and not i.automatic
            and i.resolved_at is null and (i.kind = 'incident' or i.status = 'in_progress')
            and affected->>'componentId' = c.id), '[]') as incidents
      from components c`)

    const ofPages = SqlSchema.findAll({
      Request: OfPages,
      Result: StoredComponent,
      execute: ({ pageIds, workspaceId }) => sql`
        ${selected} where c.workspace_id = ${workspaceId} and c.page_id = any(${pageIds}::text[])
        order by c.position, c.id`
    })

    const find = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: ComponentId }),
      Result: StoredComponent,
      execute: ({ id, workspaceId }) => sql`${selected} where c.workspace_id = ${workspaceId} and c.id = ${id}`
    })

    const groupsOf = SqlSchema.findAll({
      Request: OfPages,
      Result: GroupRow,
      execute: ({ pageIds, workspaceId }) => sql`
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
        if (refusals.length > 0) return yield* refused(refusals)
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
          return yield* refused([{ path: "group", message: "No such group on this page", hint }])
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

    /**
     * A new component at the end of its page, or at `order`. Fails with `not_found` without the page, `conflict` for a key
     * that is taken, `validation_failed` for a source that cannot be, such as a monitor of another workspace.
     */
    const create = Effect.fn("Components.create")(
      function*(workspaceId: WorkspaceId, pageId: PageId, input: ComponentInput) {
        const settings = yield* Either.mapLeft(settleComponent(input), refused)
        const slug = yield* lockPage(workspaceId, pageId)
        yield* requireMonitors(workspaceId, settings.monitorIds)
        const key = yield* claimKey(workspaceId, pageId, input)
        const group = input.group === undefined || input.group.trim() === ""
          ? null
          : yield* groupOf(workspaceId, pageId, input.group.trim())
        const id = yield* mint("cmp", ComponentId)
        const at = DateTime.toDateUtc(yield* DateTime.now)
        yield* sql`
          insert into components (id, workspace_id, page_id, name, key, description, group_id, monitor_ids, aggregate, manual,
                                  show_uptime, show_response_times, hidden, position, created_at, updated_at)
          select ${id}, ${workspaceId}, ${pageId}, ${input.name}, ${key}, ${settings.description}, ${group},
                 ${[...settings.monitorIds]}::text[], ${settings.aggregate}, ${settings.manual}, ${settings.showUptime},
                 ${settings.showResponseTimes}, ${settings.hidden},
                 coalesce(${input.order ?? null}::int, least(10000, coalesce(max(position) + 1, 0))), ${at}, ${at}
          from components where page_id = ${pageId}`
        yield* wakeups.notify(pagesChannel, slug)
        return yield* Effect.flatMap(Effect.flatten(find({ workspaceId, id })), withStatus)
      },
      sql.withTransaction,
      Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die, NoSuchElementException: Effect.die })
    )

    return {
      create,
      find: (workspaceId: WorkspaceId, id: ComponentId): Effect.Effect<Option.Option<Component>> =>
        Effect.orDie(Effect.flatMap(find({ workspaceId, id }), Effect.transposeMapOption(withStatus))),
      /** In the order of their pages. Fails where the database is away, as does `groupsOf`. */
      ofPages: (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) =>
        Effect.flatMap(ofPages({ workspaceId, pageIds }), (rows) => Effect.forEach(rows, withStatus)),
      groupsOf: (workspaceId: WorkspaceId, pageIds: ReadonlyArray<PageId>) => groupsOf({ workspaceId, pageIds })
    }
  })
}) {}
