/** Whether mail leaves this deployment or is only kept, which follows from whether a mail server is configured. */
import { Context } from "effect"

/** `captured`: there is no mail server; mail is kept and read inside the product. */
export class MailMode extends Context.Reference<MailMode>()("belltower/MailMode", {
  defaultValue: (): "sent" | "captured" => "captured"
}) {}
