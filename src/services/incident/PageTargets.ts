/** The people whom a level of an escalation policy pages: resolved when the level is paged, since people change shifts. */
import { Array, type DateTime, Effect, Option } from "effect"
import type { UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type { EscalationTarget } from "../../../schema/oncall/Policy.ts"
import { pagingTurns } from "../../domain/oncall/Shifts.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { Schedules } from "../../store/oncall/Schedules.ts"
import { makePersonWays, type Pageable } from "../paging/PersonWays.ts"

const isReachable = ({ ways }: Pageable): boolean => ways.length > 0

const distinct = (people: ReadonlyArray<Pageable>): ReadonlyArray<Pageable> =>
  Array.dedupeWith(people, (one, other) => one.id === other.id)

export const makePageTargets = Effect.gen(function*() {
  const people = yield* OnCallPeople
  const schedules = yield* Schedules
  const channels = yield* Channels
  const withWays = yield* makePersonWays

  /** The people that a target stands for, a list for each on call, best first: only the first of it who can be reached is paged. */
  const candidates = Effect.fnUntraced(function*(workspaceId: WorkspaceId, target: EscalationTarget, now: DateTime.Utc) {
    const none: ReadonlyArray<ReadonlyArray<UserId>> = []
    if (target.type === "channel") return none
    if (target.type === "user") return [[target.id]]
    const found = yield* schedules.find(workspaceId, target.id)
    if (Option.isNone(found)) return none
    return pagingTurns(found.value, yield* schedules.overrides(workspaceId, [target.id], now), now)
  })

  /**
   * The channels that are enabled and the members who can be reached, each once with their ways, and those whose turn it was and whom no
   * page reaches.
   * Members who have left the workspace are neither. `reached` is false if nobody of all these gets to know.
   */
  return Effect.fn("PageTargets.resolve")(
    function*(workspaceId: WorkspaceId, targets: ReadonlyArray<EscalationTarget>, now: DateTime.Utc) {
      const named = targets.flatMap((target) => (target.type === "channel" ? [target.id] : []))
      const enabled = yield* channels.enabled(workspaceId, named)
      const lists = (yield* Effect.forEach(targets, (target) => candidates(workspaceId, target, now))).flat()
      const members = yield* withWays(workspaceId, yield* people.some(workspaceId, lists.flat()))
      const byId = new Map(members.map((member) => [member.id, member]))
      const turns = lists.map((list) => list.flatMap((id) => byId.get(id) ?? []))
      const paged = turns.flatMap((turn) => turn.find(isReachable) ?? [])
      const passed = turns.flatMap((turn) => Array.takeWhile(turn, (one) => !isReachable(one)))
      return {
        channelIds: enabled.map(({ id }) => id),
        people: distinct(paged),
        unreached: distinct(passed),
        reached: paged.length > 0 || enabled.some(({ works }) => works)
      }
    }
  )
})
