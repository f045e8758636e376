/** Records an operation in the audit log: what it changes, by its path or its answer, and whether it happened. */
import { HttpRouter, type HttpServerResponse } from "@effect/platform"
import { Cause, Effect, Exit, Option, Predicate } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { AuditTrail } from "../../operations/access/AuditTrail.ts"
import type { Operation } from "../openapi/Operations.ts"

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const idOf = (made: unknown): string | null => Predicate.hasProperty(made, "id") && Predicate.isString(made.id) ? made.id : null

/** The id of what an answer says was created: its own, or for a service its monitor's. */
const createdId = ({ body }: HttpServerResponse.HttpServerResponse): string | null => {
  if (body._tag !== "Uint8Array") return null
  const made = Option.getOrNull(parse(new TextDecoder().decode(body.body)))
  return idOf(made) ?? (Predicate.hasProperty(made, "monitor") ? idOf(made.monitor) : null)
}

/** The id in the path names the target; an operation without one creates it. */
const targetIn = (params: Readonly<Record<string, string | undefined>>) => Object.values(params).at(-1) ?? null

/** Whether it is certain that nothing happened: the operation was refused, rather than interrupted or broken. */
const wasRefused = (ended: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): boolean =>
  Exit.match(ended, {
    onSuccess: ({ status }) => status >= 400,
    onFailure: (cause) => !Cause.isDie(cause) && !Cause.isInterrupted(cause)
  })

/**
 * Writes the entry before the operation runs, and settles it before the caller hears of success. So no entry is lost: the
 * operations of a process that died stand as unknown.
 */
export const audited =
  (trail: AuditTrail, operation: Operation, { principal, workspaceId }: Caller) =>
  <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const { params } = yield* HttpRouter.RouteContext
        const target = targetIn(params)
        const entry = yield* trail.begin({ workspaceId, principal, operation: operation.id, target })
        const ended = yield* Effect.exit(restore(handler))
        if (wasRefused(ended)) yield* entry.drop
        else if (Exit.isSuccess(ended)) yield* entry.settle(target ?? createdId(ended.value))
        return yield* ended
      })
    )
