/** Limits calls without a key by the address of their client, before their body is read. */
import { type HttpRouter, HttpServerRequest, HttpServerRespondable, type HttpServerResponse } from "@effect/platform"
import { Effect, Exit } from "effect"
import type { AddressRate } from "../../../schema/api/AddressLimit.ts"
import type { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { clientAddress } from "../request/ClientAddress.ts"
import { bytesRead } from "../request/RequestBody.ts"

export type RouteHandler = HttpRouter.Route<unknown, HttpRouter.HttpRouter.DefaultServices>["handler"]

const lengthOf = ({ headers }: HttpServerRequest.HttpServerRequest): number | null =>
  headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : null

const isAccepted = (outcome: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): boolean =>
  Exit.isSuccess(outcome) && outcome.value.status < 400

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>

interface PublicAdmission<R> {
  readonly rate: AddressRate | null
  /** Whether the answer shows that the input was valid. MCP answers 200 to everything. */
  readonly isAccepted?: typeof isAccepted
  /** The answer for a client that may not send another; without one it is refused. */
  readonly overBudget?: Answer<R>
}

/** Answers a request that needs no key, if its client may send another. */
export const admittedPublicly = <R>(
  calls: PublicCalls,
  { isAccepted: accepts = isAccepted, overBudget, rate }: PublicAdmission<R>,
  request: HttpServerRequest.HttpServerRequest,
  answer: Answer<R>
): Answer<R> =>
  Effect.matchEffect(calls.admit({ address: clientAddress(request), bytes: lengthOf(request), rate }), {
    onFailure: (refusal) => overBudget ?? Effect.fail(refusal),
    onSuccess: (settle) => Effect.onExit(answer, (outcome) => settle(bytesRead(request), accepts(outcome)))
  })

/** `overBudget` answers instead of the handler, for the same route. */
export const publicAdmission = (
  calls: PublicCalls,
  { overBudget, ...options }: Omit<PublicAdmission<never>, "overBudget"> & { readonly overBudget?: RouteHandler }
) =>
(handler: RouteHandler): RouteHandler => {
  const answerOf = Effect.flatMap(HttpServerRespondable.toResponse)
  const otherwise = overBudget === undefined ? {} : { overBudget: answerOf(overBudget) }
  return Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => admittedPublicly(calls, { ...options, ...otherwise }, request, answerOf(handler))
  )
}
