/** Node's HTTP server with limits for slow clients and a graceful shutdown. */
import { NodeHttpServer } from "@effect/platform-node"
import { Data, Duration, Effect, Option, Predicate } from "effect"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import { mostConnections, mostOpenFiles } from "./OpenFiles.ts"

/** The server cannot listen. `message` is one line for the operator that includes the fix. */
export class CannotListen extends Data.TaggedError("CannotListen")<{
  readonly message: string
  readonly cause: unknown
}> {}

export interface ListenAddress {
  readonly host: string
  /** 0 selects any free port. */
  readonly port: number
  /** The setting that the port is from; default: PORT. */
  readonly setting?: "PORT" | "BELLTOWER_METRICS_PORT"
}

const cannotListen = ({ host, port, setting = "PORT" }: ListenAddress, cause: unknown): CannotListen => {
  const why = Predicate.hasProperty(cause, "code") ? cause.code : "unknown"
  const what = why === "EADDRINUSE"
    ? `the port is in use. Stop the other process, or set ${setting} to a free port`
    : why === "EACCES"
    ? `permission denied. Set ${setting} to 1024 or higher`
    : why === "EADDRNOTAVAIL" || why === "ENOTFOUND"
    ? "this machine does not have that address. Set BELLTOWER_HOST to one of its addresses"
    : String(cause)
  return new CannotListen({ message: `Cannot listen at ${host}:${port}: ${what}`, cause })
}

/** Timeouts of client connections, in milliseconds. */
const defaultLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** How often Node checks those two. */
  connectionsCheckingInterval: 5_000,
  /** Between requests on a connection. Longer than the timeouts of load balancers, so the server never closes a connection first. */
  keepAliveTimeout: 65_000,
  /** Without traffic in either direction, such as a stream whose client has stopped reading. */
  silence: 180_000,
  /** To receive a completely written response. */
  taking: 60_000
}

export type ConnectionLimits = typeof defaultLimits

/** Requests still running after this are cut off at shutdown. */
const grace = Duration.seconds(5)

/** Closes connections of clients that are too slow to receive a response, because each keeps a whole response in memory. */
const makeSlowClientGuard = ({ taking }: ConnectionLimits) =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    const writtenAt = new Map<ServerResponse, number>()
    yield* Effect.sync(() => {
      const now = clock.unsafeCurrentTimeMillis()
      for (const [response, at] of writtenAt) if (now - at >= taking) response.destroy()
    }).pipe(Effect.delay(Duration.millis(taking / 10)), Effect.forever, Effect.forkScoped)
    return {
      watch: (response: ServerResponse) => {
        response.once("prefinish", () => {
          // The system has taken all of it already: nothing is held, and nearly every response ends so.
          if (response.writableLength > 0) writtenAt.set(response, clock.unsafeCurrentTimeMillis())
        })
        response.once("close", () => void writtenAt.delete(response))
      }
    }
  })

export const makeListeningServer = Effect.fn("ListeningServer.make")(function*(limits = defaultLimits) {
  const server = createServer(limits)
  server.maxConnections = Option.match(yield* mostOpenFiles, { onNone: () => Infinity, onSome: mostConnections })
  server.setTimeout(limits.silence)
  const slowClients = yield* makeSlowClientGuard(limits)
  let requests = 0
  let onIdle = () => {}
  server.on("request", (_, response) => {
    requests++
    slowClients.watch(response)
    response.once("close", () => {
      requests--
      if (requests === 0) onIdle()
    })
  })

  const idle = Effect.async<void>((resume) => {
    onIdle = () => resume(Effect.void)
    if (requests === 0) onIdle()
  })

  return {
    /** Listens until the scope closes; fails with `CannotListen`. */
    listen: (address: ListenAddress) =>
      Effect.mapError(NodeHttpServer.make(() => server, address), ({ cause }) => cannotListen(address, cause)),
    /** Passes every request to `listener` until the scope closes. */
    serve: (listener: RequestListener) =>
      Effect.acquireRelease(
        Effect.sync(() => void server.on("request", listener)),
        () => Effect.sync(() => void server.off("request", listener))
      ),
    /** Ends streams with `endStreams` and gives running requests the grace period. Node would count silent connections, too. */
    drain: (endStreams: Effect.Effect<void>): Effect.Effect<void> =>
      Effect.gen(function*() {
        server.close()
        yield* endStreams
        // Finalizers are uninterruptible: without `interruptible`, the timeout would have no effect. Around the timeout it would end
        // the wait immediately when a signal has interrupted this fiber.
        yield* Effect.timeoutOption(Effect.interruptible(idle), grace)
        server.closeAllConnections()
      })
  }
})
