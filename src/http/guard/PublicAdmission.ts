/** Limits calls without a key by the address of their client, before their body is read. */
import { type HttpRouter, HttpServerRequest, HttpServerRespondable, type HttpServerResponse } from "@effect/platform"
import { Effect, Exit } from "effect"
import type { AddressRate } from "../../../schema/api/parts/AddressLimit.ts"
import type { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { clientAddress } from "../request/ClientAddress.ts"
import { bytesRead } from "../request/RequestBody.ts"

export type RouteHandler = HttpRouter.Route<unknown, HttpRouter.HttpRouter.DefaultServices>["handler"]

const lengthOf = ({ headers }: HttpServerRequest.HttpServerRequest): number | null =>
  headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : null

const isAccepted = (outcome: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): boolean =>
  Exit.isSuccess(outcome) && outcome.value.status < 400

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>

interface PublicAdmission {
  readonly rate: AddressRate | null
  /** Whether the answer shows that the input was valid. MCP answers 200 to everything. */
  readonly isAccepted?: typeof isAccepted
}

/** Answers a request that needs no key, if its client may send another. */
export const admittedPublicly = <R>(
  calls: PublicCalls,
  { isAccepted: accepts = isAccepted, rate }: PublicAdmission,
  request: HttpServerRequest.HttpServerRequest,
  answer: Answer<R>
): Answer<R> =>
  Effect.flatMap(
    calls.admit({ address: clientAddress(request), bytes: lengthOf(request), rate }),
    (settle) => Effect.onExit(answer, (outcome) => settle(bytesRead(request), accepts(outcome)))
  )

export const publicAdmission = (calls: PublicCalls, options: PublicAdmission) => (handler: RouteHandler): RouteHandler =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => admittedPublicly(calls, options, request, Effect.flatMap(handler, HttpServerRespondable.toResponse))
  )
