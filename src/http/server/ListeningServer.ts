/** Node's HTTP server with limits against slow clients, and an end in good order. */
import { NodeHttpServer } from "@effect/platform-node"
import { Data, Duration, Effect, Predicate } from "effect"
import { createServer, type RequestListener, type ServerResponse } from "node:http"

/** The server cannot listen; `message` is one line for the person who starts the program and says what to do. */
export class CannotListen extends Data.TaggedError("CannotListen")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** Where to listen. */
interface Place {
  readonly host: string
  /** 0 takes any that is free. */
  readonly port: number
}

const cannotListen = ({ host, port }: Place, cause: unknown): CannotListen => {
  const why = Predicate.hasProperty(cause, "code") ? cause.code : "unknown"
  const what = why === "EADDRINUSE"
    ? "something else listens there. Stop it, or set PORT to another"
    : why === "EACCES"
    ? "this user may not. Set PORT to 1024 or higher"
    : why === "EADDRNOTAVAIL" || why === "ENOTFOUND"
    ? "this machine has no such address. Set BELLTOWER_HOST to one that it has"
    : String(cause)
  return new CannotListen({ message: `Cannot listen at ${host}:${port}: ${what}`, cause })
}

/** How long clients may take, in milliseconds. */
export interface ConnectionLimits {
  /** To send the head of a request. */
  readonly headersTimeout: number
  /** To send a whole request. */
  readonly requestTimeout: number
  /** How often Node looks for those two. */
  readonly connectionsCheckingInterval: number
  /** Until the next request on a connection. */
  readonly keepAliveTimeout: number
  /** Without a byte either way, as of the reader of a stream who takes nothing any more. */
  readonly silence: number
  /** To take an answer that is there as a whole. */
  readonly taking: number
}

const usual: ConnectionLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Longer than load balancers keep theirs, so that it is never us who closes first.
  keepAliveTimeout: 65_000,
  silence: 180_000,
  taking: 60_000
}

/** What still runs after this is cut off. */
const grace = Duration.seconds(5)

/** Cuts the connections of clients that are too slow to take their answers: each keeps its whole answer in memory. */
const makeTakers = ({ taking }: ConnectionLimits) =>
  Effect.gen(function*() {
    const clock = yield* Effect.clock
    /** When the last byte of each was handed over. */
    const ended = new Map<ServerResponse, number>()
    yield* Effect.sync(() => {
      const now = clock.unsafeCurrentTimeMillis()
      for (const [response, at] of ended) if (now - at >= taking) response.destroy()
    }).pipe(Effect.delay(Duration.millis(taking / 10)), Effect.forever, Effect.forkScoped)
    return {
      watch: (response: ServerResponse) => {
        response.once("prefinish", () => void ended.set(response, clock.unsafeCurrentTimeMillis()))
        response.once("close", () => void ended.delete(response))
      }
    }
  })

export const makeListeningServer = Effect.fn("ListeningServer.make")(function*(limits: ConnectionLimits = usual) {
  const server = createServer(limits)
  server.setTimeout(limits.silence)
  const takers = yield* makeTakers(limits)
  let requests = 0
  let whenQuiet = () => {}
  server.on("request", (_, response) => {
    requests++
    takers.watch(response)
    response.once("close", () => {
      requests--
      if (requests === 0) whenQuiet()
    })
  })

  const quiet = Effect.async<void>((resume) => {
    whenQuiet = () => resume(Effect.void)
    if (requests === 0) whenQuiet()
  })

  return {
    /** Fails with `CannotListen`; listens until the scope closes. */
    listen: (place: Place) =>
      Effect.mapError(NodeHttpServer.make(() => server, place), ({ cause }) => cannotListen(place, cause)),
    /** Has every request answered by `listener` until the scope closes. */
    serve: (listener: RequestListener) =>
      Effect.acquireRelease(
        Effect.sync(() => void server.on("request", listener)),
        () => Effect.sync(() => void server.off("request", listener))
      ),
    /**
     * No new connections, and the end of those without a request; `endStreams` ends what would go on, requests have their
     * grace. Counted here, since Node takes a connection that has sent nothing yet for a busy one.
     */
    drain: (endStreams: Effect.Effect<void>): Effect.Effect<void> =>
      Effect.gen(function*() {
        server.close()
        yield* endStreams
        // A finalizer is uninterruptible: without this, the limit would wait for what it limits.
        yield* Effect.interruptible(Effect.timeoutOption(quiet, grace))
        server.closeAllConnections()
      })
  }
})
