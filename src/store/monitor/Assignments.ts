/** The assignments of monitors to probes, and the outbox of assignments that have not been sent yet. */
import { SqlClient } from "@effect/sql"
import { Array as Arr, DateTime, Effect, Either, Schema } from "effect"
import type { Assignment } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { ProbeTarget } from "../../../schema/monitor/kinds.ts"
import { RequestSecrets } from "../../../schema/monitor/Monitor.ts"
import { confirmationOf } from "../../domain/monitor/Confirmation.ts"
import { unprobedKinds } from "../../domain/monitor/kinds.ts"
import { findAll, write } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { cellOf } from "../SealedColumns.ts"
import { Vault } from "../Vault.ts"
import { assignmentsSignal } from "./Monitors.ts"

const AssignmentRow = Schema.Struct({
  monitorId: MonitorId,
  workspaceId: WorkspaceId,
  revision: Schema.Int,
  changedAt: Schema.DateTimeUtcFromDate,
  intervalSec: Schema.Int,
  timeoutMs: Schema.Int,
  regions: Schema.Array(RegionId),
  target: ProbeTarget,
  sealed: Schema.NullOr(Schema.String),
  failureThreshold: Schema.Int,
  confirmAfterSec: Schema.NullOr(Schema.Int)
})

const MonitorKey = Schema.Struct({ monitorId: MonitorId, workspaceId: WorkspaceId })
export type MonitorKey = typeof MonitorKey.Type

/** `formerRegions`: the regions that may have an assignment from before. `regions`: those, and those of the monitor. */
const OutboxLine = Schema.Struct({
  ...MonitorKey.fields,
  sequence: Schema.Number,
  formerRegions: Schema.Array(RegionId),
  regions: Schema.Array(RegionId)
})
export type OutboxLine = typeof OutboxLine.Type

/** `isNew`: the monitor was created and not edited since, so no actor holds other settings of it. */
const EditLine = Schema.Struct({ ...OutboxLine.fields, isNew: Schema.Boolean })
export type EditLine = typeof EditLine.Type

/** The revision by which a probe checks a monitor whose row has an earlier one, or is gone. */
export interface LostEdit extends MonitorKey {
  readonly revision: number
}

/** Far below the end of the column, which no number of edits reaches. */
const mostRevision = 2_000_000_000

/** How much is read at a time: lines at most, and fewer if their assignments take more than these bytes together. */
export interface Batch {
  readonly lines: number
  readonly bytes: number
}

/** The assignments decoded from rows. Nothing can be sent to the probes for an unreadable row. */
interface Readable {
  readonly assignments: ReadonlyArray<Assignment>
  readonly unreadable: ReadonlyArray<MonitorId>
}

const decodeRow = Schema.decodeUnknownEither(AssignmentRow)
const decodeId = Schema.decodeUnknownSync(Schema.Struct({ monitorId: MonitorId }))

const decodeSecrets = Schema.decodeUnknownEither(Schema.parseJson(RequestSecrets))

/**
 * Decodes row by row: a row that a newer version has written, or whose secrets do not open, must not block the others. Probes get the
 * secrets plain, in messages that only those of the monitor's regions can read.
 */
const makeReadable = ({ unsealed }: Vault["Type"]) => {
  const secretsOf = (id: MonitorId, sealed: string | null): Either.Either<RequestSecrets | null, unknown> =>
    sealed === null ? Either.right(null) : Either.flatMap(unsealed(cellOf("monitors.sealed", id), sealed), decodeSecrets)
  const read = (row: unknown): Either.Either<Assignment, unknown> =>
    Either.flatMap(
      decodeRow(row),
      ({ changedAt, confirmAfterSec, failureThreshold, sealed, ...found }) =>
        Either.map(secretsOf(found.monitorId, sealed), (secrets) => {
          const confirm = confirmationOf({ confirmAfterSec, failureThreshold })
          return { ...found, secrets, changedAt: DateTime.toEpochMillis(changedAt), ...(confirm ? { confirm } : {}) }
        })
    )
  return (rows: ReadonlyArray<unknown>): Readable => {
    const [unreadable, assignments] = Arr.partitionMap(rows, (row) => Either.mapLeft(read(row), () => decodeId(row).monitorId))
    return { assignments, unreadable }
  }
}

