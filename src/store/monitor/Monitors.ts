/** The rows of monitors: their settings, with the state that their actors write. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Exit, Option, Schema, Struct } from "effect"
import { CheckSummary } from "../../../schema/check/Check.ts"
import { IncidentId, type MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { Target } from "../../../schema/monitor/kinds.ts"
import { Machine } from "../../../schema/monitor/Machine.ts"
import { Monitor, MonitorState, RequestSecrets } from "../../../schema/monitor/Monitor.ts"
import { expectedRound } from "../../domain/monitor/ExpectedRound.ts"
import { isProbed } from "../../domain/monitor/kinds.ts"
import { initialMachine } from "../../domain/monitor/MonitorMachine.ts"
import { settingFields } from "../../domain/monitor/MonitorRecordText.ts"
import type { MonitorSettings } from "../../domain/monitor/settings/MonitorSettings.ts"
import { withNext } from "../postgres/LeanTransactions.ts"
import { findOne, write } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { cellOf } from "../SealedColumns.ts"
import { Vault } from "../Vault.ts"
import { Followers } from "./Followers.ts"
import { encodeMachine } from "./MonitorStates.ts"
import { monitorTables, shown } from "./ShownState.ts"

/** Notified when assignments are added to the outbox. */
export const assignmentsSignal = "belltower_assignments"

/** SQL for a line of the outbox that waits already: the regions before it and before the new edit. */
export const mergedFormerRegions = `case when assignment_outbox.former_regions is not null and excluded.former_regions is not null
  then array(select unnest(assignment_outbox.former_regions) union select unnest(excluded.former_regions)) end`

/** A monitor's settings without the sealed ones: headers, body, and the client's key and secret. */
export const MonitorRow = Schema.Struct({
  ...Struct.pick(Monitor.fields, "kind", ...settingFields),
  workspaceId: WorkspaceId,
  target: Target,
  revision: Schema.Int,
  createdAt: Schema.DateTimeUtcFromDate,
  updatedAt: Schema.DateTimeUtcFromDate
})
export type MonitorRow = typeof MonitorRow.Type

const stateFields = {
  version: Schema.Int,
  state: MonitorState,
  stateSince: Schema.DateTimeUtcFromDate,
  lastCheck: Schema.NullOr(CheckSummary),
  /** The incident of its outage, until it recovers: a person may have resolved it. */
  incidentId: Schema.NullOr(IncidentId)
}

/** A monitor with the state that its actor keeps. */
export const MonitorWithState = Schema.Struct({
  ...MonitorRow.fields,
  ...stateFields,
  openIncidentId: Schema.NullOr(IncidentId),
  lastRoundAt: Schema.NullOr(Schema.Number),
  /** When the last check began or its round was decided, ms since 1970. */
  heardAt: Schema.NullOr(Schema.Number),
  /** The sealed request secrets. */
  sealed: Schema.NullOr(Schema.String),
  /** The sealed ping token of a heartbeat. */
  tokenSealed: Schema.NullOr(Schema.String)
})
export type MonitorWithState = typeof MonitorWithState.Type

/** The data that an actor loads when it wakes: nothing that is sealed, because it stays in memory. */
export const MonitorWithMachine = Schema.Struct({ ...MonitorRow.fields, ...stateFields, machine: Machine })
export type MonitorWithMachine = typeof MonitorWithMachine.Type

const SecretsJson = Schema.parseJson(RequestSecrets)
const decodeWithMachine = Schema.decodeUnknown(MonitorWithMachine)
const nothing: RequestSecrets = { headers: {}, body: null, clientKey: null, clientSecret: null }

/** When the first round after an edit is expected at the latest. */
const expectedAt = (settings: MonitorSettings, now: DateTime.Utc): Date | null => {
  const machine = initialMachine(DateTime.toEpochMillis(now), 1)
  const expected = settings.paused || !isProbed(settings.target)
    ? null
    : expectedRound(machine, settings, DateTime.toEpochMillis(now))
  return expected === null ? null : new Date(expected.at)
}

