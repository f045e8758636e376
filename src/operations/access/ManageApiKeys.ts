/** Lists, creates and revokes API keys. */
import { DateTime, Effect, Either } from "effect"
import type { ApiKeyInput, ApiKeyWithSecret } from "../../../schema/access/ApiKey.ts"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Conflict, Forbidden, NotFound, Unauthorized } from "../../../schema/Errors.ts"
import type { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import { grantKey } from "../../domain/access/KeyGrant.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Keys, shownKey } from "../../store/access/Keys.ts"
import { OperationCatalog } from "./OperationCatalog.ts"

/** A caller that creates more has a bug. */
const maxKeys = 1_000

const tooMany = new Conflict({
  message: `A workspace has at most ${maxKeys} API keys`,
  hint: "Revoke those that are not needed any more: DELETE /api-keys/{id}"
})

const over = new Unauthorized({ message: "The access of this call has ended meanwhile" })

const delegatedRevokes = new Forbidden({
  message: "A delegated key revokes no key but itself",
  hint: "Ask the holder of the key that delegated to it"
})

const notFound = (id: ApiKeyId) =>
  new NotFound({ message: `There is no API key ${id} in this workspace`, hint: "GET /api/v1/api-keys lists the API keys" })

export class ManageApiKeys extends Effect.Service<ManageApiKeys>()("belltower/ManageApiKeys", {
  effect: Effect.gen(function*() {
    const keys = yield* Keys
    const catalog = yield* OperationCatalog

    /** The calling key as it is now; null for a person. */
    const callingKey = Effect.fn("ManageApiKeys.callingKey")(function*({ principal, workspaceId }: Caller) {
      if (principal._tag === "User") return null
      return yield* Effect.mapError(yield* keys.get(workspaceId, principal.keyId), () => over)
    })

    const list = (workspaceId: WorkspaceId) => Effect.map(keys.list(workspaceId), (found) => found.map(shownKey))

    /** Fails for what `grantKey` refuses, and beyond 1,000 keys. A delegated key is refused before it gets here. */
    const create = Effect.fn("ManageApiKeys.create")(function*(caller: Caller, input: ApiKeyInput) {
      const { principal, workspaceId } = caller
      const parent = yield* callingKey(caller)
      const grant = grantKey(input, parent, catalog, yield* DateTime.now)
      if (Either.isLeft(grant)) return yield* validationFailure(grant.left)
      if ((yield* keys.working(workspaceId)) >= maxKeys) return yield* tooMany
      const createdBy = principal._tag === "User" ? principal.userId : parent?.createdBy ?? null
      const made = yield* Effect.flatten(keys.create(workspaceId, { ...grant.right, name: input.name, createdBy })).pipe(
        Effect.catchTag("NoSuchElementException", () => over)
      )
      return { ...shownKey(made.key), secret: made.secret } satisfies ApiKeyWithSecret
    })

    /** Revokes a key and those it delegated to. */
    const revoke = Effect.fn("ManageApiKeys.revoke")(function*(caller: Caller, id: ApiKeyId) {
      const key = yield* callingKey(caller)
      if (key !== null && key.parentId !== null && key.id !== id) return yield* delegatedRevokes
      if (!(yield* keys.revoke(caller.workspaceId, id))) return yield* notFound(id)
      return id
    })

    return { list, create, revoke }
  })
}) {}
