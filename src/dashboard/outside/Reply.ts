/** How dashboard pages respond: with a page, a redirect or a failure page. */
import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Cause, Effect, Option, Schema } from "effect"
import { type Failure, NotFound, RateLimited, statusOf, Unauthorized, ValidationFailed } from "../../../schema/Errors.ts"
import { ProviderRefused } from "../../external/oauth/SignInProvider.ts"
import { failureOf } from "../../http/server/Envelope.ts"
import { goTo, postedText, requireSameOrigin } from "../Forms.ts"
import { show } from "./Frame.tsx"
import { DeadLink, FailurePage, type KeptForm, SignedOutPage } from "./Messages.tsx"

/** A failure as a page shows it. */
export interface ShownFailure {
  readonly status: number
  readonly message: string
  readonly hint?: string | undefined
}

const waitOf = Schema.decodeUnknownOption(Schema.Struct({
  retryAfterSec: Schema.Number,
  instead: Schema.optional(Schema.String)
}))

const inWords = (amount: number, unit: "second" | "minute"): string =>
  new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" }).format(amount)

const tooMany = (failure: RateLimited): ShownFailure => ({
  status: statusOf(failure),
  message: "Too many attempts.",
  hint: Option.match(waitOf(failure.details), {
    onNone: () => "Try again later.",
    onSome: ({ instead, retryAfterSec: wait }) =>
      `Try again in ${wait < 60 ? inWords(wait, "second") : inWords(Math.ceil(wait / 60), "minute")}.${
        instead === undefined ? "" : ` ${instead}.`
      }`
  })
})

/** The problems of the fields, unless the message states them. */
const fieldHint = ({ details = [], message: said }: ValidationFailed): string | undefined => {
  const issues = details.filter(({ message }) => message !== said)
  return issues.length === 0 ? undefined : issues.map(({ message }) => `${message}.`).join(" ")
}

const hintOf = (failure: Failure): string | undefined => {
  if (failure instanceof Unauthorized) return undefined
  const said = failure.hint === undefined ? undefined : `${failure.hint}.`
  return said ?? (failure instanceof ValidationFailed ? fieldHint(failure) : undefined)
}

export const shownFailure = (failure: Failure): ShownFailure =>
  failure instanceof RateLimited
    ? tooMany(failure)
    : { status: statusOf(failure), message: `${failure.message}.`, hint: hintOf(failure) }

/** The sign-in page, which returns to `next` afterwards. */
export const signInPath = (next: string | null): string =>
  next === null || next === "/app" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`

/** The address of the form in the request, which opened again leads to the form; null if another site sent it. */
const formAddress = Effect.gen(function*() {
  // The address that the browser sent to, also while a view is shown in answer to a form.
  const { method, originalUrl } = yield* HttpServerRequest.HttpServerRequest
  if (method !== "POST") return null
  yield* requireSameOrigin
  return originalUrl
}).pipe(Effect.catchAll(() => Effect.succeed(null)))

/**
 * The form at an address; null if there are no fields to keep. The forms before the sign-in have codes and passwords only, which are
 * of no use later.
 */
const keptForm = Effect.fn("Reply.keptForm")(function*(action: string | null) {
  if (action?.startsWith("/app/") !== true) return null
  const text = yield* postedText()
  return text === "" ? null : { action, fields: [...new URLSearchParams(text)] } satisfies KeptForm
}, Effect.catchAll(() => Effect.succeed(null)))

const responseTo = (failure: Failure) =>
  Effect.gen(function*() {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    if (failure instanceof Unauthorized && method === "GET") return goTo(signInPath(url))
    const address = yield* formAddress
    const kept = yield* keptForm(address)
    if (failure instanceof Unauthorized) {
      return kept === null
        ? goTo(signInPath(address))
        : yield* show({ title: "You are signed out", status: 401, body: SignedOutPage(kept) })
    }
    const page = shownFailure(failure)
    return yield* show({ title: "Error", status: page.status, body: FailurePage({ ...page, kept }) })
  })

/** Shows that a link is invalid, with a page to go to. */
export const orDeadLink = (next: readonly [path: string, label: string]) => <A, E, R>(page: Effect.Effect<A, E, R>) =>
  Effect.catchIf(page, (failure) => failure instanceof NotFound, (failure) => {
    const { hint, message, status } = shownFailure(failure)
    return show({ title: "This link does not work", status, body: DeadLink({ message, hint, next }) })
  })

/** Turns the failures of a page handler into a failure page, or into a redirect to the sign-in page. */
export const answered = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.catchAllCause(handler, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
    const [failure] = Cause.failures(cause)
    if (failure instanceof ProviderRefused) {
      return Effect.zipRight(
        Effect.logInfo(`Provider sign-in failed: ${failure.reason}`),
        show({ title: "Sign-in failed", status: 403, body: FailurePage({ status: 403, message: failure.message }) })
      )
    }
    return Effect.flatMap(failureOf(cause), responseTo)
  })
