/** Whom a level of an escalation policy pages: resolved when the level is paged, since people change shifts. */
import type { DateTime } from "effect"
import { Array, Effect, Option } from "effect"
import type { UserId, WorkspaceId } from "../../schema/Ids.ts"
import type { EscalationTarget } from "../../schema/oncall/Policy.ts"
import { pagingOrder } from "../../src/domain/oncall/Shifts.ts"
import { OnCallPeople } from "../../src/store/oncall/OnCallPeople.ts"
import { PolicyScopes } from "../../src/store/oncall/PolicyScopes.ts"
import { Schedules } from "../../src/store/oncall/Schedules.ts"

export const makePageTargets = Effect.gen(function*() {
  const people = yield* OnCallPeople
  const schedules = yield* Schedules
  const scopes = yield* PolicyScopes

  /** The people that a target stands for, best first: only the first member among them is paged. */
  const candidates = Effect.fnUntraced(function*(workspaceId: WorkspaceId, target: EscalationTarget, now: DateTime.Utc) {
    if (target.type === "channel") return []
    if (target.type === "user") return [target.id]
    const found = yield* schedules.find(workspaceId, target.id)
    if (Option.isNone(found)) return []
    const order: ReadonlyArray<UserId> = pagingOrder(
      found.value,
      yield* schedules.overrides(workspaceId, [target.id], now),
      now
    )
    return order
  })

  /** The channels and members that exist, each once. Members who have left the workspace are not paged. */
  return Effect.fn("PageTargets.resolve")(
    function*(workspaceId: WorkspaceId, targets: ReadonlyArray<EscalationTarget>, now: DateTime.Utc) {
      const { found } = yield* scopes.known(workspaceId, { targets, monitorIds: [], pages: [] })
      const existing = new Set(found)
      const channelIds = targets.flatMap((target) =>
        target.type === "channel" && existing.has(`channel ${target.id}`) ? [target.id] : []
      )
      const lists = yield* Effect.forEach(targets, (target) => candidates(workspaceId, target, now))
      const members = yield* people.some(workspaceId, lists.flat())
      const byId = new Map(members.map((member) => [member.id, member]))
      const paged = lists.flatMap((list) => Option.toArray(Array.findFirst(list, (id) => Option.fromNullable(byId.get(id)))))
      return { channelIds: Array.dedupe(channelIds), people: Array.dedupeWith(paged, (one, other) => one.id === other.id) }
    }
  )
})
