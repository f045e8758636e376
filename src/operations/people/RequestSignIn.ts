/** Sends sign-in links by email. */
import { Duration, Effect } from "effect"
import { signInRequests } from "../../../schema/api/parts/AddressLimit.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { localPath } from "../../domain/people/LocalPath.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { signInMail } from "../../notify/mail/SignInMail.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { KnownBrowsers } from "../../store/people/KnownBrowsers.ts"
import { SignInLinks } from "../../store/people/SignInLinks.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { tokenHash } from "../../store/Vault.ts"

const window = Duration.minutes(15)

/** A link lives as long as a window, so the newest that was mailed in this one stays valid until the next begins. */
const byEmail: RateLimit = {
  name: "sign-in-email",
  limit: 5,
  window,
  instead: "The newest sign-in link that was sent to this address works until then, unless it was used"
}

/** Strangers can use up the mails of any address, but not those of a browser in which its owner has signed in. */
const byBrowser: RateLimit = { ...byEmail, name: "sign-in-browser" }

export const signInPath = (token: string): string => `/auth/link/${token}`

interface SignInRequest {
  readonly email: EmailAddress
  /** Where to go after signing in; ignored unless it is a page of this service. */
  readonly next: string | null
  readonly ip: string
  /** The token by which the browser is known; undefined without one. */
  readonly browserToken: string | undefined
}

export class RequestSignIn extends Effect.Service<RequestSignIn>()("belltower/RequestSignIn", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const limits = yield* RateLimits
    const links = yield* SignInLinks
    const browsers = yield* KnownBrowsers
    const mails = yield* Mails
    const baseUrl = yield* BaseUrl
    const sendsMail = Effect.map(yield* MailMode, (mode) => mode === "sent")

    const counted = Effect.fn("RequestSignIn.counted")(function*({ browserToken, email, ip }: SignInRequest) {
      if (browserToken !== undefined && (yield* browsers.isOf(email, browserToken))) {
        return yield* limits.take(byBrowser, tokenHash(browserToken).toString("base64"))
      }
      yield* limits.take(signInRequests, ip)
      yield* limits.take(byEmail, email)
    })

    const mailLink = Effect.fn("RequestSignIn.mailLink")(function*(request: SignInRequest) {
      const { email, next } = request
      yield* counted(request)
      return yield* transaction(Effect.gen(function*() {
        const sent = yield* sendsMail
        const origin = sent ? "mailed" : "captured"
        const { expiresAt, token } = yield* links.create({ email, next: localPath(next), origin })
        yield* mails.send({
          workspaceId: null,
          priority: "urgent",
          to: email,
          expiresAt,
          mode: sent ? "sent" : "captured",
          ...signInMail(`${baseUrl}${signInPath(token)}`)
        })
        return sent
      }))
    })

    /** The path of a link that the holder of a claim link sees without a mail server; the same for an address that has an account. */
    const newcomerLink = Effect.fn("RequestSignIn.newcomerLink")(function*(email: EmailAddress, next: string, ip: string) {
      // No mail is sent, so the address is not counted: others could use it up.
      yield* limits.take(signInRequests, ip)
      const { token } = yield* links.create({ email, next: localPath(next), origin: "newcomer" })
      return signInPath(token)
    })

    return {
      /** Whether this deployment sends emails now; without a mail server it only keeps them. */
      sendsMail,
      /** Returns whether mail is sent, not captured. Known and unknown addresses behave the same. Fails with `rate_limited`. */
      mailLink,
      newcomerLink
    }
  })
}) {}
