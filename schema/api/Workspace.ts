/** The workspace itself, its members and its API keys. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ApiKeyInput, ApiKeyWithSecret } from "../access/ApiKey.ts"
import { wire } from "../Errors.ts"
import { ApiKeyId, WorkspaceId } from "../Ids.ts"
import { Member, MemberId, MemberInput, MemberRemoval, MemberUpdate, RemovedMember } from "../workspace/Member.ts"
import { Usage } from "../workspace/Usage.ts"
import { ApiKey, Workspace as WorkspaceRecord, WorkspaceUpdate } from "../workspace/Workspace.ts"
import { LeastRole, ReadAccess, WriteAccess } from "./Access.ts"

const apiKeyId = HttpApiSchema.param("id", ApiKeyId)
const memberId = HttpApiSchema.param("id", MemberId)

export class Workspace extends HttpApiGroup.make("Workspace")
  .annotate(OpenApi.Description, "The workspace itself, its members and its API keys.")
  .add(
    HttpApiEndpoint.get("get_workspace", "/workspace")
      .addSuccess(WorkspaceRecord)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get the workspace")
  )
  .add(
    HttpApiEndpoint.patch("update_workspace", "/workspace")
      .setPayload(WorkspaceUpdate)
      .addSuccess(WorkspaceRecord)
      .addError(wire.validationFailed)
      .middleware(WriteAccess)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "Change the workspace's name, time zone or upstream dependencies")
  )
  .add(
    HttpApiEndpoint.del("delete_workspace", "/workspace")
      .addSuccess(Schema.Struct({ id: WorkspaceId, deleted: Schema.Literal(true) }))
      .middleware(WriteAccess)
      .annotate(LeastRole, "owner")
      .annotate(OpenApi.Summary, "Delete the workspace with everything in it, at once and for good")
      .annotate(
        OpenApi.Description,
        "Monitors, checks, pages, incidents, events, members and all keys go, and its subscription is cancelled. Nothing " +
          "can be brought back. Once a human has claimed the workspace, only a signed-in owner may do it."
      )
  )
  .add(
    HttpApiEndpoint.get("get_usage", "/workspace/usage")
      .addSuccess(Usage)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Tell how much of the plan's limits is used")
  )
  .add(
    HttpApiEndpoint.get("list_members", "/members")
      .addSuccess(Schema.Struct({ data: Schema.Array(Member), next: Schema.Null }))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List the members and the pending invitations")
  )
  .add(
    HttpApiEndpoint.post("invite_member", "/members")
      .setPayload(MemberInput)
      .addSuccess(Member, { status: 201 })
      .addError(wire.validationFailed)
      .addError(wire.planLimit)
      .addError(wire.conflict)
      .addError(wire.rateLimited)
      .middleware(WriteAccess)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "Invite a person by mail")
      .annotate(
        OpenApi.Description,
        "The link in the mail works for 7 days. Inviting the same address again sends a new link, and the old one stops " +
          "working. Needs a claimed workspace; only an owner makes owners. At most 100 a day."
      )
  )
  .add(
    HttpApiEndpoint.patch("update_member")`/members/${memberId}`
      .setPayload(MemberUpdate)
      .addSuccess(Member)
      .addError(wire.notFound)
      .addError(wire.conflict)
      .addError(wire.validationFailed)
      .middleware(WriteAccess)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "Give a member or an invitation another role")
      .annotate(
        OpenApi.Description,
        "Only an owner makes or changes owners. The last owner stays one. Keys that a member made may no more than they."
      )
  )
  .add(
    HttpApiEndpoint.del("remove_member")`/members/${memberId}`
      .setUrlParams(MemberRemoval)
      .addSuccess(RemovedMember)
      .addError(wire.notFound)
      .addError(wire.conflict)
      .addError(wire.validationFailed)
      .middleware(WriteAccess)
      .annotate(LeastRole, "viewer")
      .annotate(OpenApi.Summary, "Remove a member, take back an invitation, or leave")
      .annotate(
        OpenApi.Description,
        "Whoever is removed loses access at once, and so do the API keys that they made, unless keys is keep. Keys that they " +
          "know and others made go on working: revoke those. Anybody may remove themselves; others need an admin, owners an " +
          "owner. The last owner stays."
      )
  )
  .add(
    HttpApiEndpoint.get("list_api_keys", "/api-keys")
      .addSuccess(Schema.Struct({ data: Schema.Array(ApiKey), next: Schema.Null }))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List the API keys, newest first, with their last use")
      .annotate(
        OpenApi.Description,
        "Secrets are never shown again. A key stays in the list for 7 days after it expired; a revoked one leaves it at once."
      )
  )
  .add(
    HttpApiEndpoint.post("create_api_key", "/api-keys")
      .setPayload(ApiKeyInput)
      .addSuccess(ApiKeyWithSecret, { status: 201 })
      .addError(wire.validationFailed)
      .addError(wire.conflict)
      .middleware(WriteAccess)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "Create an API key; its secret is returned this once")
      .annotate(
        OpenApi.Description,
        "A key that is asked for with another key and has expiresInMinutes or operations is delegated: it never has more " +
          "scopes, operations or life than that key, ends when that key ends, and creates no keys itself. What takes an " +
          "admin, such as inviting members, it may only with operations that name it. Hand one to a helper for a task."
      )
  )
  .add(
    HttpApiEndpoint.del("revoke_api_key")`/api-keys/${apiKeyId}`
      .addSuccess(Schema.Struct({ id: ApiKeyId, deleted: Schema.Literal(true) }))
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "Revoke an API key and those it delegated to, at once")
      .annotate(OpenApi.Description, "Its open streams end. A delegated key may revoke itself, and no other.")
  )
{}
