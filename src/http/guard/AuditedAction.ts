/** Records an operation in the audit log: its target, from the path or the response, and whether it happened. */
import type { HttpServerResponse } from "@effect/platform"
import { Cause, Effect, Exit, Option, Predicate } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { AuditTrail } from "../../operations/access/AuditTrail.ts"
import type { Operation } from "../openapi/Operations.ts"

export interface GuardedCall {
  readonly operation: Operation
  readonly caller: Caller
  readonly params: Readonly<Record<string, string | undefined>>
}

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const idOf = (created: unknown): string | null =>
  Predicate.hasProperty(created, "id") && Predicate.isString(created.id) ? created.id : null

/** The id of the created resource in a response; for a service, the id of its monitor. */
const createdId = ({ body }: HttpServerResponse.HttpServerResponse): string | null => {
  if (body._tag !== "Uint8Array") return null
  const created = Option.getOrNull(parse(new TextDecoder().decode(body.body)))
  return idOf(created) ?? (Predicate.hasProperty(created, "monitor") ? idOf(created.monitor) : null)
}

/** The target is the last path parameter; an operation without one creates the target. */
const targetIn = (params: Readonly<Record<string, string | undefined>>) => Object.values(params).at(-1) ?? null

/** Whether nothing happened for certain: the operation failed with an expected error, and was not interrupted or defective. */
const wasRefused = (outcome: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): boolean =>
  Exit.match(outcome, {
    onSuccess: ({ status }) => status >= 400,
    onFailure: (cause) => !Cause.isDie(cause) && !Cause.isInterrupted(cause)
  })

/** Writes the entry in the transaction of the change: for operations that make all of it in one. */
export const auditedTogether =
  (trail: AuditTrail, { caller: { principal, workspaceId }, operation, params }: GuardedCall) =>
  <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    trail.together(
      { workspaceId, principal, operation: operation.id },
      handler,
      (response) => response.status >= 400 ? Option.none() : Option.some(targetIn(params) ?? createdId(response))
    )

/** Writes the entry before the operation runs, and settles it before the answer: if the process dies, it stays `unknown`. */
export const audited =
  (trail: AuditTrail, { caller: { principal, workspaceId }, operation, params }: GuardedCall) =>
  <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const target = targetIn(params)
        const entry = yield* trail.begin({ workspaceId, principal, operation: operation.id, target })
        const outcome = yield* Effect.exit(restore(handler))
        if (wasRefused(outcome)) yield* entry.drop
        else if (Exit.isSuccess(outcome)) yield* entry.settle(target ?? createdId(outcome.value))
        return yield* outcome
      })
    )
