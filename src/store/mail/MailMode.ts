/** Whether mail is sent or only stored, which depends on whether a mail server is set. */
import { Context, Effect } from "effect"

/** `captured`: without a mail server, mail is stored and read inside the product. It changes while the program runs. */
export class MailMode extends Context.Reference<MailMode>()("belltower/MailMode", {
  defaultValue: (): Effect.Effect<"sent" | "captured"> => Effect.succeed("captured")
}) {}
