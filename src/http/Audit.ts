/** Writes down who changed what, and from where. */
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Effect, Option, Predicate } from "effect"
import type { Access, Principal } from "../../schema/api/Access.ts"
import type { WorkspaceId } from "../../schema/Ids.ts"
import { AuditLog } from "../store/AuditLog.ts"
import type { Operation } from "./Operations.ts"
import { Via } from "./Via.ts"

/** A change, or something as telling, such as a sign-in. */
export interface Deed {
  readonly workspaceId: WorkspaceId
  readonly principal: Principal
  /** The operation's id, or a name of its own for what is none, such as `sign_in`. */
  readonly operation: string
  /** The id of what was changed or made. */
  readonly target: string | null
}

/**
 * Adds a deed to the workspace's audit log, with where the current request comes from. The deed is done by then, so an
 * entry that cannot be written is told to the log of the process and fails nothing.
 */
export const record = Effect.fn("Audit.record")(function*({ operation, principal, target, workspaceId }: Deed) {
  const log = yield* AuditLog
  const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
  const surface = yield* Via
  yield* log.append(workspaceId, {
    principal,
    operation,
    target,
    via: principal._tag === "User" && surface === "api" ? "dashboard" : surface,
    ip: Option.getOrNull(Option.flatMap(request, ({ remoteAddress }) => remoteAddress))
  })
}, (recording, { operation }) =>
  Effect.catchAllCause(recording, (cause) => Effect.logError(`${operation} could not be written to the audit log`, cause)))

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const idOf = (made: unknown): string | null =>
  Predicate.hasProperty(made, "id") && Predicate.isString(made.id) ? made.id : null

/** The id that an answer gives to what it made: its own, or for a service its monitor's. */
const madeId = ({ body }: HttpServerResponse.HttpServerResponse): string | null => {
  if (body._tag !== "Uint8Array") return null
  const made = Option.getOrNull(parse(new TextDecoder().decode(body.body)))
  return idOf(made) ?? (Predicate.hasProperty(made, "monitor") ? idOf(made.monitor) : null)
}

/** The id in the path names the target; what has none there made it. */
const targetOf = (params: Readonly<Record<string, string | undefined>>, response: HttpServerResponse.HttpServerResponse) =>
  Object.values(params).at(-1) ?? madeId(response)

/** Writes down that an operation succeeded, before its caller hears of it. */
export const audited = (operation: Operation, { principal, workspaceId }: Access["Type"]) =>
  <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(handler), (response) =>
        response.status >= 400
          ? Effect.void
          : Effect.flatMap(HttpRouter.RouteContext, ({ params }) =>
            record({ workspaceId, principal, operation: operation.id, target: targetOf(params, response) }))))
