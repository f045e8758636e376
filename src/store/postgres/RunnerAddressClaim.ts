/**
 * Holds a runner's address for this process, so that no other one registers it: the others would send messages to either by turns. An
 * advisory lock of a connection of its own says who lives: the database drops it with the connection of a process that was killed.
 */
import { Context, Data, Deferred, Effect, Layer } from "effect"
import { Client, type ClientConfig } from "pg"
import { reasonOf } from "../../loops/Outage.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { Database } from "./connections/Database.ts"
import { closed, reconnecting } from "./connections/OwnConnections.ts"
import { prepareSession } from "./connections/Session.ts"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"

export interface RunnerEndpoint {
  readonly host: string
  readonly port: number
}

/** Another live runner has the address. `message` is one line for the operator. */
class AddressTaken extends Data.TaggedError("AddressTaken")<RunnerEndpoint> {
  override get message() {
    return `Another runner is registered at ${this.host}:${this.port}, and each needs an address at which the others reach it. ` +
      "Set BELLTOWER_RUNNER_HOST to an address of this machine, or BELLTOWER_RUNNER_PORT for a second runner on one machine."
  }
}

/** The first key of the advisory locks; the second is a hash of the address. Migrations use another one. */
const lockClass = 0x62656c6d

/** The connection of a killed process ends within moments; a process that holds the lock for longer is alive. */
const patience = { attempts: 12, pause: "250 millis" } as const

/** How often a lock is tried again that belongs to a runner without a sign of life. */
const again = "5 seconds"

/** Detects a connection whose server hangs: another one may be the primary by now, without the lock. */
const keepAlive = { every: "30 seconds", limit: "10 seconds" } as const

type Outcome = "held" | "abandoned" | "taken"

const unavailable = (cause: unknown) =>
  new DatabaseUnavailable({ message: `The claim of the runner's address failed: ${reasonOf(cause)}`, cause })

/** A connection and whether it has ended. */
const connect = (connection: ClientConfig, name: string) =>
  Effect.gen(function*() {
    const ended = yield* Deferred.make<void>()
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = new Client({ ...connection, application_name: `belltower runner ${name}`.slice(0, 63) })
        for (const event of ["error", "end"] as const) made.on(event, () => Deferred.unsafeDone(ended, Effect.void))
        return made
      }),
      closed
    )
    yield* Effect.tryPromise({ try: () => client.connect().then(() => prepareSession(client)), catch: unavailable })
    const read = <A>(text: string, values: ReadonlyArray<unknown>) =>
      Effect.tryPromise({
        try: async (): Promise<A | undefined> => {
          const { rows } = await client.query<{ readonly found: A }>(text, [...values])
          return rows[0]?.found
        },
        catch: unavailable
      })
    return { read, ended: Deferred.await(ended) }
  })
type Session = Effect.Effect.Success<ReturnType<typeof connect>>

/** Tries to get the lock. `former` is the server process that held it for us before, which may not have noticed that it is cut off. */
const tryLock = ({ read }: Session, name: string, former: number | null, lockSec: number) =>
  Effect.gen(function*() {
    for (let attempt = 0; attempt < patience.attempts; attempt++) {
      if (yield* read<boolean>("select pg_try_advisory_lock($1::int, hashtext($2)) as found", [lockClass, name])) {
        return "held" satisfies Outcome
      }
      if (former !== null) {
        yield* read<number>(
          `select count(pg_terminate_backend(pid)) as found from pg_locks
           where locktype = 'advisory' and granted and classid = $1 and objid = hashtext($2)::bit(32)::bigint::oid and pid = $3`,
          [lockClass, name, former]
        )
      }
      yield* Effect.sleep(patience.pause)
    }
    // A machine that was lost keeps its connection for as long as TCP does.
    const isAlive = yield* read<boolean>(
      `select coalesce(max(last_heartbeat) > now() - make_interval(secs => $2::float8), true) as found
       from cluster_runners where address = $1`,
      [name, lockSec]
    )
    return isAlive === false ? "abandoned" satisfies Outcome : "taken" satisfies Outcome
  })

export class RunnerAddressClaim extends Context.Tag("belltower/RunnerAddressClaim")<RunnerAddressClaim, {
  /** Fails when another runner has taken the address over while the database was away. */
  readonly lost: Effect.Effect<never, AddressTaken>
}>() {
  /** The claim of a process that no other runner reaches. */
  static readonly unneeded = Layer.succeed(RunnerAddressClaim, { lost: Effect.never })

  /** `lockSec`: a runner without a sign of life for this long is gone. Fails with `AddressTaken`. */
  static readonly layer = (endpoint: RunnerEndpoint, lockSec: number): Layer.Layer<RunnerAddressClaim, AddressTaken, Database> =>
    Layer.scoped(
      RunnerAddressClaim,
      Effect.gen(function*() {
        const { connection } = yield* Database
        const name = `${endpoint.host}:${endpoint.port}`
        const claimed = yield* Deferred.make<void, AddressTaken>()
        const lost = yield* Deferred.make<never, AddressTaken>()
        let former: number | null = null

        const session = Effect.scoped(Effect.gen(function*() {
          const own = yield* connect(connection, name)
          const outcome: Outcome = yield* Effect.raceFirst(
            tryLock(own, name, former, lockSec),
            Effect.zipRight(own.ended, Effect.fail(unavailable("the connection ended")))
          )
          if (outcome === "taken") {
            yield* Deferred.fail(claimed, new AddressTaken(endpoint))
            yield* Deferred.fail(lost, new AddressTaken(endpoint))
            return yield* Effect.never
          }
          yield* Deferred.succeed(claimed, undefined)
          if (outcome === "abandoned") return yield* Effect.sleep(again)
          former = (yield* own.read<number>("select pg_backend_pid() as found", [])) ?? null
          const alive = Effect.timeout(own.read<number>("select 1 as found", []), keepAlive.limit)
          yield* Effect.raceFirst(own.ended, Effect.forever(Effect.delay(alive, keepAlive.every)))
        }))
        const loop = Effect.forever(Effect.retry(session, reconnecting))
        yield* Effect.forkScoped(restartForever("Holding the address of this runner", loop))
        yield* Deferred.await(claimed)
        return { lost: Deferred.await(lost) }
      })
    )
}
