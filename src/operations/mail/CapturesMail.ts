/** Whether mail is captured now, for surfaces that say so on every page. */
import { Context, Effect } from "effect"
import { MailMode } from "../../store/mail/MailMode.ts"

/** Read by requests. Default: as if a mail server were set. */
export class CapturesMail extends Context.Reference<CapturesMail>()("belltower/CapturesMail", {
  defaultValue: (): Effect.Effect<boolean> => Effect.succeed(false)
}) {}

/** The value for requests, by the mode of the deployment. */
export const capturesMail = Effect.map(MailMode, (mode) => Effect.map(mode, (now) => now === "captured"))
