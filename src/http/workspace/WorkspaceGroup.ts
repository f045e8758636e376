/** The operations on the workspace itself, its members and its API keys. */
import { HttpApiBuilder } from "@effect/platform"
import { Api } from "../../../schema/api/Api.ts"
import { createApiKey, listApiKeys, revokeApiKey } from "../access/ApiKeys.ts"
import { inviteMember, listMembers, removeMember, updateMember } from "./Members.ts"
import { deleteWorkspace, getUsage, getWorkspace, updateWorkspace } from "./WorkspaceHandlers.ts"

export const WorkspaceLive = HttpApiBuilder.group(Api, "Workspace", (handlers) =>
  handlers
    .handle("get_workspace", getWorkspace)
    .handle("update_workspace", updateWorkspace)
    .handle("delete_workspace", deleteWorkspace)
    .handle("get_usage", getUsage)
    .handle("list_members", listMembers)
    .handle("invite_member", inviteMember)
    .handle("update_member", updateMember)
    .handle("remove_member", removeMember)
    .handle("list_api_keys", listApiKeys)
    .handle("create_api_key", createApiKey)
    .handle("revoke_api_key", revokeApiKey))
