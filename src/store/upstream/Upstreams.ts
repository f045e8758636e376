/** The rows of third parties' published statuses and incidents. They belong to no workspace. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"
import type { Known, Probe } from "../../domain/upstream/JudgeUpstream.ts"
import type { Reading, SourceIncident } from "../../domain/upstream/Reading.ts"
import { findAll, findOne, write } from "../postgres/Queries.ts"
import { inTransaction } from "../postgres/Transaction.ts"

/** How long a service's resolved incidents stay after their last change. */
const retention = Duration.days(90)
const pruneBatch = 1000

const Components = Schema.Struct({
  overall: Schema.NullOr(UpstreamCondition),
  components: Schema.Array(Schema.Struct({ name: Schema.String, condition: UpstreamCondition }))
})

const ServiceRow = Schema.Struct({
  reading: Schema.NullOr(Components),
  readAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  triedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  probeState: Schema.Literal("up", "down", "unknown"),
  probeStatusCode: Schema.NullOr(Schema.Int)
})

/** A third party's published incident. */
export const UpstreamIncidentRow = Schema.Struct({
  service: Schema.String,
  id: Schema.String,
  title: Schema.String,
  status: Schema.String,
  impact: UpstreamCondition,
  url: Schema.NullOr(Schema.String),
  startedAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate,
  resolvedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  components: Schema.Array(Schema.String),
  text: Schema.NullOr(Schema.String)
})

/** The columns of `upstream_incidents i`. */
export const upstreamIncidentColumns = `
  i.service, i.id, i.title, i.status, i.impact, i.url, i.started_at as "startedAt", i.updated_at as "updatedAt",
  i.resolved_at as "resolvedAt", i.components, i.body as text`

export class Upstreams extends Effect.Service<Upstreams>()("belltower/Upstreams", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(upstreamIncidentColumns)

    const serviceRow = findOne(ServiceRow, (service: string) =>
      sql`
      select reading, read_at as "readAt", tried_at as "triedAt", probe_state as "probeState",
             probe_status_code as "probeStatusCode"
      from upstream_services where service = ${service}`)

    const open = findAll(UpstreamIncidentRow, (service: string) =>
      sql`
      select ${columns} from upstream_incidents i where i.service = ${service} and i.resolved_at is null
      order by i.started_at desc limit 100`)

    const saveIncident = (service: string, incident: SourceIncident) =>
      sql`
      insert into upstream_incidents (service, id, title, status, impact, url, started_at, updated_at, resolved_at, components, body)
      values (${service}, ${incident.id}, ${incident.title}, ${incident.status}, ${incident.impact}, ${incident.url},
              ${DateTime.toDateUtc(incident.startedAt)}, ${DateTime.toDateUtc(incident.updatedAt)},
              ${incident.resolvedAt === null ? null : DateTime.toDateUtc(incident.resolvedAt)},
              ${[...incident.components]}::text[], ${incident.text})
      on conflict (service, id) do update set
        title = excluded.title, status = excluded.status, impact = excluded.impact, url = excluded.url,
        updated_at = excluded.updated_at, resolved_at = excluded.resolved_at, components = excluded.components, body = excluded.body
      where (upstream_incidents.title, upstream_incidents.status, upstream_incidents.impact, upstream_incidents.updated_at,
             upstream_incidents.resolved_at) is distinct from
            (excluded.title, excluded.status, excluded.impact, excluded.updated_at, excluded.resolved_at)
      returning (xmax = 0) as fresh`

    return {
      /** Begins to track services; true for those that were not tracked before. */
      track: Effect.fn("Upstreams.track")(function*(services: ReadonlyArray<string>, now: DateTime.Utc) {
        const made = yield* sql<{ readonly service: string }>`
          insert into upstream_services (service, tracked_since)
          select service, ${DateTime.toDateUtc(now)} from unnest(${services}::text[]) service
          on conflict do nothing returning service`
        return made.map(({ service }) => service)
      }, Effect.orDie),
      /** Stores a reading. Returns the incidents that were not known before. */
      saveReading: Effect.fn("Upstreams.saveReading")(
        function*(service: string, { components, incidents, overall }: Reading, now: DateTime.Utc) {
          const oldest = DateTime.subtractDuration(now, retention)
          const kept = incidents.filter(({ resolvedAt, updatedAt }) =>
            resolvedAt === null || DateTime.greaterThan(updatedAt, oldest)
          )
          const results = yield* Effect.forEach(kept, (incident) => saveIncident(service, incident))
          // Incidents that the source no longer lists are over.
          yield* sql`
          update upstream_incidents set resolved_at = ${DateTime.toDateUtc(now)}, updated_at = ${DateTime.toDateUtc(now)}
          where service = ${service} and resolved_at is null and id <> all(${kept.map(({ id }) => id)}::text[])`
          yield* sql`
          update upstream_services
          set reading = ${JSON.stringify({ overall, components })}::jsonb, read_at = ${DateTime.toDateUtc(now)},
              tried_at = ${DateTime.toDateUtc(now)}, problem = null
          where service = ${service}`
          return kept.filter((_, index) => results[index]?.some((row) => row["fresh"] === true))
        },
        inTransaction(sql)
      ),
      saveProblem: (service: string, problem: string, now: DateTime.Utc) =>
        write(sql`
          update upstream_services set tried_at = ${DateTime.toDateUtc(now)}, problem = ${problem} where service = ${service}`),
      saveProbe: Effect.fn("Upstreams.saveProbe")(function*(service: string, { state, statusCode }: Probe) {
        yield* sql`
          update upstream_services set probe_state = ${state}, probe_status_code = ${statusCode} where service = ${service}`
      }, Effect.orDie),
      tracked: Effect.orDie(Effect.map(
        sql<{ readonly service: string }>`select service from upstream_services`,
        (rows) => rows.map(({ service }) => service)
      )),
      /** The stored state of a service, for its verdicts. */
      known: Effect.fn("Upstreams.known")(function*(service: string) {
        const row = Option.getOrUndefined(yield* serviceRow(service))
        const incidents = yield* open(service)
        const known: Known & { readonly triedAt: DateTime.Utc | null } = {
          reading: { overall: row?.reading?.overall ?? null, components: row?.reading?.components ?? [], incidents },
          readAt: row?.readAt ?? null,
          triedAt: row?.triedAt ?? null,
          probe: { state: row?.probeState ?? "unknown", statusCode: row?.probeStatusCode ?? null }
        }
        return known
      }),
      /** Open ones and those of the last 90 days, newest first. */
      incidents: findAll(
        UpstreamIncidentRow,
        (service: string, limit: number) =>
          sql`select ${columns} from upstream_incidents i where i.service = ${service} order by i.started_at desc limit ${limit}`
      ),
      /** Deletes incidents that are over and have not changed for 90 days. */
      prune: (now: DateTime.Utc) =>
        write(sql`
          delete from upstream_incidents where (service, id) in (
            select service, id from upstream_incidents
            where resolved_at is not null and updated_at < ${DateTime.toDateUtc(DateTime.subtractDuration(now, retention))}
            limit ${pruneBatch})`)
    }
  })
}) {}
