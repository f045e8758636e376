/** The sign-in and sign-out pages: plain forms over operations. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { optional, text } from "../../../schema/Fields.ts"
import { EmailAddress, Provider } from "../../../schema/people/Person.ts"
import { home, localPath } from "../../domain/people/LocalPath.ts"
import { currentPerson } from "../../http/guard/CurrentPerson.ts"
import { cookieOptions, hostCookie, sessionToken, withoutSession, withSession } from "../../http/guard/SessionCookie.ts"
import { visitorOf } from "../../http/people/RequestVisitor.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { PersonSessions } from "../../operations/people/PersonSessions.ts"
import { errandLifetime, type ProviderErrand, ProviderSignIn } from "../../operations/people/ProviderSignIn.ts"
import { RequestSignIn } from "../../operations/people/RequestSignIn.ts"
import { SignIn } from "../../operations/people/SignIn.ts"
import { form, goTo, postedText, requireSameOrigin } from "../Forms.ts"
import { signedIn } from "../SignedIn.ts"
import { show } from "./Frame.tsx"
import { pages, param, queryParam } from "./PageRouter.ts"
import { shownFailure, signInPath } from "./Reply.ts"
import { CheckMailPage, DeadLinkPage, LinkPage, SecondFactorPage, SignInPage } from "./SignInPages.tsx"

const securityPath = "/app/security"

export const visitor = Effect.zipWith(HttpServerRequest.HttpServerRequest, BaseUrl, visitorOf)

const ownSession = Effect.zipWith(HttpServerRequest.HttpServerRequest, BaseUrl, sessionToken)

/** A field of the form in the request, as it was sent. */
export const typed = (name: string) => Effect.map(postedText(), (text) => new URLSearchParams(text).get(name) ?? undefined)

export const wrongAddress = "Enter a valid email address."

/** With what was `wrong`, the form keeps the address that was typed. */
export const waysIn = Effect.fn("SignInRoutes.waysIn")(function*(next: string | null, wrong?: string) {
  const { providers } = yield* ProviderSignIn
  const { sendsMail } = yield* RequestSignIn
  return { providers, mails: yield* sendsMail, next, wrong, email: wrong === undefined ? undefined : yield* typed("email") }
})

const signInPage = Effect.gen(function*() {
  const next = localPath(yield* queryParam("next"))
  if (Option.isSome(yield* currentPerson)) return goTo(next ?? home)
  return yield* show({ title: "Sign in", body: SignInPage(yield* waysIn(next)) })
})

export const mailLink = Effect.fn("SignInRoutes.mailLink")(function*(email: EmailAddress, next: string | null) {
  const signIn = yield* RequestSignIn
  const { browserToken, ip } = yield* visitor
  const sent = yield* signIn.mailLink({ email, next, ip, browserToken })
  return yield* show({
    title: sent ? "Check your email" : "Your link was captured, not sent",
    body: CheckMailPage({ email, sent, again: signInPath(next) })
  })
})

const askForLink = form(Schema.Struct({ email: EmailAddress, next: optional(text(500)) })).pipe(
  Effect.flatMap(({ email, next = null }) => mailLink(email, next)),
  Effect.catchTag(
    "validation_failed",
    () =>
      typed("next").pipe(
        Effect.flatMap((next) => waysIn(localPath(next), wrongAddress)),
        Effect.flatMap((ways) => show({ title: "Sign in", status: 422, body: SignInPage(ways) }))
      )
  )
)

const deadLink = show({ title: "This link is invalid or has expired", status: 404, body: DeadLinkPage() })

const linkPage = Effect.gen(function*() {
  const token = yield* param("token")
  const link = yield* Effect.flatMap(SignIn, ({ look }) => look(token))
  if (Option.isNone(link)) return yield* deadLink
  const person = yield* currentPerson
  const instead = Option.getOrNull(Option.map(person, ({ user }) => user.email))
  return yield* show({ title: "Sign in", body: LinkPage({ ...link.value, token, instead }) })
})

const secondStep = (next: string) =>
  next === home ? "/auth/second-factor" : `/auth/second-factor?next=${encodeURIComponent(next)}`

interface Entered {
  readonly token: string
  readonly browser: string | null
  readonly awaitsSecondFactor: boolean
}

const entered = (session: Entered, next: string) =>
  Effect.map(BaseUrl, (baseUrl) => withSession(session, baseUrl)(goTo(session.awaitsSecondFactor ? secondStep(next) : next)))

