/** Enforces plan limits and caps: counts what a workspace has and rejects changes above them, one change at a time. */
import { SqlClient } from "@effect/sql"
import { Context, DateTime, Effect, Option, Schema, Struct } from "effect"
import { type PlanLimit, Unauthorized } from "../../../schema/Errors.ts"
import type { EventId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import { Plan } from "../../../schema/workspace/Workspace.ts"
import { onCallRefusal, planRefusal, type Wish } from "../../domain/billing/PlanLimits.ts"
import { plans } from "../../domain/billing/Plans.ts"
import { type CapName, capOf, capRefusal, type Caps, defaultCaps } from "../../domain/workspace/Caps.ts"
import { withNext } from "../postgres/LeanTransactions.ts"
import { findOne } from "../postgres/Queries.ts"
import { both, nothing, type Read, readRows, run } from "../postgres/Read.ts"
import { type Countable, countsOf } from "./CountedRows.ts"

/** The resources whose number plans limit. */
const planned = ["monitors", "codeMonitors", "pages", "customDomains", "members"] as const
type Planned = (typeof planned)[number]

/** The resources that a preview counts. */
const previewed = [
  "monitors",
  "codeMonitors",
  "channels",
  "pages",
  "customDomains",
  "components",
  "groups",
  "templates",
  "schedules",
  "policies"
] as const

/** The resources whose number caps limit. */
type Capped = Extract<Countable, CapName>

export class CapSettings extends Context.Reference<CapSettings>()("belltower/CapSettings", {
  defaultValue: (): Caps => defaultCaps
}) {}

/** How many of each kind are added. */
type More = Partial<Record<Planned, number>>

const gone = new Unauthorized({ message: "The workspace has been deleted", hint: "Create a new workspace" })

const Standing = Schema.Struct({ plan: Plan, claimed: Schema.Boolean })
type Standing = typeof Standing.Type

const standings: ReadonlyArray<Standing> = Plan.literals.flatMap((plan) => [{ plan, claimed: true }, { plan, claimed: false }])

/** A standing as a text; `standingText` is the same in SQL. */
const textOf = ({ claimed, plan }: Standing): string => `${plan}${claimed ? "+" : "-"}`
const standingText = "plan || case when claimed_at is null then '-' else '+' end"

/** The standing with a count of each name; null where nothing limits it. */
interface Counted extends Standing {
  readonly counts: ReadonlyArray<number | null>
  readonly lastEventId: EventId | null
}

/** A defect: this happens only when the workspace is deleted at the same time. The envelope turns it into a 401. */
const orGone = Effect.flatMap(
  Option.match({ onNone: () => Effect.die(gone), onSome: (found: Standing) => Effect.succeed(found) })
)

/** The counts of resources that the plan or a cap limits. */
type Counts = ReadonlyMap<Countable, number>

const orFail = <E>(refusal: E | null): Effect.Effect<void, E> => refusal === null ? Effect.void : Effect.fail(refusal)

const isCapped = (name: Countable): name is Capped => Object.hasOwn(defaultCaps, name)

const isPlanned = (name: Countable): name is Planned => planned.some((one) => one === name)

export class Quotas extends Effect.Service<Quotas>()("belltower/Quotas", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const caps = yield* CapSettings

    const standing = findOne(
      Standing,
      (id: WorkspaceId) => sql`select plan, claimed_at is not null as claimed from workspaces where id = ${id}`
    )

    const lock = findOne(
      Standing,
      (id: WorkspaceId) => sql`select plan, claimed_at is not null as claimed from workspaces where id = ${id} for no key update`
    )

    const judgePlan = (plan: Plan, wishes: ReadonlyArray<Wish>): Effect.Effect<void, PlanLimit> =>
      orFail(planRefusal(plan, wishes))

    /** Locks the workspace's row until the commit, so that two concurrent calls cannot both take the last place. */
    const locked = Effect.fnUntraced(function*(workspaceId: WorkspaceId) {
      return yield* orGone(lock(workspaceId))
    })

    const isLimited = (name: Countable) => ({ claimed, plan }: Standing): boolean =>
      (isPlanned(name) && plans[plan][name] !== null) || (isCapped(name) && capOf(caps[name], claimed) !== null)

    /**
     * Locks the workspace's row until the commit, then reads its standing and counts what that limits, and reads `beside`, in one round
     * trip: the statements after the first see what the lock waited for. Without a limit nothing is counted: it may be many.
     */
    const counted = Effect.fnUntraced(
      function*<A>(
        workspaceId: WorkspaceId,
        names: ReadonlyArray<Countable>,
        pageId: PageId | null,
        beside: Read<A>
      ) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        yield* withNext(sql`select from workspaces where id = ${workspaceId} for no key update`)
        const counts = countsOf(
          sql,
          names,
          { workspaceId, pageId, now },
          (name) => sql`${sql.literal(standingText)} = any(${standings.filter(isLimited(name)).map(textOf)}::text[])`
        )
        const [[row], besides] = yield* run(both(
          readRows(sql<Counted>`
            select plan, claimed_at is not null as claimed, ${counts} as counts, last_event_id as "lastEventId"
            from workspaces where id = ${workspaceId}`),
          beside
        ))
        if (row === undefined) return yield* Effect.die(gone)
        const { claimed, counts: found, lastEventId, plan } = row
        const had: Counts = new Map(names.flatMap((name, index) => {
          const count = found[index] ?? null
          return count === null ? [] : [[name, count] as const]
        }))
        return { claimed, plan, had, lastEventId, beside: besides }
      }
    )

    /** The first refusal of a cap. */
    const judgeCaps = (claimed: boolean, counts: Counts, more: Partial<Record<Countable, number>>) =>
      Effect.forEach(counts, ([name, count]) =>
        isCapped(name)
          ? orFail(capRefusal(caps, claimed, { name, had: count, wanted: count + (more[name] ?? 0) }))
          : Effect.void, { discard: true })

    /**
     * Begins a `take` whose settings depend on what `beside` reads: locks and counts `names`, and `judge` does the rest. `lastEventId` is
     * the workspace's last event, which stays the last until the transaction adds one.
     */
    const begin = Effect.fnUntraced(
      function*<A>(workspaceId: WorkspaceId, names: ReadonlyArray<Planned>, beside: Read<A>) {
        const { beside: read, claimed, had, lastEventId, plan } = yield* counted(workspaceId, names, null, beside)
        const judge = (more: More, also: ReadonlyArray<Wish>) => {
          const wishes = Struct.entries(more).map(([limit, count = 0]): Wish => {
            const before = had.get(limit) ?? 0
            return { limit, had: before, wanted: before + count }
          })
          return Effect.zipRight(judgePlan(plan, [...wishes, ...also]), judgeCaps(claimed, had, more))
        }
        return { beside: read, judge, lastEventId }
      }
    )

    return {
      /** The usage of the limits of plans. */
      counts: Effect.fnUntraced(function*(workspaceId: WorkspaceId) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        const [row] = yield* sql<Pick<Counted, "counts">>`
          select ${countsOf(sql, planned, { workspaceId, pageId: null, now }, () => sql`true`)} as counts`
        const of = (name: Planned) => row?.counts[planned.indexOf(name)] ?? 0
        return {
          monitors: of("monitors"),
          codeMonitors: of("codeMonitors"),
          pages: of("pages"),
          customDomains: of("customDomains"),
          members: of("members")
        } satisfies Record<Planned, number>
      }, Effect.orDie),
      /** The limits and caps of the workspace, and the counts of what they limit, without a lock: for previews. Components: of the page. */
      standing: Effect.fnUntraced(function*(workspaceId: WorkspaceId, pageId: PageId | null) {
        const { claimed, plan } = yield* orGone(standing(workspaceId))
        const now = DateTime.toDateUtc(yield* DateTime.now)
        const [row] = yield* sql<Pick<Counted, "counts">>`
          select ${countsOf(sql, previewed, { workspaceId, pageId, now }, () => sql`true`)} as counts`
        const of = (name: (typeof previewed)[number]) => row?.counts[previewed.indexOf(name)] ?? 0
        const had = {
          monitors: of("monitors"),
          codeMonitors: of("codeMonitors"),
          channels: of("channels"),
          pages: of("pages"),
          customDomains: of("customDomains"),
          components: of("components"),
          groups: of("groups"),
          templates: of("templates"),
          schedules: of("schedules"),
          policies: of("policies")
        } satisfies Record<(typeof previewed)[number], number>
        return { plan, claimed, caps, had }
      }, Effect.orDie),
      begin,
      /**
       * Reserves room for `more` in the caller's transaction. Fails with `plan_limit` above the plan's limits, and with
       * `validation_failed` above a cap. `also` are limited settings of what is added.
       */
      take: (workspaceId: WorkspaceId, more: More, also: ReadonlyArray<Wish> = []) =>
        Effect.flatMap(begin(workspaceId, Struct.keys(more), nothing(null)), ({ judge }) => judge(more, also)),
      /**
       * The same for resources that no plan limits: fails with `validation_failed` above a cap. `pageId` is the page of
       * `components` and `groups`. Call it before locking any other row, since the workspace's lock comes first everywhere.
       */
      takeCapped: Effect.fnUntraced(
        function*(
          workspaceId: WorkspaceId,
          more: Partial<Record<Exclude<Capped, Planned>, number>>,
          pageId: PageId | null = null
        ) {
          const { claimed, had } = yield* counted(workspaceId, Struct.keys(more), pageId, nothing(null))
          yield* judgeCaps(claimed, had, more)
        }
      ),
      /** The same for on-call schedules and escalation policies; fails with `plan_limit` if the plan has none. */
      takeOnCall: Effect.fnUntraced(
        function*(workspaceId: WorkspaceId, more: Partial<Record<"schedules" | "policies", number>>) {
          const { claimed, had, plan } = yield* counted(workspaceId, Struct.keys(more), null, nothing(null))
          yield* orFail(onCallRefusal(plan))
          yield* judgeCaps(claimed, had, more)
        }
      ),
      /** Locks the workspace's row until the commit, for changes that concern several rows of a workspace. */
      hold: (workspaceId: WorkspaceId) => Effect.asVoid(locked(workspaceId)),
      /** Fails with `plan_limit` when new settings exceed the plan. */
      settle: Effect.fnUntraced(function*(workspaceId: WorkspaceId, wishes: ReadonlyArray<Wish>) {
        const { plan } = yield* orGone(standing(workspaceId))
        yield* judgePlan(plan, wishes)
      })
    }
  })
}) {}
