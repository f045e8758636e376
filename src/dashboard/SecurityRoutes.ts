/** A person's security as pages: sessions, second factor, connected accounts. */
import { Effect, Option, Schema } from "effect"
import { Person } from "../../schema/api/PersonAccess.ts"
import type { Conflict, RateLimited, Unauthorized, ValidationFailed } from "../../schema/Errors.ts"
import { optional, text } from "../../schema/Fields.ts"
import { SessionId } from "../../schema/Ids.ts"
import { Provider } from "../../schema/people/Person.ts"
import {
  disableSecondFactor,
  disconnectIdentity,
  enableSecondFactor,
  endOtherSessions,
  endSession,
  pendingSecondFactor,
  replaceRecoveryCodes,
  security,
  setUpSecondFactor
} from "../http/people/Security.ts"
import { form, ours } from "./Forms.ts"
import { RecoveryCodesPage, SecurityPage, SetUpPage } from "./html/SecurityPage.tsx"
import { show } from "./html/Shell.tsx"
import { pages } from "./PageRouter.ts"
import { goTo, told } from "./Reply.ts"
import { signedIn } from "./SignedIn.ts"
import { configuredProviders, param, toProvider } from "./SignInRoutes.ts"

const here = "/app/security"

const words = (failure: ValidationFailed | Conflict | RateLimited) => {
  const { hint = "", message, status } = told(failure)
  return { status, wrong: `${message} ${hint}`.trim() }
}

const securityPage = (wrong?: string, status = 200) =>
  Effect.gen(function*() {
    const { user } = yield* Person
    const body = SecurityPage({ email: user.email, security: yield* security(), providers: yield* configuredProviders, wrong })
    return yield* show({ title: "Security", status, body })
  })

const setUpPage = (wrong?: string, status = 200) =>
  Effect.gen(function*() {
    const { user } = yield* Person
    const pending = yield* pendingSecondFactor()
    if (Option.isNone(pending)) return goTo(here)
    return yield* show({ title: "Second factor", status, body: SetUpPage({ email: user.email, ...pending.value, wrong }) })
  })

const setUp = Effect.as(Effect.catchTag(setUpSecondFactor(), "conflict", () => Effect.void), goTo(`${here}/2fa`))

const code = Effect.map(form(Schema.Struct({ code: optional(text(40)) })), (fields) => fields.code ?? "")

const codesPage = (codes: ReadonlyArray<string>) =>
  Effect.flatMap(Person, ({ user }) => show({ title: "Recovery codes", body: RecoveryCodesPage({ codes, email: user.email }) }))

const enable = code.pipe(
  Effect.flatMap(enableSecondFactor),
  Effect.flatMap(codesPage),
  Effect.catchTags({
    validation_failed: (failure) => setUpPage(words(failure).wrong, 422),
    rate_limited: (failure) => setUpPage(words(failure).wrong, 429)
  })
)

/** What was wrong is told where it was typed. */
const orWhy = <A, R>(done: Effect.Effect<A, ValidationFailed | Conflict | RateLimited | Unauthorized, R>) => {
  const why = (failure: ValidationFailed | Conflict | RateLimited) => {
    const { status, wrong } = words(failure)
    return securityPage(wrong, status)
  }
  return Effect.catchTags(done, { validation_failed: why, conflict: why, rate_limited: why })
}

const change = <A, E, R>(work: Effect.Effect<A, E, R>) => signedIn(Effect.zipRight(ours, work))

const back = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.as(work, goTo(here))

const isSession = Schema.is(SessionId)

const end = Effect.gen(function*() {
  const id = yield* param("id")
  if (isSession(id)) yield* Effect.ignore(endSession(id))
  return goTo(here)
})

const connect = (provider: Provider) =>
  Effect.flatMap(Person, ({ userId }) => toProvider(provider, { next: here, connects: userId }))

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get(here, signedIn(securityPage()))
    yield* router.post(`${here}/sessions/:id/end`, change(end))
    yield* router.post(`${here}/sessions/end-others`, change(back(endOtherSessions())))
    yield* router.get(`${here}/2fa`, signedIn(setUpPage()))
    yield* router.post(`${here}/2fa/setup`, change(setUp))
    yield* router.post(`${here}/2fa/enable`, signedIn(enable))
    yield* router.post(
      `${here}/2fa/disable`,
      signedIn(code.pipe(Effect.flatMap((given) => orWhy(back(disableSecondFactor(given))))))
    )
    yield* router.post(
      `${here}/2fa/recovery-codes`,
      signedIn(code.pipe(Effect.flatMap((given) => orWhy(Effect.flatMap(replaceRecoveryCodes(given), codesPage)))))
    )
    for (const provider of Provider.literals) {
      yield* router.post(`${here}/identities/${provider}/connect`, change(connect(provider)))
      yield* router.post(
        `${here}/identities/${provider}/disconnect`,
        change(back(Effect.ignore(disconnectIdentity(provider))))
      )
    }
  })
)
