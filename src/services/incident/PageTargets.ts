/** The people whom a level of an escalation policy pages: resolved when the level is paged, since people change shifts. */
import { Array, type DateTime, Effect, Option } from "effect"
import type { UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type { EscalationTarget } from "../../../schema/oncall/Policy.ts"
import { pagingOrder } from "../../domain/oncall/Shifts.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { OnCallPeople, type OnCallPersonRow } from "../../store/oncall/OnCallPeople.ts"
import { Schedules } from "../../store/oncall/Schedules.ts"

type Reachable = OnCallPersonRow & { readonly mailTo: NonNullable<OnCallPersonRow["mailTo"]> }

const isReachable = (person: OnCallPersonRow): person is Reachable => person.mailTo !== null

const distinct = <A extends OnCallPersonRow>(people: ReadonlyArray<A>): ReadonlyArray<A> =>
  Array.dedupeWith(people, (one, other) => one.id === other.id)

export const makePageTargets = Effect.gen(function*() {
  const people = yield* OnCallPeople
  const schedules = yield* Schedules
  const channels = yield* Channels

  /** The people that a target stands for, best first: only the first member among them whom mail reaches is paged. */
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

  /**
   * The channels that are enabled and the members whom mail reaches, each once, and those whose turn it was and whom it does not reach.
   * Members who have left the workspace are neither.
   */
  return Effect.fn("PageTargets.resolve")(
    function*(workspaceId: WorkspaceId, targets: ReadonlyArray<EscalationTarget>, now: DateTime.Utc) {
      const named = targets.flatMap((target) => (target.type === "channel" ? [target.id] : []))
      const channelIds = yield* channels.enabledIds(workspaceId, named)
      const lists = yield* Effect.forEach(targets, (target) => candidates(workspaceId, target, now))
      const members = yield* people.some(workspaceId, lists.flat())
      const byId = new Map(members.map((member) => [member.id, member]))
      const turns = lists.map((list) => list.flatMap((id) => byId.get(id) ?? []))
      const paged = turns.flatMap((turn) => turn.find(isReachable) ?? [])
      const passed = turns.flatMap((turn) => Array.takeWhile(turn, (one) => !isReachable(one)))
      return { channelIds, people: distinct(paged), unreached: distinct(passed) }
    }
  )
})
