/** The rows of plans: the sealed document, the changes it would make, and whether it was applied. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema, Struct } from "effect"
import { PlanId, type WorkspaceId } from "../../../schema/Ids.ts"
import { Plan } from "../../../schema/plan/Plan.ts"
import { KeyedHashes } from "../KeyedHashes.ts"
import { mint } from "../Mint.ts"
import { findOne } from "../postgres/Queries.ts"
import { cellOf } from "../SealedColumns.ts"
import { Vault } from "../Vault.ts"

/** How long a plan can be applied. */
const lifetime = Duration.hours(24)

/** Plans that a workspace keeps; older ones are deleted. Each can hold a document of the largest size. */
const mostPlans = 10

const Answer = Schema.Struct(Struct.omit(Plan.fields, "id", "expiresAt", "appliedAt"))
export type PlanAnswer = typeof Answer.Type
const encodeAnswer = Schema.encodeSync(Schema.parseJson(Answer))

const Row = Schema.Struct({
  id: PlanId,
  sealed: Schema.String,
  digest: Schema.Uint8ArrayFromSelf,
  monitorIds: Schema.Array(Schema.String),
  answer: Answer,
  createdAt: Schema.DateTimeUtcFromDate,
  appliedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})

export interface StoredPlan {
  readonly plan: Plan
  readonly document: string
  readonly digest: Uint8Array
  readonly monitorIds: ReadonlyArray<string>
}

const planOf = (
  { answer, appliedAt, createdAt, id }: Pick<typeof Row.Type, "id" | "answer" | "createdAt" | "appliedAt">
): Plan => ({
  id,
  expiresAt: DateTime.addDuration(createdAt, lifetime),
  appliedAt,
  ...answer
})

export class Plans extends Effect.Service<Plans>()("belltower/Plans", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const hash = yield* KeyedHashes

    const locked = findOne(Row, (workspaceId: WorkspaceId, id: PlanId) =>
      sql`
        select id, sealed, digest, monitor_ids as "monitorIds", answer, created_at as "createdAt", applied_at as "appliedAt"
        from plans where workspace_id = ${workspaceId} and id = ${id} for update`)

    return {
      insert: Effect.fn("Plans.insert")(
        function*(
          workspaceId: WorkspaceId,
          document: string,
          digest: Buffer,
          monitorIds: ReadonlyArray<string>,
          answer: PlanAnswer
        ) {
          const id = yield* mint("plan", PlanId)
          const createdAt = yield* DateTime.now
          const sealed = yield* vault.seal(cellOf("plans.sealed", id), document)
          yield* sql`
            insert into plans (id, workspace_id, sealed, digest, monitor_ids, answer, created_at)
            values (${id}, ${workspaceId}, ${sealed}, ${digest}, ${monitorIds}::text[], ${encodeAnswer(answer)}::jsonb,
                    ${DateTime.toDateUtc(createdAt)})`
          yield* sql`
            delete from plans where workspace_id = ${workspaceId} and id in (
              select id from plans where workspace_id = ${workspaceId} order by id desc offset ${mostPlans})`
          return planOf({ id, answer, createdAt, appliedAt: null })
        },
        Effect.orDie
      ),
      /** Locks and returns a plan in the caller's transaction. */
      lock: Effect.fn("Plans.lock")(function*(workspaceId: WorkspaceId, id: PlanId) {
        const found = yield* locked(workspaceId, id)
        if (Option.isNone(found)) return Option.none<StoredPlan>()
        const { digest, monitorIds, sealed, ...row } = found.value
        const document = yield* vault.unseal(cellOf("plans.sealed", id), sealed)
        return Option.some<StoredPlan>({ plan: planOf(row), document, digest, monitorIds })
      }, Effect.orDie),
      /** Marks a plan as applied, in the transaction that applies it. */
      applied: Effect.fn("Plans.applied")(function*(workspaceId: WorkspaceId, plan: Plan, answer: PlanAnswer) {
        const appliedAt = yield* DateTime.now
        yield* sql`
          update plans set applied_at = ${DateTime.toDateUtc(appliedAt)}, answer = ${encodeAnswer(answer)}::jsonb
          where workspace_id = ${workspaceId} and id = ${plan.id}`
        const done: Plan = { ...plan, ...answer, appliedAt }
        return done
      }, Effect.orDie),
      /** A digest of a plan's text, to detect a changed effect. */
      digestOf: hash
    }
  })
}) {}
