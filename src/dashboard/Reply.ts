/** How the pages for people answer: with a page, with the way to another, or with why not. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Cause, Effect } from "effect"
import { type Failure, RateLimited, statusOf, Unauthorized } from "../../schema/Errors.ts"
import { ProviderRefused } from "../external/oauth/SignInProvider.ts"
import { failureOf } from "../http/server/Envelope.ts"
import { FailurePage } from "./html/Messages.tsx"
import { show } from "./html/Shell.tsx"

type Response = HttpServerResponse.HttpServerResponse

/** After something was done: the browser asks for the page anew, so that going back does nothing twice. */
export const goTo = (path: string): Response =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location: path, "cache-control": "no-store", "referrer-policy": "same-origin" }
  })

/** What a person is told of a failure. */
export interface Told {
  readonly status: number
  readonly message: string
  readonly hint?: string | undefined
}

export const told = (failure: Failure): Told => ({
  status: statusOf(failure),
  message: failure instanceof RateLimited ? "That was too often." : `${failure.message}.`,
  hint: failure instanceof Unauthorized || failure.hint === undefined ? undefined : `${failure.hint}.`
})

/** The sign-in page, which leads back to where one was going. */
const signInPath = (next: string | null): string =>
  next === null || next === "/app" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`

const answerOf = (failure: Failure) =>
  Effect.gen(function*() {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    if (failure instanceof Unauthorized) return goTo(signInPath(method === "GET" ? url : null))
    const page = told(failure)
    return yield* show({ title: "Not done", status: page.status, body: FailurePage(page) })
  })

/** The page of a handler, or one that says why there is none. Whoever must be signed in for it is sent to do so. */
export const answered = <E, R>(handler: Effect.Effect<Response, E, R>) =>
  Effect.catchAllCause(handler, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
    const [failure] = Cause.failures(cause)
    if (failure instanceof ProviderRefused) {
      return Effect.zipRight(
        Effect.logInfo(`A sign-in with a provider came to nothing: ${failure.reason}`),
        show({ title: "Not signed in", status: 403, body: FailurePage({ status: 403, message: failure.message }) })
      )
    }
    return Effect.flatMap(failureOf(cause), answerOf)
  })
