/** Node's HTTP server with limits against slow clients, and an end in good order. */
import { NodeHttpServer } from "@effect/platform-node"
import { Data, Duration, Effect, Predicate } from "effect"
import { createServer } from "node:http"

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

/** Milliseconds: what a client may take to send a request, and how long a connection waits for the next one. */
const patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Longer than load balancers keep theirs, so that it is never us who closes first.
  keepAliveTimeout: 65_000
}

/** Milliseconds without a byte either way, after which a connection is cut: a reader that takes nothing any more. */
const silence = 180_000

/** What still runs after this is cut off. */
const grace = Duration.seconds(5)

export const makeListeningServer = Effect.sync(() => {
  const server = createServer(patience)
  server.setTimeout(silence)
  let requests = 0
  let whenQuiet = () => {}
  server.on("request", (_, response) => {
    requests++
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