const useLink = Effect.gen(function*() {
  const { account = null } = yield* form(Schema.Struct({ account: optional(Schema.Literal("keep", "remove")) }))
  const signIn = yield* SignIn
  const session = yield* signIn.redeem(yield* param("token"), yield* visitor, account)
  return Option.isSome(session) ? yield* entered(session.value, session.value.next) : yield* deadLink
})

const secondFactorPage = Effect.gen(function*() {
  const next = localPath(yield* queryParam("next"))
  const signIn = yield* SignIn
  if (!(yield* signIn.isWaiting(yield* ownSession))) {
    return goTo(Option.isSome(yield* currentPerson) ? next ?? home : signInPath(next))
  }
  return yield* show({ title: "Two-factor authentication", body: SecondFactorPage({ next }) })
})

const passStep = Effect.gen(function*() {
  const { code = "", next } = yield* form(Schema.Struct({ code: optional(text(40)), next: optional(text(500)) }))
  const target = localPath(next)
  const signIn = yield* SignIn
  return yield* signIn.passSecondFactor(yield* visitor, code).pipe(
    Effect.flatMap((session) => entered({ ...session, awaitsSecondFactor: false }, target ?? home)),
    Effect.catchTags({
      unauthorized: () => Effect.succeed(goTo(signInPath(target))),
      validation_failed: (failure) => {
        const { hint = "", message, status } = shownFailure(failure)
        return show({
          title: "Two-factor authentication",
          status,
          body: SecondFactorPage({ next: target, wrong: `${message} ${hint}` })
        })
      }
    })
  )
})

const leave = Effect.gen(function*() {
  yield* requireSameOrigin
  const sessions = yield* PersonSessions
  yield* sessions.signOut(yield* ownSession)
  return withoutSession(yield* BaseUrl)(goTo(localPath(yield* typed("next")) ?? "/sign-in"))
})

const begin = (provider: Provider) =>
  Effect.gen(function*() {
    yield* requireSameOrigin
    return yield* toProvider(provider, { next: yield* queryParam("next"), connects: null })
  })

const errandCookie = (baseUrl: string): string => hostCookie(baseUrl, "belltower_errand")

/** Redirects the browser to a provider; the cookie carries the state that the callback checks. */
const toProvider = Effect.fn("SignInRoutes.toProvider")(function*(provider: Provider, errand: ProviderErrand) {
  const baseUrl = yield* BaseUrl
  const signIn = yield* ProviderSignIn
  const begun = yield* signIn.begin(provider, errand)
  return HttpServerResponse.unsafeSetCookie(goTo(begun.url), errandCookie(baseUrl), begun.errand, {
    ...cookieOptions(baseUrl),
    maxAge: errandLifetime
  })
})

/** Connects an account to the person, who comes back to the view with the button. */
const connect = (provider: Provider) =>
  signedIn(({ userId }) => Effect.zipRight(requireSameOrigin, toProvider(provider, { next: securityPath, connects: userId })))

const comeBack = (provider: Provider) =>
  Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const signIn = yield* ProviderSignIn
    const { cookies, url } = yield* HttpServerRequest.HttpServerRequest
    const search = url.includes("?") ? url.slice(url.indexOf("?")) : ""
    const returned = { errand: cookies[errandCookie(baseUrl)], search }
    const { next, session } = yield* signIn.finish(provider, returned, yield* visitor)
    const response = session === null ? goTo(next) : yield* entered(session, next)
    return HttpServerResponse.unsafeSetCookie(response, errandCookie(baseUrl), "", { ...cookieOptions(baseUrl), maxAge: 0 })
  })

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get("/sign-in", signInPage)
    yield* router.post("/sign-in", askForLink)
    yield* router.get("/auth/link/:token", linkPage)
    yield* router.post("/auth/link/:token", useLink)
    yield* router.get("/auth/second-factor", secondFactorPage)
    yield* router.post("/auth/second-factor", passStep)
    yield* router.post("/sign-out", leave)
    // GET must not sign anyone out; the page it redirects to has the button.
    yield* router.get("/sign-out", Effect.succeed(goTo(home)))
    for (const provider of Provider.literals) {
      yield* router.post(`/auth/${provider}`, begin(provider), "/sign-in")
      yield* router.get(`/auth/${provider}/callback`, comeBack(provider))
      yield* router.post(`${securityPath}/identities/${provider}/connect`, connect(provider), securityPath)
    }
  })
)
