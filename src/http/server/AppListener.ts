/**
 * Runs an app for the requests of Node's HTTP server: one fiber for each, whose context is made once. The library's listener provides
 * the request, its scope and each middleware's services one after another, which takes more steps than most operations.
 */
import { HttpServerError, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Context, Effect, Runtime, RuntimeFlags, Scope } from "effect"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { keepingServices } from "../../loops/WithServices.ts"
import type { NodeRequest } from "./NodeRequest.ts"
import { sendResponse } from "./SendResponse.ts"

interface Reading {
  readonly requestOf: (message: IncomingMessage) => NodeRequest
  /** Services of each request beside itself and its scope. */
  readonly given: (request: NodeRequest) => Context.Context<never>
  /** All headers of an answer. */
  readonly headersOf: (request: NodeRequest, answer: HttpServerResponse.HttpServerResponse) => Readonly<Record<string, string>>
}

type Given = HttpServerRequest.HttpServerRequest | Scope.Scope

/** A client that leaves interrupts what is interruptible of its request. */
export const makeAppListener = <R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>,
  { given, headersOf, requestOf }: Reading
): Effect.Effect<RequestListener, never, Exclude<R, Given>> =>
  Effect.map(Effect.runtime<Exclude<R, Given>>(), (runtime) => {
    const fork = Runtime.runFork(Runtime.disableRuntimeFlag(runtime, RuntimeFlags.Interruption))
    const servicesOf = (request: NodeRequest, scope: Scope.Scope) =>
      Context.merge(
        given(request),
        Context.make(HttpServerRequest.HttpServerRequest, request).pipe(Context.add(Scope.Scope, scope))
      )
    const answering = (request: NodeRequest, to: ServerResponse) => {
      const send = (answer: HttpServerResponse.HttpServerResponse) =>
        sendResponse({ to, answer, headers: headersOf(request, answer), isHead: request.method === "HEAD" })
      return Effect.matchCauseEffect(app, {
        onFailure: (cause) => Effect.flatMap(HttpServerError.causeResponse(cause), ([answer]) => send(answer)),
        onSuccess: send
      })
    }
    const serve = (request: NodeRequest, to: ServerResponse) =>
      Effect.flatMap(Scope.make(), (scope) =>
        keepingServices(Effect.exit(answering(request, to)), servicesOf(request, scope)).pipe(
          Effect.flatMap((exit) => Scope.close(scope, exit))
        ))
    return (message, to) => {
      const fiber = fork(serve(requestOf(message), to))
      to.on("close", () => {
        if (!to.writableEnded) fiber.unsafeInterruptAsFork(HttpServerError.clientAbortFiberId)
      })
    }
  })
