/** The rows of import jobs and of what became of their items. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { ImportId, type WorkspaceId } from "../../../schema/Ids.ts"
import { ImportItemKind, type ImportJob, ImportSource, ImportStatus } from "../../../schema/import/Import.ts"
import { mint } from "../Mint.ts"
import { exists, findAll, findOne, write } from "../postgres/Queries.ts"
import { sweepHourly } from "../Sweep.ts"

/** How long a job counts as alive after its process last said so. */
const lease = "30 seconds"

/** Jobs are kept so long after they ended. */
const kept = "90 days"

const at = Schema.NullOr(Schema.DateTimeUtcFromDate)

const JobRow = Schema.Struct({
  id: ImportId,
  source: ImportSource,
  status: ImportStatus,
  total: Schema.Int,
  warnings: Schema.Array(Schema.String),
  startedAt: at,
  finishedAt: at
})

const ItemRow = Schema.Struct({
  jobId: ImportId,
  ref: Schema.String,
  kind: ImportItemKind,
  name: Schema.String,
  outcome: Schema.Literal("created", "skipped", "failed"),
  resourceId: Schema.NullOr(Schema.String),
  /** The reason why it was not made, or its note. */
  reason: Schema.NullOr(Schema.String)
})

export type ImportedItem = Omit<typeof ItemRow.Type, "jobId">

const recordOf = ({ total, ...job }: typeof JobRow.Type, items: ReadonlyArray<typeof ItemRow.Type>): ImportJob => {
  const left = (outcome: "skipped" | "failed") =>
    items.filter((item) => item.outcome === outcome).map(({ kind, name, reason, ref }) => ({
      ref,
      kind,
      name,
      reason: reason ?? ""
    }))
  return {
    ...job,
    progress: { done: items.length, total },
    created: items.flatMap(({ kind, name, outcome, reason, ref, resourceId }) =>
      outcome === "created" && resourceId !== null
        ? [{ ref, kind, name, id: resourceId, ...(reason === null ? {} : { note: reason }) }]
        : []
    ),
    skipped: left("skipped"),
    failed: left("failed")
  }
}

/** The writes of the process that runs a job. */
const makeProgress = (sql: SqlClient.SqlClient) => ({
  /** The source was read. False if the job has ended meanwhile: its lease was lost, and the workspace may run another one. */
  start: (workspaceId: WorkspaceId, id: ImportId, total: number, warnings: ReadonlyArray<string>) =>
    exists(sql`
      update import_jobs set status = 'running', total = ${total}, warnings = ${JSON.stringify(warnings)}::jsonb
      where workspace_id = ${workspaceId} and id = ${id} and finished_at is null returning id`),
  /** Jobs with the item of a position written again stay as they were. */
  record: Effect.fn("ImportJobs.record")(function*(workspaceId: WorkspaceId, id: ImportId, position: number, item: ImportedItem) {
    const { kind, name, outcome, reason, ref, resourceId } = item
    yield* sql`
      insert into import_items ${
      sql.insert({ workspace_id: workspaceId, job_id: id, position, ref, kind, name, outcome, resource_id: resourceId, reason })
    }
      on conflict do nothing`
  }, Effect.orDie),
  /** False if the job has ended meanwhile. */
  renew: (workspaceId: WorkspaceId, id: ImportId) =>
    exists(sql`
      update import_jobs set held_until = now() + ${lease}::interval
      where workspace_id = ${workspaceId} and id = ${id} and finished_at is null returning id`),
  finish: (
    workspaceId: WorkspaceId,
    id: ImportId,
    status: "succeeded" | "failed" | "cancelled",
    warnings: ReadonlyArray<string>
  ) =>
    write(sql`
        update import_jobs
        set status = ${status}, finished_at = now(), warnings = warnings || ${JSON.stringify(warnings)}::jsonb
        where workspace_id = ${workspaceId} and id = ${id} and finished_at is null`)
})

export class ImportJobs extends Effect.Service<ImportJobs>()("belltower/ImportJobs", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`id, source, status, total, warnings, started_at as "startedAt", finished_at as "finishedAt"`)

    yield* sweepHourly("import jobs", sql`delete from import_jobs where finished_at < now() - ${kept}::interval`)

    /** Ends the jobs whose process died: it alone had the credentials. */
    const cancelDead = (workspaceId: WorkspaceId) =>
      sql`
      update import_jobs set status = 'cancelled', finished_at = now()
      where workspace_id = ${workspaceId} and status in ('queued', 'running') and held_until < now()`

    const newest = findAll(
      JobRow,
      (workspaceId: WorkspaceId, limit: number) =>
        sql`select ${columns} from import_jobs where workspace_id = ${workspaceId} order by id desc limit ${limit}`
    )
    const one = findOne(
      JobRow,
      (workspaceId: WorkspaceId, id: string) =>
        sql`select ${columns} from import_jobs where workspace_id = ${workspaceId} and id = ${id}`
    )
    const itemsOf = findAll(ItemRow, (workspaceId: WorkspaceId, ids: ReadonlyArray<ImportId>) =>
      sql`
      select job_id as "jobId", ref, kind, name, outcome, resource_id as "resourceId", reason from import_items
      where job_id = any(${ids}::text[]) and workspace_id = ${workspaceId} order by job_id, position`)

    const withItems = Effect.fnUntraced(function*(workspaceId: WorkspaceId, jobs: ReadonlyArray<typeof JobRow.Type>) {
      const items = jobs.length === 0 ? [] : yield* itemsOf(workspaceId, jobs.map(({ id }) => id))
      return jobs.map((job) => recordOf(job, items.filter(({ jobId }) => jobId === job.id)))
    })

    return {
      ...makeProgress(sql),
      /** Queues a job; none if the workspace has one under way. */
      begin: Effect.fn("ImportJobs.begin")(function*(workspaceId: WorkspaceId, source: ImportSource) {
        yield* cancelDead(workspaceId)
        const id = yield* mint("imp", ImportId)
        const rows = yield* sql`
          insert into import_jobs (id, workspace_id, source, status, held_until, started_at)
          values (${id}, ${workspaceId}, ${source}, 'queued', now() + ${lease}::interval, now())
          on conflict do nothing returning id`
        return rows.length === 0 ? Option.none<ImportId>() : Option.some(id)
      }, Effect.orDie),
      list: Effect.fn("ImportJobs.list")(function*(workspaceId: WorkspaceId, limit: number) {
        yield* cancelDead(workspaceId)
        return yield* withItems(workspaceId, yield* newest(workspaceId, limit))
      }, Effect.orDie),
      find: Effect.fn("ImportJobs.find")(function*(workspaceId: WorkspaceId, id: string) {
        yield* cancelDead(workspaceId)
        const [job] = yield* withItems(workspaceId, Option.toArray(yield* one(workspaceId, id)))
        return Option.fromNullable(job)
      }, Effect.orDie)
    }
  })
}) {}
