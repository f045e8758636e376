/** How people sign in and out: a link by mail, the second factor where it is on, and the end of a session. */
import { HttpServerRequest } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { Unauthorized, ValidationFailed } from "../../../schema/Errors.ts"
import type { SessionId, UserId } from "../../../schema/Ids.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { localPath } from "../../domain/people/LocalPath.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { signInMail } from "../../notify/mail/SignInMail.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { SecondFactors } from "../../store/people/SecondFactors.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { SignInLinks } from "../../store/people/SignInLinks.ts"
import { type UserRow, Users } from "../../store/people/Users.ts"
import { WorkspaceEntry } from "../../store/workspace/WorkspaceEntry.ts"
import { record } from "../guard/AuditedAction.ts"
import { secondFactorTries, signInByAddress, signInByEmail } from "../guard/Limits.ts"
import { sessionToken } from "../guard/SessionCookie.ts"
import { clientAddress } from "../request/ClientAddress.ts"

/** Where one is after signing in, unless one was on the way to somewhere else. */
export const home = "/app"

export interface SignInRequest {
  readonly email: EmailAddress
  /** Where to go then; what is no page of this service is passed over. */
  readonly next: string | null
}

/**
 * Mails a link to sign in with. What it does depends in nothing on whether the address is known. Fails beyond the limits of
 * the address of mail and that of the client.
 */
export const requestSignIn = (asked: SignInRequest) => Effect.asVoid(prepareLink(asked, false))

/**
 * Without a mail server: a link for whoever holds a claim of a workspace, shown to them at once. It is the way in for the
 * first person of a deployment, and it is good only for an address without an account; none for any other.
 */
export const newcomerLink = Effect.fn("SignIn.newcomerLink")(function*(asked: SignInRequest) {
  const mode = yield* MailMode
  if (mode === "sent") return Option.none()
  const user = yield* Effect.flatMap(Users, (users) => users.findByEmail(asked.email))
  const path = yield* prepareLink(asked, Option.isNone(user))
  return Option.isNone(user) ? Option.some(path) : Option.none()
})

const prepareLink = Effect.fn("SignIn.prepareLink")(function*(asked: SignInRequest, newcomer: boolean) {
  const { email } = asked
  const limits = yield* RateLimits
  const links = yield* SignInLinks
  const mails = yield* Mails
  const baseUrl = yield* BaseUrl
  const mode = yield* MailMode
  yield* limits.take(signInByAddress, clientAddress(yield* HttpServerRequest.HttpServerRequest))
  yield* limits.take(signInByEmail, email)
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(Effect.gen(function*() {
    const { expiresAt, token } = yield* links.create({ email, next: localPath(asked.next), mailed: mode === "sent", newcomer })
    const path = `/auth/link/${token}`
    yield* mails.send({ workspaceId: null, to: email, expiresAt, ...signInMail(`${baseUrl}${path}`) })
    return path
  }))
}, Effect.catchTag("SqlError", Effect.die))

/** A sign-in stands in the audit log of every workspace that it opens. */
const noted = Effect.fn("SignIn.noted")(function*(userId: UserId, sessionId: SessionId) {
  const workspaces = yield* Effect.flatMap(WorkspaceEntry, (joining) => joining.workspacesOf(userId))
  yield* Effect.forEach(
    workspaces,
    ({ id }) => record({ workspaceId: id, principal: { _tag: "User", userId, sessionId }, operation: "sign_in", target: userId }),
    {
      discard: true
    }
  )
})

/** Begins a session for a user who has shown who they are; the one that their browser had before ends. */
export const enter = Effect.fn("SignIn.enter")(function*(user: UserRow, via: string) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const sessions = yield* Sessions
  const before = sessionToken(request, yield* BaseUrl)
  if (before !== undefined) yield* sessions.endByToken(before)
  const userAgent = request.headers["user-agent"] ?? null
  const session = yield* sessions.create({ userId: user.id, via, ip: clientAddress(request), userAgent }, user.secondFactor)
  if (!user.secondFactor) yield* noted(user.id, session.id)
  return session
})

/** Uses a link: its user, made when new, gets a session. None when it was used before, is over, or never was. */
export const redeemLink = Effect.fn("SignIn.redeem")(function*(token: string) {
  const users = yield* Users
  const sql = yield* SqlClient.SqlClient
  const links = yield* SignInLinks
  return yield* sql.withTransaction(Effect.gen(function*() {
    const link = yield* links.redeem(token)
    if (Option.isNone(link)) return Option.none()
    const { email, mailed, newcomer, next } = link.value
    const user = newcomer ? yield* users.create(email) : Option.some(yield* users.ensure(email, mailed, null))
    if (Option.isNone(user)) return Option.none()
    const shown = mailed && !user.value.proved ? yield* users.prove(user.value.id) : user.value
    return Option.some({ ...(yield* enter(shown, "email")), next: next ?? home })
  }))
}, Effect.catchTag("SqlError", Effect.die))

const startAgain = new Unauthorized({ message: "This sign-in is over", hint: "Begin again at /sign-in" })

export const wrongCode = new ValidationFailed({
  message: "The code is wrong, or was used before",
  hint: "Wait for the next code of the app, or use a recovery code",
  details: [{ path: "code", message: "Not a code of this account at this time" }]
})

/** Takes the second step; returns the session's new token. A code is good for one sign-in. */
export const passSecondFactor = Effect.fn("SignIn.passSecondFactor")(function*(code: string) {
  const sessions = yield* Sessions
  const token = sessionToken(yield* HttpServerRequest.HttpServerRequest, yield* BaseUrl)
  const waiting = token === undefined ? Option.none() : yield* sessions.findWaiting(token)
  if (Option.isNone(waiting)) return yield* startAgain
  const { id, userId } = waiting.value
  yield* Effect.flatMap(RateLimits, (limits) => limits.take(secondFactorTries, userId))
  const passed = yield* Effect.flatMap(SecondFactors, (factors) => factors.pass(userId, code))
  if (!passed) return yield* wrongCode
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(Effect.zipRight(noted(userId, id), sessions.admit(id)))
}, Effect.catchTag("SqlError", Effect.die))

/** Ends the session that the request carries, if any. */
export const signOut = Effect.fn("SignIn.signOut")(function*() {
  const token = sessionToken(yield* HttpServerRequest.HttpServerRequest, yield* BaseUrl)
  if (token !== undefined) yield* Effect.flatMap(Sessions, (sessions) => sessions.endByToken(token))
})
