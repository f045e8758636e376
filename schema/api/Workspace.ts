/** The workspace itself, its members, its API keys and the apps that are connected to it. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ApiKeyInput, ApiKeyWithSecret } from "../access/ApiKey.ts"
import { wire } from "../Errors.ts"
import { text } from "../Fields.ts"
import { ApiKeyId, WorkspaceId } from "../Ids.ts"
import { Grant } from "../oauth/Grant.ts"
import { Member, MemberId, MemberInput, MemberRemoval, MemberUpdate, RemovedMember } from "../workspace/Member.ts"
import { Usage } from "../workspace/Usage.ts"
import {
  ApiKey,
  DeletedWorkspace,
  RestoredWorkspace,
  Workspace as WorkspaceRecord,
  WorkspaceUpdate
} from "../workspace/Workspace.ts"
import { LeastRole, ReadAccess, WriteAccess } from "./Access.ts"
import { AddressLimit, restorations } from "./parts/AddressLimit.ts"
import { all, deleted } from "./parts/Answers.ts"
import { Hinted, PrivateAnswer } from "./parts/Hints.ts"

const WorkspaceRestoration = Schema.Struct({
  restoreToken: text(100).annotations({
    examples: ["8sTq2LmZ7xT0bVwRj4sYcH1n9fKq2LmZ7xT0bVwR"]
  })
})

const memberId = HttpApiSchema.param("id", MemberId)

export class Workspace extends HttpApiGroup.make("Workspace")
  .annotate(OpenApi.Description, "The workspace itself, its members, API keys and connected apps.")
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
      .annotate(OpenApi.Summary, "Update the workspace")
      .annotate(OpenApi.Description, "Changes its name, time zone or upstream dependencies.")
  )
  .add(
    HttpApiEndpoint.del("delete_workspace", "/workspace")
      .addSuccess(DeletedWorkspace)
      .middleware(WriteAccess)
      .annotate(PrivateAnswer, true)
      .annotate(LeastRole, "owner")
      .annotate(OpenApi.Summary, "Delete the workspace")
      .annotate(
        OpenApi.Description,
        "Its owner can restore it for 7 days. All that it does and shows, its API keys and its subscription end immediately; after " +
          "7 days it is deleted for good with its monitors, checks, pages, incidents, events and members. Once a human has " +
          "claimed the workspace, only a signed-in owner can delete it."
      )
  )
  .add(
    HttpApiEndpoint.post("restore_workspace")`/workspaces/${HttpApiSchema.param("id", WorkspaceId)}/restore`
      .setPayload(WorkspaceRestoration)
      .addSuccess(RestoredWorkspace)
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.rateLimited))
      .annotate(AddressLimit, restorations)
      .annotate(OpenApi.Summary, "Restore a deleted workspace")
      .annotate(
        OpenApi.Description,
        "With the restoreToken of delete_workspace, without a key. Its keys, URLs and monitors go on, except those that were paused; " +
          "a subscription does not. Signed-in owners restore theirs in the dashboard."
      )
  )
  .add(
    HttpApiEndpoint.get("get_usage", "/workspace/usage")
      .addSuccess(Usage)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get plan usage")
      .annotate(OpenApi.Description, "Returns the usage and the limit of each resource that the plan limits.")
  )
  .add(
    HttpApiEndpoint.get("list_members", "/members")
      .addSuccess(all(Member))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List members")
      .annotate(OpenApi.Description, "Includes pending invitations.")
  )
  .add(
    HttpApiEndpoint.post("invite_member", "/members")
      .setPayload(MemberInput)
      .addSuccess(Member, { status: 201 })
      .addError(Schema.Union(wire.validationFailed, wire.planLimit, wire.conflict, wire.rateLimited))
      .middleware(WriteAccess)
      .annotate(LeastRole, "admin")
      .annotate(Hinted, { heardOutside: true })
      .annotate(OpenApi.Summary, "Invite a member")
      .annotate(
        OpenApi.Description,
        "Mails a link that is valid for 7 days. Inviting the same address again sends a new link and " +
          "invalidates the old one. The workspace must be claimed. Only owners can invite owners. Limit: 100 invitations a day."
      )
  )
  .add(
    HttpApiEndpoint.patch("update_member")`/members/${memberId}`
      .setPayload(MemberUpdate)
      .addSuccess(Member)
      .addError(Schema.Union(wire.notFound, wire.conflict, wire.validationFailed))
      .middleware(WriteAccess)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "Update a member")
      .annotate(
        OpenApi.Description,
        "Changes the role of a member or an invitation. Only owners can grant or change the owner role. The last owner's role " +
          "cannot be changed. API keys that the member created never have more permissions than the member."
      )
  )
  .add(
    HttpApiEndpoint.del("remove_member")`/members/${memberId}`
      .setUrlParams(MemberRemoval)
      .addSuccess(RemovedMember)
      .addError(Schema.Union(wire.notFound, wire.conflict, wire.validationFailed))
      .middleware(WriteAccess)
      .annotate(LeastRole, "viewer")
      .annotate(OpenApi.Summary, "Remove a member")
      .annotate(
        OpenApi.Description,
        "Also cancels an invitation, or leaves the workspace. The member loses access immediately, and the API keys they " +
          "created are revoked, unless keys is keep. Keys that others created keep working: revoke those that the member " +
          "knows. Members can remove themselves; admins can remove others, and only owners can remove owners. The last " +
          "owner cannot be removed."
      )
  )
  .add(
    HttpApiEndpoint.get("list_api_keys", "/api-keys")
      .addSuccess(all(ApiKey))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List API keys")
      .annotate(
        OpenApi.Description,
        "Newest first. Without secrets. Expired keys stay in the list for 7 days; revoked keys " +
          "are removed immediately."
      )
  )
  .add(
    HttpApiEndpoint.post("create_api_key", "/api-keys")
      .setPayload(ApiKeyInput)
      .addSuccess(ApiKeyWithSecret, { status: 201 })
      .addError(Schema.Union(wire.validationFailed, wire.conflict))
      .middleware(WriteAccess)
      .annotate(PrivateAnswer, true)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "Create an API key")
      .annotate(
        OpenApi.Description,
        "Returns the secret only once. A key created with another key and with expiresInMinutes or operations is delegated: " +
          "its scopes, operations and lifetime never exceed those of that key, it stops working when that key does, and it " +
          "cannot create keys. It can call operations that require an admin, such as inviting members, only if its operations " +
          "name them. Use delegated keys to give a helper access for one task."
      )
  )
  .add(
    HttpApiEndpoint.del("revoke_api_key")`/api-keys/${HttpApiSchema.param("id", ApiKeyId)}`
      .addSuccess(deleted(ApiKeyId))
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(LeastRole, "admin")
      .annotate(OpenApi.Summary, "Revoke an API key")
      .annotate(
        OpenApi.Description,
        "Takes effect immediately, also for keys delegated from it. Closes their open streams. A delegated key can " +
          "revoke only itself."
      )
  )
  .add(
    HttpApiEndpoint.get("list_grants", "/grants")
      .addSuccess(all(Grant))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List the apps that people connected over OAuth")
  )
  .add(
    HttpApiEndpoint.del("end_grant")`/grants/${HttpApiSchema.param("id", ApiKeyId)}`
      .addSuccess(deleted(ApiKeyId))
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(LeastRole, "viewer")
      .annotate(OpenApi.Summary, "Disconnect an app")
      .annotate(OpenApi.Description, "Takes effect immediately. Only admins end the access that others gave.")
  )
{}