export class Monitors extends Effect.Service<Monitors>()("belltower/Monitors", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const vault = yield* Vault
    const followers = yield* Followers

    const settingsColumns = sql.literal(`
      m.id, m.workspace_id as "workspaceId", m.name, m.description, m.kind, m.target,
      m.interval_sec as "intervalSec", m.timeout_ms as "timeoutMs", m.failure_threshold as "failureThreshold",
      m.recovery_threshold as "recoveryThreshold", m.confirm_after_sec as "confirmAfterSec",
      m.failure_rate as "failureRate", m.channel_ids as "channelIds", m.reminder_minutes as "reminderMinutes",
      m.depends_on as "dependsOn", m.urgency,
      m.ai, m.tags, m.paused, m.regions, m.revision, m.created_at as "createdAt", m.updated_at as "updatedAt"`)
    const stateColumns = sql.literal(`
      s.version, ${shown.state} as state, ${shown.stateSince} as "stateSince", ${shown.lastCheck} as "lastCheck",
      s.incident_id as "incidentId", ${shown.openIncidentId} as "openIncidentId", ${shown.lastRoundAt} as "lastRoundAt", ${shown.heardAt} as "heardAt", m.sealed,
      h.token_sealed as "tokenSealed"`)
    const tables = sql.literal(monitorTables)

    const cellOfSecrets = (id: string) => cellOf("monitors.sealed", id)

    const sealedSecrets = (id: MonitorId, secrets: RequestSecrets) =>
      secrets.body === null && secrets.clientKey === null && secrets.clientSecret === null &&
        Object.keys(secrets.headers).length === 0
        ? Effect.succeed(null)
        : Effect.flatMap(Effect.orDie(Schema.encode(SecretsJson)(secrets)), (text) => vault.seal(cellOfSecrets(id), text))

    /** The decrypted secrets of a monitor's requests. */
    const secrets = (row: { readonly id: string; readonly sealed: string | null }): Effect.Effect<RequestSecrets> =>
      row.sealed === null
        ? Effect.succeed(nothing)
        : Effect.flatMap(
          vault.unseal(cellOfSecrets(row.id), row.sealed),
          (text) => Effect.orDie(Schema.decode(SecretsJson)(text))
        )

    const settingsValues = (settings: MonitorSettings, sealed: string | null) => ({
      name: settings.name,
      description: settings.description,
      target: JSON.stringify(settings.target),
      sealed,
      header_names: Object.keys(settings.secrets.headers),
      has_body: settings.secrets.body !== null,
      interval_sec: settings.intervalSec,
      timeout_ms: settings.timeoutMs,
      failure_threshold: settings.failureThreshold,
      recovery_threshold: settings.recoveryThreshold,
      confirm_after_sec: settings.confirmAfterSec,
      failure_rate: settings.failureRate === null ? null : JSON.stringify(settings.failureRate),
      channel_ids: settings.channelIds,
      reminder_minutes: settings.reminderMinutes,
      depends_on: settings.dependsOn,
      urgency: settings.urgency,
      ai: settings.ai,
      tags: settings.tags,
      paused: settings.paused,
      regions: settings.regions
    })

    const queued = (workspaceId: WorkspaceId, id: MonitorId, gone: boolean) =>
      sql`
        insert into assignment_outbox (monitor_id, workspace_id, gone, former_regions)
        select id, workspace_id, ${gone}::boolean, regions from monitors where workspace_id = ${workspaceId} and id = ${id}
        for no key update
        on conflict (monitor_id) do update set sequence = default, gone = excluded.gone, is_new = false,
          former_regions = ${sql.literal(mergedFormerRegions)}`

    /**
     * Queues the monitor's assignment or its removal for the probes, in the caller's transaction, before the row changes: the
     * regions that it has now must not keep the assignment.
     */
    const queueAssignment = (workspaceId: WorkspaceId, id: MonitorId, gone = false) =>
      Effect.zipRight(queued(workspaceId, id, gone), signals.send(assignmentsSignal))

    /**
     * Inserts a monitor, its state and its first span, in the caller's transaction, with the next statement. Returns the time of
     * its creation.
     */
    const insert = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: MonitorId, settings: MonitorSettings) {
      const sealed = yield* sealedSecrets(id, settings.secrets)
      const now = yield* DateTime.now
      const date = DateTime.toDateUtc(now)
      const machine = initialMachine(DateTime.toEpochMillis(now), 1)
      const state = settings.paused ? "paused" : "pending"
      yield* withNext(sql`
        with monitor as (
          insert into monitors ${
        sql.insert({
          id,
          workspace_id: workspaceId,
          kind: settings.target.kind,
          ...settingsValues(settings, sealed),
          revision: 1,
          created_at: date,
          updated_at: date
        })
      }
        ), state as (
          insert into monitor_states (monitor_id, workspace_id, version, state, state_since, machine, expected_at)
          values (${id}, ${workspaceId}, 1, ${state}, ${date}, ${encodeMachine({ ...machine, state })}::jsonb,
            ${expectedAt(settings, now)})
        ), span as (
          insert into monitor_spans (monitor_id, workspace_id, started_at, state)
          values (${id}, ${workspaceId}, ${date}, ${state})
        )
        insert into assignment_outbox (monitor_id, workspace_id, is_new, former_regions)
        values (${id}, ${workspaceId}, true, '{}')`)
      yield* signals.send(assignmentsSignal)
      return now
    }, Effect.orDie)

    /** Writes new settings in the caller's transaction. `probed`: whether they affect the probes and need a new revision. */
    const update = Effect.fn("Monitors.update")(
      function*(workspaceId: WorkspaceId, id: MonitorId, settings: MonitorSettings, probed: boolean) {
        const sealed = yield* sealedSecrets(id, settings.secrets)
        const now = yield* DateTime.now
        // An edit that does not affect the probes is queued as well, because the actor votes and alerts by these settings.
        yield* queueAssignment(workspaceId, id)
        yield* sql`
          update monitors set ${
          sql.update({ ...settingsValues(settings, sealed), updated_at: DateTime.toDateUtc(now) })
        }, revision = revision + ${probed ? 1 : 0}
          where workspace_id = ${workspaceId} and id = ${id}`
        // A shorter interval makes the monitor late earlier; all else is the actor's to move.
        yield* sql`
          update monitor_states set expected_at = ${expectedAt(settings, now)}
          where workspace_id = ${workspaceId} and monitor_id = ${id} and expected_at > ${expectedAt(settings, now)}`
      },
      Effect.orDie
    )

    return {
      find: findOne(MonitorWithState, (workspaceId: WorkspaceId, id: string) =>
        sql`/* one plan */
        select ${settingsColumns}, ${stateColumns} from ${tables}
        where m.workspace_id = ${workspaceId} and m.id = ${id}`),
      /** The rows of those that exist. A row that cannot be read is an exit of its own, so that it fails nobody else. */
      loadAll: (wanted: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly monitorId: MonitorId }>) =>
        Effect.flatMap(
          sql<{ readonly id: MonitorId }>`
          select ${settingsColumns}, s.version, s.state, s.state_since as "stateSince", s.last_check as "lastCheck",
            s.incident_id as "incidentId", s.machine
          from unnest(${wanted.map((one) => one.workspaceId)}::text[], ${wanted.map((one) => one.monitorId)}::text[])
            as wanted (workspace_id, id)
          join monitors m on m.workspace_id = wanted.workspace_id and m.id = wanted.id
          join monitor_states s on s.monitor_id = m.id`,
          Effect.forEach((row) =>
            Effect.map(
              Effect.exit(Effect.orDie(decodeWithMachine(row))),
              (exit) => [row.id, Exit.map(exit, Option.some)] as const
            )
          )
        ).pipe(Effect.map((rows) => new Map(rows)), Effect.orDie),
      secrets,
      /**
       * The problems of these dependencies of a monitor, or of a new one (null), by id. In the caller's transaction, in which
       * nobody else changes dependencies of the workspace, so that two edits cannot make a cycle together.
       */
      dependencyProblems: Effect.fn("Monitors.dependencyProblems")(
        function*(workspaceId: WorkspaceId, id: string | null, parents: ReadonlyArray<MonitorId>) {
          yield* sql`select pg_advisory_xact_lock(hashtext('dependencies'), hashtext(${workspaceId}))`
          return yield* sql<{ readonly id: string; readonly problem: "unknown" | "cycle" }>`
            with recursive above (parent, id) as (
              select id, id from unnest(${parents}::text[]) as p (id)
              union
              select above.parent, d.id from above
              join monitors m on m.workspace_id = ${workspaceId} and m.id = above.id, unnest(m.depends_on) as d (id)
            )
            select parent as id, 'cycle' as problem from above where id = ${id}
            union all
            select p.id, 'unknown' from unnest(${parents}::text[]) as p (id)
            where not exists (select from monitors m where m.workspace_id = ${workspaceId} and m.id = p.id)`
        },
        Effect.orDie
      ),
      /**
       * Locks the row of a monitor in the caller's transaction, so that concurrent edits cannot overwrite each other. The lock
       * still allows the actor to write rows that reference the monitor; a stronger one could deadlock with it.
       */
      lock: (workspaceId: WorkspaceId, id: string) =>
        write(sql`select 1 from monitors where workspace_id = ${workspaceId} and id = ${id} for no key update`),
      /** Locks the rows that the monitor's actor writes, in the actor's order. Call it before deleting the monitor. */
      lockState: Effect.fn("Monitors.lockState")(function*(workspaceId: WorkspaceId, id: string) {
        yield* sql`select 1 from heartbeats where workspace_id = ${workspaceId} and monitor_id = ${id} for update`
        yield* sql`select 1 from monitor_states where workspace_id = ${workspaceId} and monitor_id = ${id} for update`
      }, Effect.orDie),
      insert,
      update,
      /**
       * Deletes a monitor in the caller's transaction, and returns those that depended on it. Nobody reads its checks any more; they go with
       * their partitions.
       */
      remove: Effect.fn("Monitors.remove")(function*(workspaceId: WorkspaceId, id: MonitorId) {
        yield* queueAssignment(workspaceId, id, true)
        yield* sql`delete from monitors where workspace_id = ${workspaceId} and id = ${id}`
        const children = yield* sql<{ readonly id: MonitorId }>`
          update monitors set depends_on = array_remove(depends_on, ${id})
          where workspace_id = ${workspaceId} and ${id} = any(depends_on) returning id`
        yield* sql`
          update escalation_policies set monitor_ids = array_remove(monitor_ids, ${id})
          where workspace_id = ${workspaceId} and ${id} = any(monitor_ids)`
        yield* followers.call(workspaceId, id)
        return children.map((child) => child.id)
      }, Effect.orDie)
    }
  }),
  dependencies: [Followers.Default]
}) {}
