/**
 * Runs an app for the requests of Node's HTTP server: one fiber for each, whose context is made once. The library's listener provides
 * the request, its scope and each middleware's services one after another, which takes more steps than most operations.
 */
import { type HttpApp, HttpServerError, HttpServerRequest } from "@effect/platform"
import { Context, Effect, Runtime, RuntimeFlags, Scope } from "effect"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { inContext } from "../../loops/WithServices.ts"
import type { NodeRequest } from "./NodeRequest.ts"
import { sendResponse } from "./SendResponse.ts"

interface Reading {
  readonly requestOf: (message: IncomingMessage) => NodeRequest
  /** What each request gets beside itself and its scope. */
  readonly given: (request: NodeRequest) => Context.Context<never>
}

/** A client that leaves interrupts what is interruptible of its request. */
export const makeAppListener = <R>(
  app: HttpApp.Default<never, R>,
  { given, requestOf }: Reading
): Effect.Effect<RequestListener, never, R> =>
  Effect.map(Effect.runtime<R>(), (runtime) => {
    const fork = Runtime.runFork(Runtime.disableRuntimeFlag(runtime, RuntimeFlags.Interruption))
    const contextOf = (request: NodeRequest, scope: Scope.Scope) =>
      Context.mergeAll(
        runtime.context,
        given(request),
        Context.make(HttpServerRequest.HttpServerRequest, request).pipe(Context.add(Scope.Scope, scope))
      )
    const answering = (request: NodeRequest, to: ServerResponse) =>
      Effect.matchCauseEffect(app, {
        onFailure: (cause) =>
          Effect.flatMap(HttpServerError.causeResponse(cause), ([answer]) => sendResponse(request.method, to, answer)),
        onSuccess: (answer) => sendResponse(request.method, to, answer)
      })
    const serve = (request: NodeRequest, to: ServerResponse) =>
      Effect.flatMap(Scope.make(), (scope) =>
        inContext(Effect.exit(answering(request, to)), contextOf(request, scope)).pipe(
          Effect.flatMap((exit) => Scope.close(scope, exit))
        ))
    return (message, to) => {
      const fiber = fork(serve(requestOf(message), to))
      to.on("close", () => {
        if (!to.writableEnded) fiber.unsafeInterruptAsFork(HttpServerError.clientAbortFiberId)
      })
    }
  })
