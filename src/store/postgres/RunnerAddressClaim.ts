/**
 * Holds a runner's address for this process, so that no other one registers it: the others would send messages to either by turns. A
 * process that knows no others holds the whole database. An advisory lock of a connection of its own says who lives: the database
 * drops it with the connection of a process that was killed.
 */
import { Context, Data, Deferred, Effect, Layer } from "effect"
import { Client, type ClientConfig } from "pg"
import { reasonOf } from "../../loops/Outage.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { Database } from "./connections/Database.ts"
import { closed, reconnecting } from "./connections/OwnConnections.ts"
import { prepareSession } from "./connections/Session.ts"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"

export interface RunnerPlace {
  readonly host: string
  readonly port: number
}

/** Another live runner has the address. `message` is one line for the operator. */
class AddressTaken extends Data.TaggedError("AddressTaken")<RunnerPlace> {
  override get message() {
    return `Another runner is registered at ${this.host}:${this.port}, and each needs an address at which the others reach it. ` +
      "Set BELLTOWER_RUNNER_HOST to an address of this machine, or BELLTOWER_RUNNER_PORT for a second runner on one machine."
  }
}

/** Another live process has the database, and neither would hear what the other does. */
class DatabaseTaken extends Data.TaggedError("DatabaseTaken") {
  override get message() {
    return "Another process runs on this database without Kafka, and the two would work against each other. Stop it, give this one " +
      "another DATABASE_URL, or set KAFKA_BROKERS for all processes."
  }
}

type Taken = AddressTaken | DatabaseTaken

/** What a process holds. `isAlive` asks, with the keys of the lock and `silentSec`, whether its holder shows signs of life. */
interface Subject {
  readonly name: string
  readonly silentSec: number
  readonly isAlive: string
  readonly taken: Taken
}

const holds = `locktype = 'advisory' and granted and classid = $1 and objid = hashtext($2)::bit(32)::bigint::oid
  and database = (select oid from pg_database where datname = current_database())`

/** The row of a runner, which it keeps fresh. */
const addressOf = (place: RunnerPlace, silentSec: number): Subject => ({
  name: `${place.host}:${place.port}`,
  silentSec,
  isAlive: `
    select coalesce(max(last_heartbeat) > now() - make_interval(secs => $3::float8), true) and $1::int is not null as found
    from cluster_runners where address = $2`,
  taken: new AddressTaken(place)
})

/** The last statement of the holder, which is ended if it is too long ago: should it only stand still, it hears that it has lost. */
const wholeDatabase = (silentSec: number): Subject => ({
  name: "the only process",
  silentSec,
  isAlive: `
    select count(*) filter (where isAlive or not pg_terminate_backend(pid)) > 0 as found from (
      select pid, coalesce(state_change > now() - make_interval(secs => $3::float8), true) as isAlive
      from pg_locks join pg_stat_activity using (pid) where ${holds}
    ) as holder`,
  taken: new DatabaseTaken()
})

/** The first key of the advisory locks; the second is a hash of the address. Migrations use another one. */
const lockClass = 0x62656c6d

/** The connection of a killed process ends within moments; a process that holds the lock for longer is alive. */
const patience = { attempts: 12, pause: "250 millis", short: "8 millis" } as const

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
const tryLock = ({ read }: Session, { isAlive, name, silentSec }: Subject, former: number | null) =>
  Effect.gen(function*() {
    const take = read<boolean>("select pg_try_advisory_lock($1::int, hashtext($2)) as found", [lockClass, name])
    for (let attempt = 0; attempt < patience.attempts; attempt++) {
      if (yield* take) return "held" satisfies Outcome
      if (former !== null) {
        yield* read<number>(
          `select count(pg_terminate_backend(pid)) as found from pg_locks where ${holds} and pid = $3`,
          [lockClass, name, former]
        )
      }
      yield* Effect.sleep(patience.pause)
    }
    // A machine that was lost keeps its connection for as long as TCP does.
    if ((yield* read<boolean>(isAlive, [lockClass, name, silentSec])) !== false) return "taken" satisfies Outcome
    // Sooner than a holder whose connection was ended can connect again.
    for (let attempt = 0; attempt < patience.attempts; attempt++) {
      if (yield* take) return "held" satisfies Outcome
      yield* Effect.sleep(patience.short)
    }
    return "abandoned" satisfies Outcome
  })

export class RunnerAddressClaim extends Context.Tag("belltower/RunnerAddressClaim")<RunnerAddressClaim, {
  /** Fails when another process has taken the address, or the database, over while the database was away. */
  readonly lost: Effect.Effect<never, Taken>
}>() {
  /** The claim of a process that no other runner reaches. */
  static readonly unneeded = Layer.succeed(RunnerAddressClaim, { lost: Effect.never })

  /** `lockSec`: a runner without a sign of life for this long is gone. Fails with `AddressTaken`. */
  static readonly layer = (place: RunnerPlace, lockSec: number) => holding(addressOf(place, lockSec))

  /** The claim of a process that hears nothing of others. Fails with `DatabaseTaken`. `silentSec`: two of its signs of life. */
  static readonly alone = (silentSec = 60) => holding(wholeDatabase(silentSec))
}

const holding = (subject: Subject): Layer.Layer<RunnerAddressClaim, Taken, Database> =>
  Layer.scoped(
    RunnerAddressClaim,
    Effect.gen(function*() {
      const { connection } = yield* Database
      const claimed = yield* Deferred.make<void, Taken>()
      const lost = yield* Deferred.make<never, Taken>()
      let former: number | null = null

      const session = Effect.scoped(Effect.gen(function*() {
        const own = yield* connect(connection, subject.name)
        const outcome: Outcome = yield* Effect.raceFirst(
          tryLock(own, subject, former),
          Effect.zipRight(own.ended, Effect.fail(unavailable("the connection ended")))
        )
        if (outcome === "taken") {
          yield* Deferred.fail(claimed, subject.taken)
          yield* Deferred.fail(lost, subject.taken)
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
