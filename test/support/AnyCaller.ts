/** Access for tests behind authentication: the bearer token is the workspace; permissions are tested elsewhere. */
import { Effect, Layer, Redacted } from "effect"
import { type Access, ReadAccess, WriteAccess } from "../../schema/api/Access.ts"
import { ApiKeyId, WorkspaceId } from "../../schema/Ids.ts"

const access = {
  bearer: (token: Redacted.Redacted): Effect.Effect<Access["Type"]> =>
    Effect.succeed({
      workspaceId: WorkspaceId.make(Redacted.value(token)),
      principal: { _tag: "Key", keyId: ApiKeyId.make("key_1") },
      scopes: ["read", "write"],
      role: "admin",
      operations: null
    })
}

export const anyCaller = Layer.merge(Layer.succeed(ReadAccess, access), Layer.succeed(WriteAccess, access))
