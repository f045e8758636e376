/** Writes down who changed what, and from where. */
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Cause, Effect, Exit, Option, Predicate } from "effect"
import type { Caller, Principal } from "../../../schema/access/Caller.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { type AuditDraft, AuditLog } from "../../store/access/AuditLog.ts"
import type { Operation } from "../openapi/Operations.ts"
import { Via } from "./Via.ts"

/** A change, or something as telling, such as a sign-in. */
export interface AuditedAction {
  readonly workspaceId: WorkspaceId
  readonly principal: Principal
  /** The operation's id, or a name of its own for what is none, such as `sign_in`. */
  readonly operation: string
  /** The id of what was changed or made. */
  readonly target: string | null
}

const draftOf = ({ operation, principal, target }: AuditedAction) =>
  Effect.gen(function*() {
    const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
    const surface = yield* Via
    const draft: AuditDraft = {
      principal,
      operation,
      target,
      via: principal._tag === "User" && surface === "api" ? "dashboard" : surface,
      ip: Option.getOrNull(Option.flatMap(request, ({ remoteAddress }) => remoteAddress))
    }
    return draft
  })

/**
 * Adds a deed to the workspace's audit log, with where the current request comes from: in the transaction of the deed, so that
 * there is none without its entry.
 */
export const record = Effect.fn("Audit.record")(function*(deed: AuditedAction) {
  const log = yield* AuditLog
  yield* log.append(deed.workspaceId, yield* draftOf(deed))
})

/** The deed is done, or is to be done all the same: an entry that cannot be written is told to the log of the process. */
const quietly = <A, R>(writing: Effect.Effect<A, never, R>, operation: string) =>
  Effect.catchAllCause(
    writing,
    (cause) => Effect.as(Effect.logError(`${operation} could not be written to the audit log`, cause), null)
  )

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const idOf = (made: unknown): string | null => Predicate.hasProperty(made, "id") && Predicate.isString(made.id) ? made.id : null

/** The id that an answer gives to what it made: its own, or for a service its monitor's. */
const madeId = ({ body }: HttpServerResponse.HttpServerResponse): string | null => {
  if (body._tag !== "Uint8Array") return null
  const made = Option.getOrNull(parse(new TextDecoder().decode(body.body)))
  return idOf(made) ?? (Predicate.hasProperty(made, "monitor") ? idOf(made.monitor) : null)
}

/** The id in the path names the target; what has none there makes it. */
const targetIn = (params: Readonly<Record<string, string | undefined>>) => Object.values(params).at(-1) ?? null

/** Whether it is sure that nothing has happened: it was refused, rather than broken off. */
const cameToNothing = (ended: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): boolean =>
  Exit.match(ended, {
    onSuccess: ({ status }) => status >= 400,
    onFailure: (cause) => !Cause.isDie(cause) && !Cause.isInterrupted(cause)
  })

/**
 * Writes an operation down before it runs, and settles the entry before its caller hears that it succeeded. So an entry is lost
 * to nothing: what a process that died had in hand stands as unknown.
 */
export const audited =
  (operation: Operation, { principal, workspaceId }: Caller) =>
  <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const log = yield* AuditLog
        const { params } = yield* HttpRouter.RouteContext
        const target = targetIn(params)
        const draft = yield* draftOf({ workspaceId, principal, operation: operation.id, target })
        const begun = yield* quietly(log.begin(workspaceId, draft), operation.id)
        const ended = yield* Effect.exit(restore(handler))
        if (cameToNothing(ended)) {
          if (begun !== null) yield* quietly(log.forget(begun, workspaceId), operation.id)
        } else if (Exit.isSuccess(ended)) {
          const made = target ?? madeId(ended.value)
          const settled = begun === null
            ? log.append(workspaceId, { ...draft, target: made })
            : log.settle(begun, workspaceId, made)
          yield* quietly(settled, operation.id)
        }
        return yield* ended
      })
    )
