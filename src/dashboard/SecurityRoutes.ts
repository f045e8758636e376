/** A person's security pages: sessions, two-factor authentication, connected accounts. */
import { Effect, Option, Schema } from "effect"
import type { Conflict, RateLimited, Unauthorized, ValidationFailed } from "../../schema/Errors.ts"
import { optional, text } from "../../schema/Fields.ts"
import { SessionId } from "../../schema/Ids.ts"
import { Provider } from "../../schema/people/Person.ts"
import type { PersonIdentity } from "../../schema/people/PersonIdentity.ts"
import { PersonSecurity } from "../operations/people/PersonSecurity.ts"
import { PersonSessions } from "../operations/people/PersonSessions.ts"
import { ProviderSignIn } from "../operations/people/ProviderSignIn.ts"
import { SecondFactor } from "../operations/people/SecondFactor.ts"
import { form, requireSameOrigin } from "./Forms.ts"
import { RecoveryCodesPage, SecurityPage, SetUpPage } from "./html/SecurityPage.tsx"
import { show } from "./html/Shell.tsx"
import { pages } from "./PageRouter.ts"
import { param } from "./Parameters.ts"
import { goTo, shownFailure } from "./Reply.ts"
import { signedIn } from "./SignedIn.ts"
import { toProvider } from "./SignInRoutes.ts"

const here = "/app/security"

const failureText = (failure: ValidationFailed | Conflict | RateLimited) => {
  const { hint = "", message, status } = shownFailure(failure)
  return { status, wrong: `${message} ${hint}`.trim() }
}

const securityPage = Effect.fn("SecurityRoutes.security")(function*(person: PersonIdentity, wrong?: string, status = 200) {
  const security = yield* Effect.flatMap(PersonSecurity, ({ get }) => get(person))
  const { providers } = yield* ProviderSignIn
  const body = SecurityPage({ email: person.user.email, security, providers, wrong })
  return yield* show({ title: "Security", status, body })
})

const setUpPage = Effect.fn("SecurityRoutes.setUpPage")(function*(person: PersonIdentity, wrong?: string, status = 200) {
  const pending = yield* Effect.flatMap(SecondFactor, (factor) => factor.pending(person))
  if (Option.isNone(pending)) return goTo(here)
  const body = SetUpPage({ email: person.user.email, ...pending.value, wrong })
  return yield* show({ title: "Two-factor authentication", status, body })
})

const setUp = (person: PersonIdentity) =>
  Effect.flatMap(SecondFactor, (factor) => factor.setUp(person)).pipe(
    Effect.catchTag("conflict", () => Effect.void),
    Effect.as(goTo(`${here}/2fa`))
  )

const code = Effect.map(form(Schema.Struct({ code: optional(text(40)) })), (fields) => fields.code ?? "")

/** Runs `change` with the code from the form. */
const withCode = <A, E, R>(change: (factor: SecondFactor, given: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(code, (given) => Effect.flatMap(SecondFactor, (factor) => change(factor, given)))

const codesPage = ({ user }: PersonIdentity) => (codes: ReadonlyArray<string>) =>
  show({ title: "Recovery codes", body: RecoveryCodesPage({ codes, email: user.email }) })

const enable = (person: PersonIdentity) =>
  withCode((factor, given) => factor.enable(person, given)).pipe(
    Effect.flatMap(codesPage(person)),
    Effect.catchTags({
      validation_failed: (failure) => setUpPage(person, failureText(failure).wrong, 422),
      rate_limited: (failure) => setUpPage(person, failureText(failure).wrong, 429)
    })
  )

/** Shows a failure on the page with the form. */
const orShowFailure = <A, R>(
  person: PersonIdentity,
  done: Effect.Effect<A, ValidationFailed | Conflict | RateLimited | Unauthorized, R>
) => {
  const showFailure = (failure: ValidationFailed | Conflict | RateLimited) => {
    const { status, wrong } = failureText(failure)
    return securityPage(person, wrong, status)
  }
  return Effect.catchTags(done, { validation_failed: showFailure, conflict: showFailure, rate_limited: showFailure })
}

const disable = (person: PersonIdentity) =>
  withCode((factor, given) => orShowFailure(person, back(factor.disable(person, given))))

const replaceCodes = (person: PersonIdentity) =>
  withCode((factor, given) =>
    orShowFailure(person, Effect.flatMap(factor.replaceRecoveryCodes(person, given), codesPage(person)))
  )

const change = <A, E, R>(work: (person: PersonIdentity) => Effect.Effect<A, E, R>) =>
  signedIn((person) => Effect.zipRight(requireSameOrigin, work(person)))

const back = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.as(work, goTo(here))

const isSession = Schema.is(SessionId)

const end = Effect.fn("SecurityRoutes.end")(function*(person: PersonIdentity) {
  const id = yield* param("id")
  const sessions = yield* PersonSessions
  if (isSession(id)) yield* Effect.ignore(sessions.end(person, id))
  return goTo(here)
})

const endOthers = (person: PersonIdentity) => back(Effect.flatMap(PersonSessions, (sessions) => sessions.endOthers(person)))

const connect = (provider: Provider) => ({ userId }: PersonIdentity) => toProvider(provider, { next: here, connects: userId })

const disconnect = (provider: Provider) => (person: PersonIdentity) =>
  back(Effect.ignore(Effect.flatMap(PersonSecurity, (security) => security.disconnect(person, provider))))

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get(here, signedIn((person) => securityPage(person)))
    yield* router.post(`${here}/sessions/:id/end`, change(end), here)
    yield* router.post(`${here}/sessions/end-others`, change(endOthers), here)
    yield* router.get(`${here}/2fa`, signedIn((person) => setUpPage(person)))
    yield* router.post(`${here}/2fa/setup`, change(setUp), here)
    yield* router.post(`${here}/2fa/enable`, signedIn(enable), `${here}/2fa`)
    yield* router.post(`${here}/2fa/disable`, signedIn(disable), here)
    yield* router.post(`${here}/2fa/recovery-codes`, signedIn(replaceCodes), here)
    for (const provider of Provider.literals) {
      yield* router.post(`${here}/identities/${provider}/connect`, change(connect(provider)), here)
      yield* router.post(`${here}/identities/${provider}/disconnect`, change(disconnect(provider)), here)
    }
  })
)