export class Assignments extends Effect.Service<Assignments>()("belltower/Assignments", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const readable = makeReadable(yield* Vault)
    const columns = sql.literal(`
      id as "monitorId", workspace_id as "workspaceId", revision, updated_at as "changedAt", interval_sec as "intervalSec",
      timeout_ms as "timeoutMs", regions, target, sealed, failure_threshold as "failureThreshold",
      confirm_after_sec as "confirmAfterSec"`)

    const probed = sql`not paused and kind <> all(${unprobedKinds}::text[])`

    const octets = sql.literal("octet_length(m.target::text) + coalesce(octet_length(m.sealed), 0)")

    // Null where it is not known.
    const formerRegions = sql.literal("coalesce(line.former_regions, array(select id from regions))")

    return {
      /**
       * All monitors of the deployment that have an assignment, or those among them that name this region, paginated by id. Used
       * to refill a topic that lost them.
       */
      page: findAll(MonitorKey, (after: string, { bytes, lines }: Batch, region: RegionId | null) =>
        sql`
        select "monitorId", "workspaceId" from (
          select page.*, sum(octets) over (order by "monitorId") - octets as before from (
            select m.id as "monitorId", m.workspace_id as "workspaceId", ${octets} as octets from monitors m
            where ${probed} and m.id > ${after} and ${region === null ? sql`true` : sql`${region} = any(m.regions)`}
            order by m.id limit ${lines}
          ) page
        ) measured
        where before < ${bytes} order by "monitorId"`),
      /** The assignments of these monitors. Monitors that are paused, deleted or not probed have none. */
      of: (lines: ReadonlyArray<MonitorKey>): Effect.Effect<Readable> =>
        Effect.orDie(Effect.map(
          sql`
            select ${columns} from monitors
            where workspace_id = any(${lines.map((line) => line.workspaceId)}::text[])
              and id = any(${lines.map((line) => line.monitorId)}::text[]) and ${probed}`,
          readable
        )),
      /** The revisions of those monitors that have an assignment. */
      revisions: (lines: ReadonlyArray<MonitorKey>): Effect.Effect<ReadonlyMap<MonitorId, number>> =>
        Effect.orDie(Effect.map(
          sql<{ readonly id: MonitorId; readonly revision: number }>`
            select id, revision from monitors
            where workspace_id = any(${lines.map((line) => line.workspaceId)}::text[])
              and id = any(${lines.map((line) => line.monitorId)}::text[]) and ${probed}`,
          (rows) => new Map(rows.map(({ id, revision }) => [id, revision]))
        )),
      /** The oldest edits of the outbox, without those whose sequence is in `except`. */
      waiting: findAll(EditLine, ({ bytes, lines }: Batch, except: ReadonlyArray<number>) =>
        sql`
        select "monitorId", "workspaceId", sequence::float8 as sequence, "formerRegions", regions, "isNew" from (
          select line.monitor_id as "monitorId", line.workspace_id as "workspaceId", line.sequence,
            ${formerRegions} as "formerRegions", ${formerRegions} || coalesce(m.regions, '{}') as regions, line.is_new as "isNew",
            coalesce(sum(${octets}) over (order by line.sequence rows unbounded preceding exclude current row), 0) as before
          from (
            select * from assignment_outbox where not gone and sequence <> all(${except}::bigint[])
            order by sequence limit ${lines}
          ) line left join monitors m on m.id = line.monitor_id
        ) measured
        where before < ${bytes} order by sequence`),
      /** The oldest deletions of the outbox, without those whose sequence is in `except`. */
      gone: findAll(OutboxLine, (limit: number, except: ReadonlyArray<number>) =>
        sql`
        select monitor_id as "monitorId", workspace_id as "workspaceId", sequence::float8 as sequence,
          ${formerRegions} as "formerRegions", ${formerRegions} as regions
        from assignment_outbox line where gone and sequence <> all(${except}::bigint[]) order by sequence limit ${limit}`),
      /** Queues the assignments of these monitors again for their regions. For a deleted monitor, this sends its removal to all. */
      queueAgain: (lines: ReadonlyArray<MonitorKey>) =>
        Effect.orDie(Effect.zipRight(
          sql`
            insert into assignment_outbox (monitor_id, workspace_id, former_regions)
            select line.id, line.workspace_id, case when m.id is not null then '{}'::text[] end
            from unnest(${lines.map((line) => line.monitorId)}::text[], ${lines.map((line) => line.workspaceId)}::text[])
              as line (id, workspace_id)
            left join monitors m on m.workspace_id = line.workspace_id and m.id = line.id
            on conflict (monitor_id) do nothing`,
          signals.send(assignmentsSignal)
        )),
      /**
       * Puts rows above the revisions that probes have, which ignore earlier ones, and queues their assignments, or their removal,
       * for all regions.
       */
      supersede: (edits: ReadonlyArray<LostEdit>) =>
        Effect.orDie(Effect.zipRight(
          sql`
            with lost as (
              select * from unnest(${edits.map((edit) => edit.monitorId)}::text[], ${
            edits.map((edit) => edit.workspaceId)
          }::text[],
                ${edits.map(({ revision }) => Math.min(revision, mostRevision))}::int[]) as lost (id, workspace_id, revision)
            ), raised as (
              update monitors m set revision = lost.revision + 1 from lost
              where m.workspace_id = lost.workspace_id and m.id = lost.id and m.revision < lost.revision
            )
            insert into assignment_outbox (monitor_id, workspace_id) select id, workspace_id from lost
            on conflict (monitor_id) do nothing`,
          signals.send(assignmentsSignal)
        )),
      /** Deletes rows that were sent, except those of monitors edited since. */
      published: (lines: ReadonlyArray<OutboxLine>) =>
        write(sql`
          delete from assignment_outbox o
          using unnest(${lines.map((line) => line.monitorId)}::text[], ${lines.map((line) => line.sequence)}::float8[])
            as line (id, sequence)
          where o.monitor_id = line.id and o.sequence = line.sequence`)
    }
  })
}) {}
