/** Lists, updates and removes members and invitations. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type { MemberId, MemberUpdate, RemovedMember } from "../../../schema/workspace/Member.ts"
import { principalId } from "../../domain/access/PrincipalId.ts"
import { removalRefusal, roleRefusal } from "../../domain/workspace/Membership.ts"
import { Keys } from "../../store/access/Keys.ts"
import { Policies } from "../../store/oncall/Policies.ts"
import { Schedules } from "../../store/oncall/Schedules.ts"
import { Members } from "../../store/workspace/Members.ts"
import { AuditTrail } from "../access/AuditTrail.ts"
import { orNoSuch } from "../NoSuch.ts"
import { makeChangeMembers } from "./ChangeMembers.ts"

export class ManageMembers extends Effect.Service<ManageMembers>()("belltower/ManageMembers", {
  effect: Effect.gen(function*() {
    const members = yield* Members
    const keys = yield* Keys
    const schedules = yield* Schedules
    const policies = yield* Policies
    const audit = yield* AuditTrail
    const changing = yield* makeChangeMembers

    const required = (workspaceId: WorkspaceId, id: MemberId) => orNoSuch("member", id, members.find(workspaceId, id))

    const update = Effect.fn("ManageMembers.update")((caller: Caller, id: MemberId, { role }: MemberUpdate) =>
      changing(caller.workspaceId, (owners) =>
        Effect.gen(function*() {
          const member = yield* required(caller.workspaceId, id)
          const refusal = roleRefusal(caller.role, member, role, owners)
          if (refusal !== null) return yield* refusal
          yield* members.setRole(caller.workspaceId, member, role, principalId(caller.principal))
          return { ...member, role }
        }))
    )

    /** The new owner of kept keys: the calling person, or the member who created the calling key. */
    const keeper = Effect.fn("ManageMembers.keeper")(function*({ principal, workspaceId }: Caller) {
      if (principal._tag === "User") return principal.userId
      const key = yield* keys.get(workspaceId, principal.keyId)
      return Option.getOrNull(key)?.createdBy ?? null
    })

    /** Keeps or revokes the keys that a member created, with an audit entry for each. */
    const settleKeys = Effect.fn("ManageMembers.settleKeys")(function*(caller: Caller, userId: UserId, keeps: boolean) {
      const { principal, workspaceId } = caller
      const settled = keeps
        ? yield* keys.handOver(workspaceId, userId, yield* keeper(caller))
        : yield* keys.revokeOf(workspaceId, userId)
      const operation = keeps ? "keep_api_key" : "revoke_api_key"
      yield* Effect.forEach(settled, ({ id }) => audit.record({ workspaceId, principal, operation, target: id }), {
        discard: true
      })
      return settled.map((key) => ({ ...key, revoked: !keeps }))
    })

    /** Ends the overrides of someone who has left, so that the rotation counts, and says what still names them. */
    const leaveOnCall = Effect.fn("ManageMembers.leaveOnCall")(function*(workspaceId: WorkspaceId, userId: UserId) {
      yield* schedules.endOverridesOf(workspaceId, userId)
      const turns = (yield* schedules.list(workspaceId)).filter((schedule) =>
        [schedule, ...schedule.layers].some(({ participants }) => participants.includes(userId))
      )
      const levels = (yield* policies.list(workspaceId)).filter((policy) =>
        policy.levels.some(({ targets }) => targets.some(({ id }) => id === userId))
      )
      return [
        ...turns.map(({ name }) => `The on-call schedule ${name} still names them: nobody is paged in their turns.`),
        ...levels.map(({ name }) => `The escalation policy ${name} still names them: nobody is paged in their place.`)
      ]
    })

    const remove = Effect.fn("ManageMembers.remove")((caller: Caller, id: MemberId, keeps: boolean) =>
      changing(caller.workspaceId, (owners) =>
        Effect.gen(function*() {
          const { principal, role, workspaceId } = caller
          const member = yield* required(workspaceId, id)
          const isSelf = principal._tag === "User" && member.userId === principal.userId
          const refusal = removalRefusal(role, member, isSelf, owners, keeps)
          if (refusal !== null) return yield* refusal
          yield* members.remove(workspaceId, member)
          // Runs after the removal, when no new key can be created in the member's name.
          const settled = member.userId === null ? [] : yield* settleKeys(caller, member.userId, keeps)
          const warnings = member.userId === null ? [] : yield* leaveOnCall(workspaceId, member.userId)
          return { id, deleted: true, keys: settled, ...(warnings.length > 0 ? { warnings } : {}) } satisfies RemovedMember
        }))
    )

    return { list: members.list, update, remove }
  })
}) {}
