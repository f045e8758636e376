/** Sends sign-in links by email. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Option } from "effect"
import { signInRequests } from "../../../schema/api/AddressLimit.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { localPath } from "../../domain/people/LocalPath.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { signInMail } from "../../notify/mail/SignInMail.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { SignInLinks } from "../../store/people/SignInLinks.ts"
import { Users } from "../../store/people/Users.ts"

const window = Duration.minutes(15)

/** Per email address. */
const byEmail: RateLimit = { name: "sign-in-email", limit: 5, window }

interface SignInRequest {
  readonly email: EmailAddress
  /** Where to go after signing in; ignored unless it is a page of this service. */
  readonly next: string | null
  /** The address of the client. */
  readonly ip: string
}

export class RequestSignIn extends Effect.Service<RequestSignIn>()("belltower/RequestSignIn", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const limits = yield* RateLimits
    const links = yield* SignInLinks
    const mails = yield* Mails
    const users = yield* Users
    const baseUrl = yield* BaseUrl
    const sendsMail = (yield* MailMode) === "sent"

    /** Queues an email with a new link; returns the link's path. */
    const prepare = Effect.fn("RequestSignIn.prepare")(function*(request: SignInRequest, newcomer: boolean) {
      const { email, ip, next } = request
      yield* limits.take(signInRequests, ip)
      yield* limits.take(byEmail, email)
      return yield* sql.withTransaction(Effect.gen(function*() {
        const { expiresAt, token } = yield* links.create({ email, next: localPath(next), mailed: sendsMail, newcomer })
        const path = `/auth/link/${token}`
        yield* mails.send({ workspaceId: null, to: email, expiresAt, ...signInMail(`${baseUrl}${path}`) })
        return path
      }))
    }, Effect.catchTag("SqlError", Effect.die))

    /**
     * Without a mail server, returns the link so it can be shown directly to the holder of a claim link. This lets the first
     * person of a deployment sign in, so it works only for an address without an account.
     */
    const newcomerLink = Effect.fn("RequestSignIn.newcomerLink")(function*(request: SignInRequest) {
      if (sendsMail) return Option.none<string>()
      const user = yield* users.findByEmail(request.email)
      const path = yield* prepare(request, Option.isNone(user))
      return Option.isNone(user) ? Option.some(path) : Option.none<string>()
    })

    return {
      /** Whether this deployment sends emails; without a mail server it only keeps them. */
      sendsMail,
      /**
       * Emails a sign-in link. Known and unknown addresses behave the same. Fails with `rate_limited` above the limits of the
       * email address and of the client.
       */
      mailLink: (request: SignInRequest) => Effect.asVoid(prepare(request, false)),
      newcomerLink
    }
  })
}) {}
