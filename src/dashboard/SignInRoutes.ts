/** The pages on the way in and out, each a plain form over what the interface does. */
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option, Schema, Struct } from "effect"
import { optional, text } from "../../schema/Fields.ts"
import { EmailAddress, Provider } from "../../schema/people/Person.ts"
import { localPath } from "../domain/people/LocalPath.ts"
import { SignInProviders } from "../external/oauth/SignInProvider.ts"
import { currentPerson } from "../http/guard/CurrentPerson.ts"
import { cookieOptions, sessionToken, withoutSession, withSession } from "../http/guard/SessionCookie.ts"
import { beginProviderSignIn, errandCookie, errandLifetime, finishProviderSignIn } from "../http/people/ProviderSignIn.ts"
import { home, passSecondFactor, redeemLink, requestSignIn, signOut } from "../http/people/SignIn.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { MailMode } from "../store/mail/MailMode.ts"
import { Sessions } from "../store/people/Sessions.ts"
import { SignInLinks } from "../store/people/SignInLinks.ts"
import { form, ours } from "./Forms.ts"
import { show } from "./html/Shell.tsx"
import { CheckMailPage, DeadLinkPage, LinkPage, SecondFactorPage, SignInPage } from "./html/SignInPages.tsx"
import { pages } from "./PageRouter.ts"
import { goTo, told } from "./Reply.ts"

/** A value of the query. */
export const asked = (name: string) =>
  Effect.map(HttpServerRequest.ParsedSearchParams, (query) => {
    const value = query[name]
    return typeof value === "string" ? value : null
  })

export const param = (name: string) => Effect.map(HttpRouter.params, (params) => params[name] ?? "")

export const configuredProviders = Effect.map(SignInProviders, (providers) => Struct.keys(providers))

/** How one can sign in here. */
export const waysIn = (next: string | null, wrong?: string) =>
  Effect.gen(function*() {
    return { providers: yield* configuredProviders, mails: (yield* MailMode) === "sent", next, wrong }
  })

/** What a form posts is shown in it again when it is wrong. */
const typedEmail = Schema.Struct({ email: EmailAddress, next: optional(text(500)) })

const signInPage = Effect.gen(function*() {
  const next = localPath(yield* asked("next"))
  if (Option.isSome(yield* currentPerson)) return goTo(next ?? home)
  return yield* show({ title: "Sign in", body: SignInPage(yield* waysIn(next)) })
})

export const checkMail = (email: string) =>
  Effect.flatMap(
    MailMode,
    (mode) => show({ title: "Look into your mail", body: CheckMailPage({ email, sent: mode === "sent" }) })
  )

const askForLink = form(typedEmail).pipe(
  Effect.flatMap(({ email, next }) => Effect.zipRight(requestSignIn({ email, next: next ?? null }), checkMail(email))),
  Effect.catchTag(
    "validation_failed",
    () =>
      Effect.flatMap(
        waysIn(null, "That is no email address."),
        (ways) => show({ title: "Sign in", status: 422, body: SignInPage(ways) })
      )
  )
)

const deadLink = show({ title: "This link does not work", status: 404, body: DeadLinkPage() })

const linkPage = Effect.gen(function*() {
  const token = yield* param("token")
  const link = yield* Effect.flatMap(SignInLinks, (links) => links.look(token))
  if (Option.isNone(link)) return yield* deadLink
  const person = yield* currentPerson
  const instead = Option.getOrNull(Option.map(person, ({ user }) => user.email))
  return yield* show({ title: "Sign in", body: LinkPage({ email: link.value.email, token, instead }) })
})

const secondStep = (next: string) =>
  next === home ? "/auth/second-factor" : `/auth/second-factor?next=${encodeURIComponent(next)}`

const entered = (session: { readonly token: string; readonly awaitsSecondFactor: boolean }, next: string) =>
  Effect.map(
    BaseUrl,
    (baseUrl) => withSession(session.token, baseUrl)(goTo(session.awaitsSecondFactor ? secondStep(next) : next))
  )

const useLink = Effect.gen(function*() {
  yield* ours
  const session = yield* redeemLink(yield* param("token"))
  return Option.isSome(session) ? yield* entered(session.value, session.value.next) : yield* deadLink
})

const isWaiting = Effect.gen(function*() {
  const token = sessionToken(yield* HttpServerRequest.HttpServerRequest, yield* BaseUrl)
  if (token === undefined) return false
  return Option.isSome(yield* Effect.flatMap(Sessions, (sessions) => sessions.findWaiting(token)))
})

const secondFactorPage = Effect.gen(function*() {
  const next = localPath(yield* asked("next"))
  if (!(yield* isWaiting)) return goTo(Option.isSome(yield* currentPerson) ? next ?? home : "/sign-in")
  return yield* show({ title: "One more step", body: SecondFactorPage({ next }) })
})

const passStep = Effect.gen(function*() {
  const { code = "", next } = yield* form(Schema.Struct({ code: optional(text(40)), next: optional(text(500)) }))
  const target = localPath(next)
  return yield* passSecondFactor(code).pipe(
    Effect.flatMap((token) => entered({ token, awaitsSecondFactor: false }, target ?? home)),
    Effect.catchTag("validation_failed", (failure) => {
      const { hint = "", message, status } = told(failure)
      return show({ title: "One more step", status, body: SecondFactorPage({ next: target, wrong: `${message} ${hint}` }) })
    })
  )
})

const leave = Effect.gen(function*() {
  yield* ours
  yield* signOut()
  return withoutSession(yield* BaseUrl)(goTo("/sign-in"))
})

const begin = (provider: Provider) =>
  Effect.gen(function*() {
    yield* ours
    return yield* toProvider(provider, { next: yield* asked("next"), connects: null })
  })

/** Sends the browser to a provider with what it must bring back. */
export const toProvider = (provider: Provider, errand: Parameters<typeof beginProviderSignIn>[1]) =>
  Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const { cookie, url } = yield* beginProviderSignIn(provider, errand)
    return HttpServerResponse.unsafeSetCookie(goTo(url), errandCookie(baseUrl), cookie, {
      ...cookieOptions(baseUrl),
      maxAge: errandLifetime
    })
  })

const comeBack = (provider: Provider) =>
  Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const { next, session } = yield* finishProviderSignIn(provider)
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
    // The button is there: to follow a link signs nobody out.
    yield* router.get("/sign-out", Effect.succeed(goTo(home)))
    for (const provider of Provider.literals) {
      yield* router.post(`/auth/${provider}`, begin(provider))
      yield* router.get(`/auth/${provider}/callback`, comeBack(provider))
    }
  })
)
