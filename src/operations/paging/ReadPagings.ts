/** Reads the log of pages, and whom the escalation of an incident pages next. */
import { Effect, Option } from "effect"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import type { IncidentPagings, Paging } from "../../../schema/oncall/Way.ts"
import { isOver } from "../../domain/incident/IncidentMachine.ts"
import { makePagesWait } from "../../services/incident/AlertingSteps.ts"
import { makePageTargets } from "../../services/incident/PageTargets.ts"
import type { LockedIncident } from "../../store/incident/IncidentRows.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { IncidentAlerting } from "../../store/oncall/IncidentAlerting.ts"
import { Policies } from "../../store/oncall/Policies.ts"
import { type PagingRow, Pagings } from "../../store/paging/Pagings.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { orNoSuch } from "../NoSuch.ts"

/** A page that is planned is not needed once the incident is over. While it is acknowledged, it waits. */
const pagingOf = ({ captured: _, email, followed: __, name, userId, ...row }: PagingRow, isEnded: boolean): Paging => ({
  ...row,
  user: { id: userId, name, email },
  state: isEnded && row.state === "planned" ? "not_needed" : row.state
})

const makeEscalation = Effect.gen(function*() {
  const alerting = yield* IncidentAlerting
  const policies = yield* Policies
  const clock = yield* DatabaseClock
  const resolve = yield* makePageTargets

  /** The policy of an open incident, and the level that it pages next with those who are its people now. */
  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, { acknowledgement, id, status }: LockedIncident) {
    if (isOver(status)) return null
    const found = Option.getOrNull(yield* alerting.find(workspaceId, id))
    if (found === null || found.policyId === null) return null
    const policy = Option.getOrNull(yield* policies.find(workspaceId, found.policyId))
    if (policy === null) return null
    const shown = { policy: { id: policy.id, name: policy.name }, levels: policy.levels.length }
    const level = found.next === null ? undefined : policy.levels[found.next.level - 1]
    if (found.next === null || level === undefined) return { ...shown, next: null }
    const { channelIds, people } = yield* resolve(workspaceId, level.targets, yield* clock.now)
    return {
      ...shown,
      next: {
        level: found.next.level,
        round: found.next.round,
        at: acknowledgement === null ? found.next.at : null,
        people: people.map(({ email, id, name }) => ({ id, name, email })),
        channelIds
      }
    }
  })
})

export class ReadPagings extends Effect.Service<ReadPagings>()("belltower/ReadPagings", {
  effect: Effect.gen(function*() {
    const incidents = yield* Incidents
    const pagings = yield* Pagings
    const escalationOf = yield* makeEscalation
    const waits = yield* makePagesWait

    const require = (workspaceId: WorkspaceId, id: IncidentId) => orNoSuch("incident", id, incidents.peek(workspaceId, id))

    const logOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId, { id, status }: LockedIncident) {
      const rows = yield* pagings.ofIncident(workspaceId, id)
      return rows.map((row) => pagingOf(row, isOver(status)))
    })

    return {
      /** The log by its times. Fails with `not_found`. */
      ofIncident: Effect.fn("ReadPagings.ofIncident")(function*(workspaceId: WorkspaceId, id: IncidentId) {
        return yield* logOf(workspaceId, yield* require(workspaceId, id))
      }),
      /** The log with what happens next. Fails with `not_found`. */
      get: Effect.fn("ReadPagings.get")(function*(workspaceId: WorkspaceId, id: IncidentId) {
        const incident = yield* require(workspaceId, id)
        return {
          data: yield* logOf(workspaceId, incident),
          next: null,
          escalation: yield* escalationOf(workspaceId, incident),
          pagesWait: !isOver(incident.status) && (yield* waits(workspaceId, incident))
        } satisfies IncidentPagings
      })
    }
  })
}) {}
