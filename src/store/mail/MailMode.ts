/** Whether mail is sent or only stored, which depends on whether a mail server is configured. */
import { Context } from "effect"

/** `captured`: without a mail server, mail is stored and read inside the product. */
export class MailMode extends Context.Reference<MailMode>()("belltower/MailMode", {
  defaultValue: (): "sent" | "captured" => "captured"
}) {}
