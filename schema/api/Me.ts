/** What a signed-in person does about themselves; with a session cookie alone. (Specification: Dashboard-only endpoints.) */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { name, optional, text } from "../Fields.ts"
import { MailId, SessionId, WorkspaceId } from "../Ids.ts"
import { CapturedMail, ContactProfile, ContactUpdate, EmailAddress, MyWorkspace, Provider, Security } from "../people/Person.ts"
import { User } from "../people/User.ts"
import { PersonAccess } from "./PersonAccess.ts"

/** A code of the authenticator app, or a recovery code where there are any. */
const Code = Schema.Struct({ code: text(40) })

/** Shown this once. */
const RecoveryCodes = Schema.Struct({ recoveryCodes: Schema.Array(Schema.String) })

/** The way in, for whoever has no session yet, and the way out. Not for keys, so in neither the document nor MCP. */
export class SignIn extends HttpApiGroup.make("Sign-in")
  .add(
    HttpApiEndpoint.post("request_sign_in", "/auth/email")
      .setPayload(Schema.Struct({
        email: EmailAddress,
        next: optional(text(500).annotations({ description: "The page of this service to go to then, such as /app" }))
      }))
      .addSuccess(Schema.Struct({ sent: Schema.Literal(true) }), { status: 202 })
      .addError(wire.validationFailed)
      .addError(wire.rateLimited)
      .annotate(OpenApi.Summary, "Mail a link to sign in with; the answer is the same whether or not the address is known")
  )
  .add(
    HttpApiEndpoint.post("sign_out", "/auth/sign-out")
      .addSuccess(Schema.Struct({ signedOut: Schema.Literal(true) }))
      .addError(wire.forbidden)
      .annotate(OpenApi.Summary, "End the session of the cookie")
  )
  .annotate(OpenApi.Exclude, true)
{}

const two = "Second factor: "

export class Me extends HttpApiGroup.make("Me")
  .add(
    HttpApiEndpoint.get("me", "/me")
      .addSuccess(Schema.Struct({ user: User, workspace: Schema.NullOr(MyWorkspace) }))
      .annotate(OpenApi.Summary, "Tell who is signed in, and the current workspace")
  )
  .add(
    HttpApiEndpoint.get("my_workspaces", "/me/workspaces")
      .addSuccess(Schema.Struct({ data: Schema.Array(MyWorkspace), next: Schema.Null }))
      .annotate(OpenApi.Summary, "List the workspaces one belongs to")
  )
  .add(
    HttpApiEndpoint.post("create_my_workspace", "/me/workspaces")
      .setPayload(Schema.Struct({ name: name(80) }))
      .addSuccess(MyWorkspace, { status: 201 })
      .addError(wire.validationFailed)
      .addError(wire.rateLimited)
      .annotate(OpenApi.Summary, "Create a workspace, own it, and switch to it")
  )
  .add(
    HttpApiEndpoint.post("switch_workspace")`/me/workspaces/${HttpApiSchema.param("id", WorkspaceId)}/switch`
      .addSuccess(MyWorkspace)
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "Make a workspace the current one of this session")
  )
  .add(
    HttpApiEndpoint.get("my_contact", "/me/contact")
      .addSuccess(ContactProfile)
      .annotate(OpenApi.Summary, "Get how one is reached when paged")
  )
  .add(
    HttpApiEndpoint.patch("update_my_contact", "/me/contact")
      .setPayload(ContactUpdate)
      .addSuccess(ContactProfile)
      .addError(wire.validationFailed)
      .annotate(OpenApi.Summary, "Change how one is reached; null clears")
  )
  .add(
    HttpApiEndpoint.get("my_security", "/me/security")
      .addSuccess(Security)
      .annotate(OpenApi.Summary, "List sessions, second factor and connected accounts")
  )
  .add(
    HttpApiEndpoint.del("end_my_session")`/me/sessions/${HttpApiSchema.param("id", SessionId)}`
      .addSuccess(Schema.Struct({ id: SessionId, deleted: Schema.Literal(true) }))
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "End one of one's sessions")
  )
  .add(
    HttpApiEndpoint.post("end_my_other_sessions", "/me/sessions/revoke-others")
      .addSuccess(Schema.Struct({ revoked: Schema.Int }))
      .annotate(OpenApi.Summary, "End all sessions but this")
  )
  .add(
    HttpApiEndpoint.post("set_up_second_factor", "/me/2fa/setup")
      .addSuccess(Schema.Struct({ secret: Schema.String, uri: Schema.String, qrSvg: Schema.String }))
      .addError(wire.conflict)
      .annotate(OpenApi.Summary, `${two}get a secret for an authenticator app; enable switches it on`)
  )
  .add(
    HttpApiEndpoint.post("enable_second_factor", "/me/2fa/enable")
      .setPayload(Code)
      .addSuccess(RecoveryCodes)
      .addError(wire.validationFailed)
      .addError(wire.conflict)
      .addError(wire.rateLimited)
      .annotate(OpenApi.Summary, `${two}switch it on with a first code; ends all other sessions`)
  )
  .add(
    HttpApiEndpoint.post("disable_second_factor", "/me/2fa/disable")
      .setPayload(Code)
      .addSuccess(Schema.Struct({ enabled: Schema.Literal(false) }))
      .addError(wire.validationFailed)
      .addError(wire.conflict)
      .addError(wire.rateLimited)
      .annotate(OpenApi.Summary, `${two}switch it off with a code or a recovery code; ends all other sessions`)
  )
  .add(
    HttpApiEndpoint.post("replace_recovery_codes", "/me/2fa/recovery-codes")
      .setPayload(Code)
      .addSuccess(RecoveryCodes)
      .addError(wire.validationFailed)
      .addError(wire.conflict)
      .addError(wire.rateLimited)
      .annotate(OpenApi.Summary, `${two}replace all recovery codes; needs a code; ends all other sessions`)
  )
  .add(
    HttpApiEndpoint.del("disconnect_identity")`/me/identities/${HttpApiSchema.param("provider", Provider)}`
      .addSuccess(Schema.Struct({ provider: Provider, deleted: Schema.Literal(true) }))
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "Disconnect a Google or GitHub sign-in")
  )
  .add(
    HttpApiEndpoint.get("my_mails", "/me/mails")
      .addSuccess(Schema.Struct({ data: Schema.Array(CapturedMail), next: Schema.Null }))
      .annotate(OpenApi.Summary, "List the mails that were kept because there is no mail server")
  )
  .add(
    HttpApiEndpoint.get("my_mail")`/me/mails/${HttpApiSchema.param("id", MailId)}`
      .addSuccess(Schema.Struct({ ...CapturedMail.fields, text: Schema.String, html: Schema.String }))
      .addError(wire.notFound)
      .annotate(OpenApi.Summary, "Read one of them")
  )
  .middleware(PersonAccess)
  .annotate(OpenApi.Exclude, true)
{}
