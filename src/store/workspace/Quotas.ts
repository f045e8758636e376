/** Enforces plan limits and caps: counts what a workspace has and rejects changes above them, one change at a time. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Option, Schema, Struct } from "effect"
import { type PlanLimit, Unauthorized } from "../../../schema/Errors.ts"
import { type PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { Plan } from "../../../schema/workspace/Workspace.ts"
import { planRefusal, type Wish } from "../../domain/billing/PlanLimits.ts"
import { plans } from "../../domain/billing/Plans.ts"
import { type CapName, capOf, capRefusal, type Caps, defaultCaps } from "../../domain/workspace/Caps.ts"
import { type Countable, makeCountedRows } from "./CountedRows.ts"

/** The resources whose number plans limit. */
const planned = ["monitors", "codeMonitors", "pages", "customDomains", "members"] as const
type Planned = (typeof planned)[number]

/** The resources whose number caps limit. */
type Capped = Extract<Countable, CapName>

/** The caps of the deployment. */
export class CapSettings extends Context.Reference<CapSettings>()("belltower/CapSettings", {
  defaultValue: (): Caps => defaultCaps
}) {}

const gone = new Unauthorized({ message: "The workspace has been deleted", hint: "Create a new workspace" })

const Standing = Schema.Struct({ plan: Plan, claimed: Schema.Boolean })
type Standing = typeof Standing.Type

/** A defect: this happens only when the workspace is deleted at the same time. The envelope turns it into a 401. */
const orGone = Effect.flatMap(
  Option.match({ onNone: () => Effect.die(gone), onSome: (found: Standing) => Effect.succeed(found) })
)

const orFail = <E>(refusal: E | null): Effect.Effect<void, E> => refusal === null ? Effect.void : Effect.fail(refusal)

const isCapped = (name: Countable): name is Capped => Object.hasOwn(defaultCaps, name)

const isPlanned = (name: Countable): name is Planned => planned.some((one) => one === name)

export class Quotas extends Effect.Service<Quotas>()("belltower/Quotas", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const caps = yield* CapSettings
    const count = yield* makeCountedRows

    const standing = SqlSchema.findOne({
      Request: WorkspaceId,
      Result: Standing,
      execute: (id) => sql`select plan, claimed_at is not null as claimed from workspaces where id = ${id}`
    })

    const lock = SqlSchema.findOne({
      Request: WorkspaceId,
      Result: Standing,
      execute: (id) => sql`select plan, claimed_at is not null as claimed from workspaces where id = ${id} for no key update`
    })

    const judgePlan = (plan: Plan, wishes: ReadonlyArray<Wish>): Effect.Effect<void, PlanLimit> =>
      orFail(planRefusal(plan, wishes))

    /** Locks the workspace's row until the commit, so that two concurrent calls cannot both take the last place. */
    const locked = Effect.fn("Quotas.lock")(function*(workspaceId: WorkspaceId) {
      return yield* orGone(Effect.orDie(lock(workspaceId)))
    })

    /** What exists of the resources that the plan or a cap limits. Without a limit nothing is counted: it may be many. */
    const had = (
      { claimed, plan }: Standing,
      names: ReadonlyArray<Countable>,
      workspaceId: WorkspaceId,
      pageId: PageId | null
    ) => {
      const limited = names.filter((name) =>
        (isPlanned(name) && plans[plan][name] !== null) || (isCapped(name) && capOf(caps[name], claimed) !== null)
      )
      return limited.length === 0 ? Effect.succeed(new Map<Countable, number>()) : count(limited, workspaceId, pageId)
    }

    /** The first refusal of a cap. */
    const judgeCaps = (claimed: boolean, counts: ReadonlyMap<Countable, number>, more: Partial<Record<Countable, number>>) =>
      Effect.forEach(counts, ([name, count]) =>
        isCapped(name)
          ? orFail(capRefusal(caps, claimed, { name, had: count, wanted: count + (more[name] ?? 0) }))
          : Effect.void, { discard: true })

    /**
     * Reserves room for `more` in the caller's transaction. Fails with `plan_limit` above the plan's limits, and with
     * `validation_failed` above a cap. `also` are limited settings of what is added.
     */
    const take = Effect.fn("Quotas.take")(
      function*(workspaceId: WorkspaceId, more: Partial<Record<Planned, number>>, also: ReadonlyArray<Wish> = []) {
        const found = yield* locked(workspaceId)
        const counts = yield* had(found, Struct.keys(more), workspaceId, null)
        const wishes = Struct.entries(more).map(([limit, count = 0]): Wish => {
          const before = counts.get(limit) ?? 0
          return { limit, had: before, wanted: before + count }
        })
        yield* judgePlan(found.plan, [...wishes, ...also])
        yield* judgeCaps(found.claimed, counts, more)
      }
    )

    /**
     * The same for resources that no plan limits: fails with `validation_failed` above a cap. `pageId` is the page of
     * `components` and `groups`. Call it before locking any other row, since the workspace's lock comes first everywhere.
     */
    const takeCapped = Effect.fn("Quotas.takeCapped")(
      function*(workspaceId: WorkspaceId, more: Partial<Record<Exclude<Capped, Planned>, number>>, pageId: PageId | null = null) {
        const found = yield* locked(workspaceId)
        const counts = yield* had(found, Struct.keys(more), workspaceId, pageId)
        yield* judgeCaps(found.claimed, counts, more)
      }
    )

    return {
      /** The usage of the limits of plans. */
      counts: Effect.fn("Quotas.counts")(function*(workspaceId: WorkspaceId) {
        const counts = yield* count(planned, workspaceId, null)
        const of = (name: Planned) => counts.get(name) ?? 0
        return {
          monitors: of("monitors"),
          codeMonitors: of("codeMonitors"),
          pages: of("pages"),
          customDomains: of("customDomains"),
          members: of("members")
        } satisfies Record<Planned, number>
      }),
      take,
      takeCapped,
      /** Fails with `plan_limit` when new settings exceed the plan. */
      settle: Effect.fn("Quotas.settle")(function*(workspaceId: WorkspaceId, wishes: ReadonlyArray<Wish>) {
        const { plan } = yield* orGone(Effect.orDie(standing(workspaceId)))
        yield* judgePlan(plan, wishes)
      })
    }
  })
}) {}
