/** Access for tests behind authentication: the bearer token is the workspace; permissions are tested elsewhere. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Guards } from "../../../src/http/guard/Guards.ts"

const callerOf = (token: string): Access["Type"] => ({
  workspaceId: WorkspaceId.make(token),
  principal: { _tag: "Key", keyId: ApiKeyId.make("key_1") },
  scopes: ["read", "write"],
  role: "admin",
  operations: null
})

export const anyCaller: Guards = ({ scope }) => (handler) => (call) => {
  const [, token = ""] = (call.request.headers["authorization"] ?? "").split(" ")
  return scope === "public" ? handler(call) : Effect.provideService(handler(call), Access, callerOf(token))
}
