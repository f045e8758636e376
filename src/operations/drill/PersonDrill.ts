/** The part of a drill that walks one person's rules: plans all steps at once, and reads what became of each. */
import { DateTime, Effect, Option } from "effect"
import type { Drill, DrillWay } from "../../../schema/drill/Drill.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { defaultRules, plannedPages } from "../../domain/paging/PersonalSteps.ts"
import { makePersonWays } from "../../services/paging/PersonWays.ts"
import { Alarms } from "../../store/Alarms.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { IncidentAlerting } from "../../store/oncall/IncidentAlerting.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { PagingRulesRows } from "../../store/paging/PagingRulesRows.ts"
import { type PagingRow, Pagings } from "../../store/paging/Pagings.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"

const wayOf = ({ createdAt }: Drill) => ({ by, error, handedOverAt, label, state }: PagingRow): DrillWay => ({
  by,
  label,
  state,
  error,
  afterMs: handedOverAt === null ? null : Math.max(0, DateTime.distance(createdAt, handedOverAt))
})

/** Each way once: a step that is repeated later proves nothing more. */
const eachOnce = <Page extends { readonly way: object }>(pages: ReadonlyArray<Page>): ReadonlyArray<Page> =>
  pages.filter(({ way }, index) => pages.findIndex((one) => one.way === way) === index)

export const makePersonDrill = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const people = yield* OnCallPeople
  const rules = yield* PagingRulesRows
  const pagings = yield* Pagings
  const incidents = yield* Incidents
  const alerting = yield* IncidentAlerting
  const alarms = yield* Alarms
  const clock = yield* DatabaseClock
  const withWays = yield* makePersonWays

  /** Plans the pages, due now, once. The incident's actor takes them, like those of a level. */
  const begin = Effect.fn("PersonDrill.begin")(function*(workspaceId: WorkspaceId, { incidentId, person }: Drill) {
    if (incidentId === null || person === undefined) return
    const locked = yield* incidents.lock(workspaceId, incidentId)
    if (Option.isNone(locked) || (yield* pagings.ofIncident(workspaceId, incidentId)).length > 0) return
    const [member] = yield* withWays(workspaceId, yield* people.some(workspaceId, [person]))
    if (member === undefined) return
    const now = yield* clock.now
    const own = Option.getOrElse(yield* rules.find(workspaceId, person), () => defaultRules)
    const pages = eachOnce(plannedPages(own, "high", member.ways, now)).map((page) => ({ ...page, dueAt: now }))
    yield* pagings.plan({ workspaceId, incidentId, userId: person, level: 1, round: 1, urgency: "high" }, pages, now)
    yield* alerting.save(workspaceId, incidentId, { policyId: null, next: null, unacknowledgedSince: now, remindedMinutes: 0 })
    yield* alarms.arm("incident", workspaceId, incidentId, now)
  }, transaction)

  return {
    begin,
    /** The results of the ways so far, and whether each has been tried; also if the person has none. */
    look: Effect.fn("PersonDrill.look")(function*(workspaceId: WorkspaceId, drill: Drill) {
      const { incidentId, person } = drill
      if (incidentId === null || person === undefined) return { ways: [], isDone: false }
      const pages = yield* pagings.ofIncident(workspaceId, incidentId)
      const begun = Option.isSome(yield* alerting.find(workspaceId, incidentId))
      return {
        ways: pages.map(wayOf(drill)),
        isDone: begun && pages.every(({ state }) => state !== "planned" && state !== "sending")
      }
    })
  }
})
