/** Serves the workspace, its members and its API keys. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ManageApiKeys } from "../../operations/access/ManageApiKeys.ts"
import { InviteMember } from "../../operations/workspace/InviteMember.ts"
import { ManageMembers } from "../../operations/workspace/ManageMembers.ts"
import { ManageWorkspace } from "../../operations/workspace/ManageWorkspace.ts"
import { ReadUsage } from "../../operations/workspace/ReadUsage.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const whole = <A>(data: ReadonlyArray<A>) => ({ data, next: null })

export const WorkspaceLive = operationGroup(Api, "Workspace", (handlers) =>
  Effect.gen(function*() {
    const workspaces = yield* ManageWorkspace
    const usage = yield* ReadUsage
    const members = yield* ManageMembers
    const invitations = yield* InviteMember
    const keys = yield* ManageApiKeys

    return handlers
      .handle("get_workspace", () => Effect.flatMap(Access, workspaces.get))
      .handle("update_workspace", ({ payload }) => Effect.flatMap(Access, (caller) => workspaces.update(caller, payload)))
      .handle("delete_workspace", () =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          Effect.map(workspaces.remove(workspaceId), (id) => ({ id, deleted: true as const }))))
      .handle("get_usage", () =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          usage.get(workspaceId)))
      .handle("list_members", () => Effect.flatMap(Access, ({ workspaceId }) => Effect.map(members.list(workspaceId), whole)))
      .handle("invite_member", ({ payload }) => Effect.flatMap(Access, (caller) => invitations.invite(caller, payload)))
      .handle(
        "update_member",
        ({ path, payload }) => Effect.flatMap(Access, (caller) => members.update(caller, path.id, payload))
      )
      .handle(
        "remove_member",
        ({ path, urlParams }) => Effect.flatMap(Access, (caller) => members.remove(caller, path.id, urlParams.keys === "keep"))
      )
      .handle("list_api_keys", () => Effect.flatMap(Access, ({ workspaceId }) => Effect.map(keys.list(workspaceId), whole)))
      .handle("create_api_key", ({ payload }) => Effect.flatMap(Access, (caller) => keys.create(caller, payload)))
      .handle(
        "revoke_api_key",
        ({ path }) =>
          Effect.flatMap(Access, (caller) => Effect.map(keys.revoke(caller, path.id), (id) => ({ id, deleted: true as const })))
      )
  }))
