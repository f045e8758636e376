/** The history of components without monitors (pushed, from a manifest, manual): one row for each span of time with one status. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { EffectiveStatus } from "../../../schema/component/Component.ts"
import { ComponentId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Stretch } from "../../domain/monitor/Uptime.ts"
import { gather } from "../../domain/tools/Gather.ts"
import { tryAll } from "../postgres/Queries.ts"

const SpanRow = Schema.Struct({
  componentId: ComponentId,
  state: EffectiveStatus,
  startedAt: Schema.Number,
  endedAt: Schema.NullOr(Schema.Number)
})

export class ComponentSpans extends Effect.Service<ComponentSpans>()("belltower/ComponentSpans", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const rows = tryAll(SpanRow, (workspaceId: WorkspaceId, componentIds: ReadonlyArray<ComponentId>, from: DateTime.Utc) =>
      sql`
        select component_id as "componentId", state, (extract(epoch from started_at) * 1000)::float8 as "startedAt",
          (extract(epoch from ended_at) * 1000)::float8 as "endedAt"
        from component_spans
        where workspace_id = ${workspaceId} and component_id = any(${componentIds}::text[])
          and (ended_at is null or ended_at > ${DateTime.toDateUtc(from)})
        order by component_id, started_at`)

    /** The spans that end after `from`, by component and in order. One query for any number of components. */
    const since = (workspaceId: WorkspaceId, componentIds: ReadonlyArray<ComponentId>, from: DateTime.Utc) =>
      Effect.map(
        componentIds.length === 0 ? Effect.succeed([]) : rows(workspaceId, componentIds, from),
        (found): ReadonlyMap<ComponentId, ReadonlyArray<Stretch<EffectiveStatus>>> =>
          gather(found.map(({ componentId, ...span }) => [componentId, span] as const))
      )

    /**
     * Ends the open span at `at` (ms) and begins another, in the caller's transaction, unless it has this state already. If the
     * open span would have no duration, changes its state instead.
     */
    const mark = Effect.fn("ComponentSpans.mark")(
      function*(workspaceId: WorkspaceId, componentId: ComponentId, state: EffectiveStatus, at: number) {
        const [open] = yield* sql<{ readonly startedAt: Date; readonly state: string }>`
          select started_at as "startedAt", state from component_spans
          where workspace_id = ${workspaceId} and component_id = ${componentId} and ended_at is null`
        if (open?.state === state) return
        if (open !== undefined && at <= open.startedAt.getTime()) {
          yield* sql`
            update component_spans set state = ${state}
            where workspace_id = ${workspaceId} and component_id = ${componentId} and ended_at is null`
          return
        }
        yield* sql`
          update component_spans set ended_at = ${new Date(at)}
          where workspace_id = ${workspaceId} and component_id = ${componentId} and ended_at is null`
        yield* sql`
          insert into component_spans (component_id, workspace_id, started_at, state)
          values (${componentId}, ${workspaceId}, ${new Date(at)}, ${state})
          on conflict (component_id, started_at) do update set state = excluded.state, ended_at = null`
      }
    )

    return { since, mark }
  })
}) {}
