/** Lists, creates and revokes API keys. */
import { DateTime, Effect, Either } from "effect"
import type { ApiKeyInput, ApiKeyWithSecret } from "../../../schema/access/ApiKey.ts"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden, Unauthorized } from "../../../schema/Errors.ts"
import type { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import { isDelegated } from "../../domain/access/CallPermission.ts"
import { grantKey } from "../../domain/access/KeyGrant.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Keys, shownKey } from "../../store/access/Keys.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { removed } from "../NoSuch.ts"
import { OperationCatalog } from "./OperationCatalog.ts"

const accessEnded = new Unauthorized({ message: "Access was revoked while this request was running" })

const revokesOthers = new Forbidden({
  message: "A delegated key can revoke only itself",
  hint: "To revoke other keys, use the key that created this one"
})

export class ManageApiKeys extends Effect.Service<ManageApiKeys>()("belltower/ManageApiKeys", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const keys = yield* Keys
    const quotas = yield* Quotas
    const catalog = yield* OperationCatalog

    /** The current state of the calling key; null if a person calls. */
    const callingKey = Effect.fn("ManageApiKeys.callingKey")(function*({ principal, workspaceId }: Caller) {
      if (principal._tag === "User") return null
      return yield* Effect.mapError(yield* keys.get(workspaceId, principal.keyId), () => accessEnded)
    })

    const list = (workspaceId: WorkspaceId) => Effect.map(keys.list(workspaceId), (found) => found.map(shownKey))

    /** Fails if `grantKey` rejects the input, and above the cap of keys. Delegated keys are rejected before this point. */
    const create = Effect.fn("ManageApiKeys.create")(function*(caller: Caller, input: ApiKeyInput) {
      const { principal, workspaceId } = caller
      const parent = yield* callingKey(caller)
      const grant = grantKey(input, parent, catalog, yield* DateTime.now)
      if (Either.isLeft(grant)) return yield* validationFailure(grant.left)
      const createdBy = principal._tag === "User" ? principal.userId : parent?.createdBy ?? null
      const fields = { ...grant.right, name: input.name, createdBy }
      const created = yield* transaction(
        Effect.zipRight(quotas.takeCapped(workspaceId, { keys: 1 }), Effect.flatten(keys.create(workspaceId, fields)))
      ).pipe(Effect.catchTag("NoSuchElementException", () => accessEnded))
      return { ...shownKey(created.key), secret: created.secret } satisfies ApiKeyWithSecret
    })

    /** Revokes a key and the keys it delegated to. */
    const revoke = Effect.fn("ManageApiKeys.revoke")(function*(caller: Caller, id: ApiKeyId) {
      const key = yield* callingKey(caller)
      if (key !== null && isDelegated(key) && key.id !== id) return yield* revokesOthers
      yield* removed("API key", id, keys.revoke(caller.workspaceId, id))
    })

    return { list, create, revoke }
  })
}) {}
