/** Operations of a signed-in person on their own account; session cookie only. (Specification: Dashboard-only endpoints.) */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { name, optional, text } from "../Fields.ts"
import { MailId, SessionId, WorkspaceId } from "../Ids.ts"
import {
  CapturedMail,
  ContactProfile,
  ContactUpdate,
  EmailAddress,
  MyDeletedWorkspace,
  MyDigest,
  MyWorkspace,
  Provider,
  SecondFactorSetup,
  Security
} from "../people/Person.ts"
import { User } from "../people/User.ts"
import { PersonAccess } from "./Access.ts"
import { AddressLimit, signInRequests } from "./parts/AddressLimit.ts"
import { all, deleted } from "./parts/Answers.ts"

/** A code from the authenticator app, or a recovery code once recovery codes exist. */
const Code = Schema.Struct({ code: text(40) })

/** Returned only once. */
const RecoveryCodes = Schema.Struct({ recoveryCodes: Schema.Array(Schema.String) })

/** Sign-in and sign-out. API keys cannot call these operations, so OpenAPI and MCP leave them out. */
export class SignIn extends HttpApiGroup.make("Sign-in")
  .add(
    HttpApiEndpoint.post("request_sign_in", "/auth/email")
      .setPayload(Schema.Struct({
        email: EmailAddress,
        next: optional(text(500), "Path of this service to open after sign-in, such as /app")
      }))
      .addSuccess(
        Schema.Struct({
          sent: Schema.Boolean.annotations({ description: "False where no mail server is set: the mail was captured, not sent" })
        }),
        { status: 202 }
      )
      .addError(Schema.Union(wire.validationFailed, wire.rateLimited))
      .annotate(AddressLimit, signInRequests)
      .annotate(OpenApi.Summary, "Send a sign-in link; the response is the same for known and unknown addresses")
  )
  .add(
    HttpApiEndpoint.post("sign_out", "/auth/sign-out")
      .addSuccess(Schema.Struct({ signedOut: Schema.Literal(true) }))
      .addError(wire.forbidden)
      .annotate(OpenApi.Summary, "Sign out")
  )
  .annotate(OpenApi.Exclude, true)
{}

