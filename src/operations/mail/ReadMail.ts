/** Reads the emails that a deployment without a mail server keeps instead of sending. */
import { Effect, Option } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { MailId } from "../../../schema/Ids.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { Users } from "../../store/people/Users.ts"
import { foundOr } from "../NoSuch.ts"

const notFound = new NotFound({ message: "No such email in your mailbox", hint: "List your emails with GET /api/v1/me/mails" })

export class ReadMail extends Effect.Service<ReadMail>()("belltower/ReadMail", {
  effect: Effect.gen(function*() {
    const mails = yield* Mails
    const users = yield* Users
    const keepsMail = Effect.map(yield* MailMode, (mode) => mode === "captured")

    const get = Effect.fn("ReadMail.get")(({ userId }: PersonIdentity, id: MailId) =>
      foundOr(mails.read(userId, id), () => notFound)
    )

    return {
      keepsMail,
      /** Whether the person has proved the address, without which they do not read what is sent to it. */
      isProved: ({ userId }: PersonIdentity) => Effect.map(users.get(userId), Option.exists(({ proved }) => proved)),
      /** The newest 100 emails that the person may read. */
      list: ({ userId }: PersonIdentity) => mails.captured(userId),
      get
    }
  })
}) {}
