/** The deployment's mail server. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { MailServerInput, MailServerState, MailTest, MailTestInput } from "../mail/MailServer.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { ReachesOut } from "./parts/Hints.ts"

const forOperator =
  "Only for the operator: a person whose session was started by a link that the server printed for them. API keys " +
  "are refused with forbidden, and conflict is the answer while SMTP_URL sets the mail server."

export class MailServerGroup extends HttpApiGroup.make("Mail server")
  .annotate(OpenApi.Description, "The mail server that sends the mail of this installation, for all its workspaces.")
  .add(
    HttpApiEndpoint.get("get_mail_server", "/mail-server")
      .addSuccess(MailServerState)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get how mail is sent")
  )
{}

/** No key can call these: an operator's key could redirect the sign-in mail of every workspace. */
export class MailServerSetupGroup extends HttpApiGroup.make("Mail server setup")
  .annotate(OpenApi.Exclude, true)
  .add(
    HttpApiEndpoint.put("set_mail_server", "/me/mail-server")
      .setPayload(MailServerInput)
      .addSuccess(MailServerState)
      .addError(Schema.Union(wire.validationFailed, wire.conflict, wire.rateLimited))
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(OpenApi.Summary, "Set the mail server")
      .annotate(
        OpenApi.Description,
        `${forOperator} All processes use it within seconds. Mail that was captured before stays captured; only new mail is sent.`
      )
  )
  .add(
    HttpApiEndpoint.del("remove_mail_server", "/me/mail-server")
      .addSuccess(MailServerState)
      .addError(wire.conflict)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Remove the mail server, so that mail is captured")
      .annotate(OpenApi.Description, `${forOperator} Mail that still waits is sent if a mail server is set before it expires.`)
  )
  .add(
    HttpApiEndpoint.post("test_mail_server", "/me/mail-server/test")
      .setPayload(MailTestInput)
      .addSuccess(MailTest)
      .addError(Schema.Union(wire.validationFailed, wire.rateLimited))
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(OpenApi.Summary, "Send a test mail and return the mail server's answer")
      .annotate(
        OpenApi.Description,
        "Only for the operator. Tests the settings in the body without saving them, or the mail server in use. Answers within 20 seconds."
      )
  )
{}