export class Me extends HttpApiGroup.make("Me")
  .add(
    HttpApiEndpoint.get("me", "/me")
      .addSuccess(Schema.Struct({
        user: User,
        emailConfirmed: Schema.Boolean.annotations({ description: "Whether the person has proved that the address is theirs" }),
        workspace: Schema.NullOr(MyWorkspace)
      }))
      .annotate(OpenApi.Summary, "Get the signed-in person and the current workspace")
  )
  .add(
    HttpApiEndpoint.get("my_workspaces", "/me/workspaces")
      .addSuccess(all(MyWorkspace))
      .annotate(OpenApi.Summary, "List my workspaces")
  )
  .add(
    HttpApiEndpoint.post("create_my_workspace", "/me/workspaces")
      .setPayload(Schema.Struct({
        name: name(80),
        invitation: optional(text(100), "The operator's, where one is needed")
      }))
      .addSuccess(MyWorkspace, { status: 201 })
      .addError(Schema.Union(wire.validationFailed, wire.rateLimited))
      .annotate(OpenApi.Summary, "Create a workspace, become its owner and switch to it")
  )
  .add(
    HttpApiEndpoint.post("switch_workspace")`/me/workspaces/${HttpApiSchema.param("id", WorkspaceId)}/switch`
      .addSuccess(MyWorkspace)
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "Switch to a workspace for this session")
  )
  .add(
    HttpApiEndpoint.get("my_deleted_workspaces", "/me/deleted-workspaces")
      .addSuccess(all(MyDeletedWorkspace))
      .annotate(OpenApi.Summary, "List the deleted workspaces that I can restore")
  )
  .add(
    HttpApiEndpoint.post("restore_my_workspace")`/me/workspaces/${HttpApiSchema.param("id", WorkspaceId)}/restore`
      .addSuccess(MyWorkspace)
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "Restore a deleted workspace of mine, and switch to it")
  )
  .add(
    HttpApiEndpoint.get("my_contact", "/me/contact")
      .addSuccess(ContactProfile)
      .annotate(OpenApi.Summary, "Get my contact profile")
  )
  .add(
    HttpApiEndpoint.patch("update_my_contact", "/me/contact")
      .setPayload(ContactUpdate)
      .addSuccess(ContactProfile)
      .addError(wire.validationFailed)
      .annotate(OpenApi.Summary, "Update my contact profile; null clears a field")
  )
  .add(
    HttpApiEndpoint.get("my_security", "/me/security")
      .addSuccess(Security)
      .annotate(OpenApi.Summary, "Get my sessions, second factor and connected accounts")
  )
  .add(
    HttpApiEndpoint.del("end_my_session")`/me/sessions/${HttpApiSchema.param("id", SessionId)}`
      .addSuccess(deleted(SessionId))
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "End one of my sessions")
  )
  .add(
    HttpApiEndpoint.post("end_my_other_sessions", "/me/sessions/revoke-others")
      .addSuccess(Schema.Struct({ revoked: Schema.Int }))
      .annotate(OpenApi.Summary, "End all my other sessions")
  )
  .add(
    HttpApiEndpoint.get("pending_second_factor", "/me/2fa/setup")
      .addSuccess(SecondFactorSetup)
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "Get the secret of an authenticator app that is being set up")
  )
  .add(
    HttpApiEndpoint.post("set_up_second_factor", "/me/2fa/setup")
      .addSuccess(SecondFactorSetup)
      .addError(wire.conflict)
      .annotate(OpenApi.Summary, "Create a secret for an authenticator app; enable_second_factor activates it")
  )
  .add(
    HttpApiEndpoint.post("enable_second_factor", "/me/2fa/enable")
      .setPayload(Code)
      .addSuccess(RecoveryCodes)
      .addError(Schema.Union(wire.validationFailed, wire.conflict, wire.rateLimited))
      .annotate(OpenApi.Summary, "Enable the second factor with a first code; ends all other sessions")
  )
  .add(
    HttpApiEndpoint.post("disable_second_factor", "/me/2fa/disable")
      .setPayload(Code)
      .addSuccess(Schema.Struct({ enabled: Schema.Literal(false) }))
      .addError(Schema.Union(wire.validationFailed, wire.conflict, wire.rateLimited))
      .annotate(OpenApi.Summary, "Disable the second factor with a code or a recovery code; ends all other sessions")
  )
  .add(
    HttpApiEndpoint.post("replace_recovery_codes", "/me/2fa/recovery-codes")
      .setPayload(Code)
      .addSuccess(RecoveryCodes)
      .addError(Schema.Union(wire.validationFailed, wire.conflict, wire.rateLimited))
      .annotate(OpenApi.Summary, "Replace all recovery codes; requires a code and ends all other sessions")
  )
  .add(
    HttpApiEndpoint.del("disconnect_identity")`/me/identities/${HttpApiSchema.param("provider", Provider)}`
      .addSuccess(Schema.Struct({ provider: Provider, deleted: Schema.Literal(true) }))
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "Disconnect a Google or GitHub sign-in")
  )
  .add(
    HttpApiEndpoint.get("my_digests", "/me/digests")
      .addSuccess(all(MyDigest))
      .annotate(OpenApi.Summary, "List the weekly digests of my workspaces")
  )
  .add(
    HttpApiEndpoint.patch("update_my_digest")`/me/digests/${HttpApiSchema.param("id", WorkspaceId)}`
      .setPayload(Schema.Struct({ subscribed: Schema.Boolean }))
      .addSuccess(Schema.Struct({ id: WorkspaceId, subscribed: Schema.Boolean }))
      .addError(Schema.Union(wire.validationFailed, wire.notFound))
      .annotate(OpenApi.Summary, "Subscribe to the weekly digest of a workspace, or unsubscribe")
  )
  .add(
    HttpApiEndpoint.get("my_mails", "/me/mails")
      .addSuccess(all(CapturedMail))
      .annotate(OpenApi.Summary, "List emails captured because no mail server is configured")
  )
  .add(
    HttpApiEndpoint.get("my_mail")`/me/mails/${HttpApiSchema.param("id", MailId)}`
      .addSuccess(Schema.Struct({ ...CapturedMail.fields, text: Schema.String, html: Schema.String }))
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "Get a captured email")
  )
  .middleware(PersonAccess)
  .annotate(OpenApi.Exclude, true)
{}
