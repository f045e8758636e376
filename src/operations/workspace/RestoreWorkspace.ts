/** Restores a workspace that its owner deleted: by the token that a key got with the deletion, or as a signed-in owner. */
import { DateTime, Effect, Option } from "effect"
import { restorations } from "../../../schema/api/parts/AddressLimit.ts"
import { NotFound } from "../../../schema/Errors.ts"
import { ApiKeyId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { MyDeletedWorkspace, MyWorkspace } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { DeletedWorkspaces, restorableFor } from "../../store/workspace/DeletedWorkspaces.ts"
import { AuditTrail } from "../access/AuditTrail.ts"
import { foundOr } from "../NoSuch.ts"
import { makeEnterWorkspace } from "../people/EnterWorkspace.ts"

const notRestorable = (id: WorkspaceId) =>
  new NotFound({
    message: `No deleted workspace ${id} that you can restore`,
    hint: "It can be restored for 7 days, with the restoreToken of delete_workspace or by an owner who signs in"
  })

export class RestoreWorkspace extends Effect.Service<RestoreWorkspace>()("belltower/RestoreWorkspace", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const limits = yield* RateLimits
    const audit = yield* AuditTrail
    const entering = yield* makeEnterWorkspace
    const deleted = yield* DeletedWorkspaces

    /** With the token of the deletion. Fails with `rate_limited` above 20 calls an hour from one address. */
    const restore = Effect.fn("RestoreWorkspace.restore")(function*(id: WorkspaceId, token: string, address: string) {
      yield* limits.take(restorations, address)
      const restoring = Effect.gen(function*() {
        const { deletedBy, name } = yield* foundOr(deleted.restore(id, { token }), () => notRestorable(id))
        const principal = { _tag: "Key", keyId: ApiKeyId.make(deletedBy) } as const
        yield* audit.record({ workspaceId: id, principal, operation: "restore_workspace", target: id })
        return { id, name }
      })
      return yield* transaction(restoring)
    })

    /** As an owner; the session switches to it. */
    const restoreOwn = Effect.fn("RestoreWorkspace.restoreOwn")(function*(person: PersonIdentity, id: WorkspaceId) {
      const owned = (yield* deleted.ofOwner(person.userId)).find((one) => one.id === id)
      if (owned === undefined) return yield* notRestorable(id)
      const restoring = Effect.map(deleted.restore(id, { userId: person.userId }), Option.as(id))
      yield* foundOr(entering(person, "restore_workspace", restoring), () => notRestorable(id))
      return { id, name: owned.name, role: "owner", current: true } satisfies MyWorkspace
    })

    const list = ({ userId }: PersonIdentity): Effect.Effect<ReadonlyArray<MyDeletedWorkspace>> =>
      Effect.map(
        deleted.ofOwner(userId),
        (found) => found.map((one) => ({ ...one, restorableUntil: DateTime.addDuration(one.deletedAt, restorableFor) }))
      )

    return { restore, restoreOwn, list }
  })
}) {}
