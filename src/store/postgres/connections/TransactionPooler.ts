/** Recognizes a pooler that gives each transaction any connection to the server, whichever product it is. */
import { type Duration, Effect, Predicate } from "effect"
import { randomUUID } from "node:crypto"
import { Client, type ClientConfig } from "pg"
import { closed } from "./OwnConnections.ts"

/** A notification arrives within a millisecond, on a busy machine somewhat later; through such a pooler it never does. */
const usualPatience = "10 seconds"

const acquireClient = (connection: ClientConfig) =>
  Effect.acquireRelease(
    Effect.tryPromise(async () => {
      // A connection that breaks fails its statement.
      const client = new Client(connection).on("error", () => {})
      await client.connect()
      return client
    }),
    closed
  )

const backendOf = (client: Client) =>
  Effect.map(
    Effect.tryPromise(() => client.query<{ readonly pid: number }>("select pg_backend_pid() as pid")),
    ({ rows: [row] }) => row?.pid
  )

/**
 * Whether two clients got the same server process, or one does not hear what the other sends: the client that listens is idle, and such
 * a pooler passes nothing on to it then.
 */
export const sharesConnections = (connection: ClientConfig, patience: Duration.DurationInput = usualPatience) =>
  Effect.scoped(Effect.gen(function*() {
    const listener = yield* acquireClient(connection)
    const sender = yield* acquireClient(connection)
    const channel = `belltower_start_${randomUUID().replaceAll("-", "")}`
    const heard = Effect.async<void>((resume) => void listener.once("notification", () => resume(Effect.void)))
    yield* Effect.tryPromise(() => listener.query(`listen ${channel}`))
    const [first, second] = [yield* backendOf(listener), yield* backendOf(sender)]
    if (!Predicate.isNumber(first) || first === second) return true
    const sent = Effect.tryPromise(() => sender.query("select pg_notify($1, '')", [channel]))
    const both = Effect.all([heard, sent], { concurrency: "unbounded", discard: true })
    return yield* Effect.timeoutTo(both, { duration: patience, onSuccess: () => false, onTimeout: () => true })
  }))
