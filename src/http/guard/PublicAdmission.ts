/** Limits calls without a key by the address of their client, before their body is read. */
import { HttpServerRequest, HttpServerRespondable } from "@effect/platform"
import type { HttpRouter, HttpServerResponse } from "@effect/platform"
import { Effect, Exit } from "effect"
import type { AddressRate } from "../../../schema/api/AddressLimit.ts"
import type { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { clientAddress } from "../request/ClientAddress.ts"
import { bytesRead } from "../request/RequestBody.ts"

export type RouteHandler = HttpRouter.Route<unknown, HttpRouter.HttpRouter.DefaultServices>["handler"]

/** The declared length of the body; null when it is unknown. */
const lengthOf = ({ headers }: HttpServerRequest.HttpServerRequest): number | null =>
  headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : null

const isAccepted = (outcome: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): boolean =>
  Exit.isSuccess(outcome) && outcome.value.status < 400

/** Whether the answer tells that the input was worth reading. MCP answers 200 to everything. */
interface PublicAdmission {
  readonly rate: AddressRate | null
  readonly isAccepted?: typeof isAccepted
}

/** Wraps the handler of an operation or a route that needs no key. */
export const publicAdmission = (calls: PublicCalls, options: PublicAdmission) => (handler: RouteHandler): RouteHandler =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const settle = yield* calls.admit({ address: clientAddress(request), bytes: lengthOf(request), rate: options.rate })
    return yield* Effect.flatMap(handler, HttpServerRespondable.toResponse).pipe(
      Effect.onExit((outcome) => settle(bytesRead(request), (options.isAccepted ?? isAccepted)(outcome)))
    )
  })
