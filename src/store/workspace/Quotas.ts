/** Holds workspaces to their plans: counts what there is and refuses more than the plan allows, one change at a time. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { type PlanLimit, Unauthorized } from "../../../schema/Errors.ts"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { Plan } from "../../../schema/workspace/Workspace.ts"
import { planRefusal, type Wish } from "../../domain/billing/PlanLimits.ts"
import { codeKinds } from "../../domain/monitor/kinds.ts"

/** How many there are of what plans limit by number. */
const Counts = Schema.Struct({
  monitors: Schema.Int,
  codeMonitors: Schema.Int,
  pages: Schema.Int,
  customDomains: Schema.Int,
  members: Schema.Int
})
type Counts = typeof Counts.Type

const gone = new Unauthorized({ message: "The workspace was deleted meanwhile", hint: "Bootstrap a new one" })

const At = Schema.Struct({ id: WorkspaceId, now: Schema.DateTimeUtcFromDate })
const Planned = Schema.Struct({ plan: Plan })

export class Quotas extends Effect.Service<Quotas>()("belltower/Quotas", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const read = SqlSchema.single({
      Request: At,
      Result: Counts,
      execute: ({ id, now }) =>
        sql`
        select
          (select count(*) from monitors where workspace_id = ${id})::int as monitors,
          (select count(*) from monitors
            where workspace_id = ${id} and kind = any(${codeKinds}::text[]))::int as "codeMonitors",
          (select count(*) from pages where workspace_id = ${id})::int as pages,
          (select count(*) from pages where workspace_id = ${id} and custom_domain is not null)::int as "customDomains",
          ((select count(*) from memberships where workspace_id = ${id})
            + (select count(*) from invitations where workspace_id = ${id} and expires_at > ${now}))::int as members`
    })

    const planOf = SqlSchema.findOne({
      Request: WorkspaceId,
      Result: Planned,
      execute: (id) => sql`select plan from workspaces where id = ${id}`
    })

    const lockPlan = SqlSchema.findOne({
      Request: WorkspaceId,
      Result: Planned,
      execute: (id) => sql`select plan from workspaces where id = ${id} for no key update`
    })

    const judge = (found: Option.Option<typeof Planned.Type>, wishes: ReadonlyArray<Wish>): Effect.Effect<void, PlanLimit> =>
      Option.match(found, {
        // A defect: only a deletion in the same moment comes to this, and the envelope knows its answer.
        onNone: () => Effect.die(gone),
        onSome: ({ plan }) => {
          const refusal = planRefusal(plan, wishes)
          return refusal === null ? Effect.void : Effect.fail(refusal)
        }
      })

    const counts = Effect.fn("Quotas.counts")(function*(id: WorkspaceId) {
      return yield* Effect.orDie(read({ id, now: yield* DateTime.now }))
    })

    /**
     * Lets the caller's transaction add so many more, or fails with `plan_limit`. It holds the workspace's row until the
     * commit, so that two at the limit do not both count the other out; `also` are settings of what is added.
     */
    const take = Effect.fn("Quotas.take")(
      function*(workspaceId: WorkspaceId, more: Partial<Counts>, also: ReadonlyArray<Wish> = []) {
        const found = yield* Effect.orDie(lockPlan(workspaceId))
        const had = yield* counts(workspaceId)
        const wishes = Struct.entries(more).map(([limit, count = 0]): Wish => ({
          limit,
          had: had[limit],
          wanted: had[limit] + count
        }))
        yield* judge(found, [...wishes, ...also])
      }
    )

    return {
      counts,
      take,
      /** Fails with `plan_limit` where settings change to what the plan does not allow. */
      settle: Effect.fn("Quotas.settle")(function*(workspaceId: WorkspaceId, wishes: ReadonlyArray<Wish>) {
        yield* judge(yield* Effect.orDie(planOf(workspaceId)), wishes)
      })
    }
  })
}) {}
