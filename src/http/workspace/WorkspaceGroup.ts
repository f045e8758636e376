/** Serves the workspace, its members, its API keys and the apps that are connected to it. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManageApiKeys } from "../../operations/access/ManageApiKeys.ts"
import { ManageBilling } from "../../operations/billing/ManageBilling.ts"
import { ManageGrants } from "../../operations/oauth/ManageGrants.ts"
import { InviteMember } from "../../operations/workspace/InviteMember.ts"
import { ManageMembers } from "../../operations/workspace/ManageMembers.ts"
import { ManageWorkspace } from "../../operations/workspace/ManageWorkspace.ts"
import { RestoreWorkspace } from "../../operations/workspace/RestoreWorkspace.ts"
import { makeApplicantOf } from "../request/Applicant.ts"
import { all, asCaller, deleted, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const WorkspaceLive = operationGroup(Api, "Workspace", (handlers) =>
  Effect.gen(function*() {
    const workspaces = yield* ManageWorkspace
    const restoring = yield* RestoreWorkspace
    const applicantOf = yield* makeApplicantOf
    const { usage } = yield* ManageBilling
    const members = yield* ManageMembers
    const invitations = yield* InviteMember
    const keys = yield* ManageApiKeys
    const grants = yield* ManageGrants

    return handlers
      .handle("get_workspace", () => asCaller(workspaces.get))
      .handle("update_workspace", ({ payload }) => asCaller((caller) => workspaces.update(caller, payload)))
      .handle("delete_workspace", () => asCaller(workspaces.remove))
      .handle(
        "restore_workspace",
        ({ path, payload, request }) => restoring.restore(path.id, payload.restoreToken, applicantOf(request).address)
      )
      .handle("get_usage", () => inWorkspace(usage))
      .handle("list_members", () => all(inWorkspace(members.list)))
      .handle("invite_member", ({ payload }) => asCaller((caller) => invitations.invite(caller, payload)))
      .handle("update_member", ({ path, payload }) => asCaller((caller) => members.update(caller, path.id, payload)))
      .handle("remove_member", ({ path, urlParams }) =>
        asCaller((caller) => members.remove(caller, path.id, urlParams.keys === "keep")))
      .handle("list_api_keys", () =>
        all(inWorkspace(keys.list)))
      .handle("create_api_key", ({ payload }) => asCaller((caller) => keys.create(caller, payload)))
      .handle("revoke_api_key", ({ path: { id } }) => deleted(id, asCaller((caller) => keys.revoke(caller, id))))
      .handle("list_grants", () => all(inWorkspace(grants.list)))
      .handle("end_grant", ({ path: { id } }) => deleted(id, asCaller((caller) => grants.end(caller, id))))
  }))
