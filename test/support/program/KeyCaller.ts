/** The caller of operations that tests run without a request: a key of the workspace that may write. */
import { ApiKeyId, type WorkspaceId } from "../../../schema/Ids.ts"

export const callerOf = (workspaceId: WorkspaceId) => ({
  workspaceId,
  principal: { _tag: "Key" as const, keyId: ApiKeyId.make("key_gone") },
  scopes: ["write" as const],
  role: "owner" as const,
  operations: null
})
