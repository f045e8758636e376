/** The handlers of API keys. */
import { DateTime, Effect, Either } from "effect"
import type { ApiKeyInput, ApiKeyWithSecret } from "../../../schema/access/ApiKey.ts"
import { Access } from "../../../schema/api/Access.ts"
import { Conflict, Forbidden, NotFound, Unauthorized } from "../../../schema/Errors.ts"
import type { ApiKeyId } from "../../../schema/Ids.ts"
import { grantKey } from "../../domain/access/KeyGrant.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { type KeyRow, Keys, shownKey } from "../../store/access/Keys.ts"
import { operations } from "../openapi/Operations.ts"

/** So many working keys are a fault in whatever makes them. */
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

/** The calling key as it is now; null for a person. */
const callingKey = Effect.gen(function*() {
  const { principal, workspaceId } = yield* Access
  if (principal._tag === "User") return null
  const key = yield* Effect.flatMap(Keys, (keys) => keys.get(workspaceId, principal.keyId))
  return yield* Effect.mapError(key, () => over)
})

const isDelegated = (key: KeyRow | null) => key !== null && key.parentId !== null

export const listApiKeys = Effect.fn("ApiKeys.list")(function*() {
  const { workspaceId } = yield* Access
  const keys = yield* Effect.flatMap(Keys, (store) => store.list(workspaceId))
  return { data: keys.map(shownKey), next: null }
})

/** Fails for what `grantKey` refuses, and beyond 1,000 keys. No delegated key comes so far. */
export const createApiKey = Effect.fn("ApiKeys.create")(function*({ payload }: { readonly payload: ApiKeyInput }) {
  const { principal, workspaceId } = yield* Access
  const keys = yield* Keys
  const caller = yield* callingKey
  const grant = grantKey(payload, caller, operations, yield* DateTime.now)
  if (Either.isLeft(grant)) return yield* validationFailure(grant.left)
  if ((yield* keys.working(workspaceId)) >= maxKeys) return yield* tooMany
  const createdBy = principal._tag === "User" ? principal.userId : caller?.createdBy ?? null
  const made = yield* Effect.flatten(keys.create(workspaceId, { ...grant.right, name: payload.name, createdBy })).pipe(
    Effect.catchTag("NoSuchElementException", () => over)
  )
  return { ...shownKey(made.key), secret: made.secret } satisfies ApiKeyWithSecret
})

export const revokeApiKey = Effect.fn("ApiKeys.revoke")(function*({ path }: { readonly path: { readonly id: ApiKeyId } }) {
  const { workspaceId } = yield* Access
  const caller = yield* callingKey
  if (isDelegated(caller) && caller?.id !== path.id) return yield* delegatedRevokes
  const revoked = yield* Effect.flatMap(Keys, (keys) => keys.revoke(workspaceId, path.id))
  if (!revoked) {
    return yield* new NotFound({
      message: `There is no API key ${path.id} in this workspace`,
      hint: "GET /api/v1/api-keys lists the API keys"
    })
  }
  return { id: path.id, deleted: true as const }
})
