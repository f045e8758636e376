/** Acknowledgements of open incidents, for channels whose alert waited while somebody acknowledged. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { IncidentId, type WorkspaceId } from "../../../schema/Ids.ts"
import { makeId } from "../../domain/tools/Id.ts"
import { EventRow } from "../event/EventLog.ts"
import { findAll } from "../postgres/Queries.ts"

/** The event follows the acknowledgement in one transaction, and the clocks of machines agree better than that. */
const longestDelay = Duration.minutes(1)

const firstIdAt = (at: DateTime.Utc): string => makeId("evt", DateTime.toEpochMillis(at), new Uint8Array(10))

const Acknowledged = Schema.Struct({ id: IncidentId, at: Schema.DateTimeUtc })

export class StandingAcknowledgements extends Effect.Service<StandingAcknowledgements>()("belltower/StandingAcknowledgements", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const acknowledged = findAll(Acknowledged, (workspaceId: WorkspaceId, ids: ReadonlyArray<IncidentId>) =>
      sql`
        select id, acknowledgement ->> 'at' as at from incidents
        where workspace_id = ${workspaceId} and id = any(${ids}::text[]) and acknowledgement is not null
          and resolved_at is null`)

    // The times in the ids bound what is read of the log by its primary key.
    const events = findAll(EventRow, (workspaceId: WorkspaceId, acknowledged: ReadonlyArray<typeof Acknowledged.Type>) =>
      sql`
        select e.id, e.type, e.at, e.data
        from unnest(${acknowledged.map(({ id }) => id)}::text[], ${acknowledged.map(({ at }) => firstIdAt(at))}::text[],
                    ${acknowledged.map(({ at }) => firstIdAt(DateTime.addDuration(at, longestDelay)))}::text[])
          as a (incident_id, first, last)
        cross join lateral (
          select * from events
          where workspace_id = ${workspaceId} and id >= a.first and id < a.last and type = 'incident.acknowledged'
            and data -> 'incident' ->> 'id' = a.incident_id
          order by id limit 1
        ) e
        order by e.id`)

    return {
      /** The events of those of the incidents that are open and acknowledged, oldest first. */
      find: Effect.fn("StandingAcknowledgements.find")(function*(workspaceId: WorkspaceId, ids: ReadonlyArray<IncidentId>) {
        const open = ids.length === 0 ? [] : yield* acknowledged(workspaceId, ids)
        const found = open.length === 0 ? [] : yield* events(workspaceId, open)
        return found.map((event): WorkspaceEvent => ({ ...event, workspaceId }))
      }, Effect.orDie)
    }
  })
}) {}
