/** Records that a person has proved ownership of their address, and ends what was done with it before without proof. */
import { Effect } from "effect"
import type { SessionId, WorkspaceId } from "../../../schema/Ids.ts"
import { Schedules } from "../../store/oncall/Schedules.ts"
import { SignInLinks } from "../../store/people/SignInLinks.ts"
import { UnprovedAccess } from "../../store/people/UnprovedAccess.ts"
import { type UserRow, Users } from "../../store/people/Users.ts"
import { Claims } from "../../store/workspace/Claims.ts"
import { AuditTrail } from "../access/AuditTrail.ts"

export class ProveAddress extends Effect.Service<ProveAddress>()("belltower/ProveAddress", {
  effect: Effect.gen(function*() {
    const users = yield* Users
    const links = yield* SignInLinks
    const unproved = yield* UnprovedAccess
    const schedules = yield* Schedules
    const claims = yield* Claims
    const audit = yield* AuditTrail

    /**
     * Records a proof, in the caller's transaction. The first one ends the account's sessions, connected accounts, second
     * factor, API keys, invitations, memberships and on-call overrides, unless `keeps`: anyone may have used the account so far.
     * Workspaces that lose their last owner can be claimed again. Returns the user, and the workspaces that they left.
     */
    const prove = Effect.fn("ProveAddress.prove")(function*(user: UserRow, keeps: boolean) {
      const isFirst = !user.proved && (yield* users.prove(user.id))
      if (isFirst) yield* links.endOf(user.email)
      const left = isFirst && !keeps ? yield* unproved.end(user.id) : []
      yield* Effect.forEach(left, (workspaceId) => schedules.endOverridesOf(workspaceId, user.id), { discard: true })
      yield* claims.reopen(left)
      return { user: isFirst ? yield* Effect.orDie(Effect.flatten(users.get(user.id))) : user, left }
    })

    /** Records in the audit log of each workspace that the account left it. */
    const recordLeaving = Effect.fn("ProveAddress.recordLeaving")(
      function*({ id: userId }: UserRow, sessionId: SessionId, left: ReadonlyArray<WorkspaceId>) {
        const principal = { _tag: "User", userId, sessionId } as const
        yield* Effect.forEach(
          left,
          (workspaceId) => audit.record({ workspaceId, principal, operation: "end_unproved_access", target: userId }),
          { discard: true }
        )
      }
    )

    return { prove, recordLeaving, workspaces: unproved.workspaces }
  })
}) {}
