/** A pool that shares its connections: urgent work first, and nothing fails because others are busy for a moment. */
import { Clock, Duration, Effect } from "effect"
import { Pool, type PoolClient, type PoolConfig } from "pg"
import { Gauge } from "prom-client"
import { lacksConnection, makeTroubleMemory } from "../../../domain/health/DatabaseTrouble.ts"
import { makeOverload, type Overload } from "../../../domain/health/Overload.ts"
import {
  type Claim,
  type ConnectionShares,
  connectionsInUse,
  keptForUrgent,
  makeConnectionShares
} from "../../../domain/tools/queues/ConnectionShares.ts"
import { restartForever } from "../../../loops/RestartForever.ts"
import { ownerOfFiber, priorityOfFiber } from "../../../loops/WorkPriority.ts"
import { failureCode } from "../PostgresErrors.ts"

/** How often waiting work is looked at, while there is any. */
const lookEvery = Duration.millis(250)

/** How long a pool that gets no further connection makes do with those that it has, ms. */
const makesDoFor = 2_000

const longestWait = new Gauge({
  name: "belltower_database_wait_seconds",
  help: "How long the oldest waiting statement has waited for a database connection; above 1 s the database is overloaded"
})

type Callback = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void

/** A statement or transaction that wants a connection. */
interface Demand {
  readonly begin: () => void
  readonly refuse: () => void
}

const noConnection = () => new Error(`timeout exceeded when trying to connect: ${connectionsInUse}`)

export class PriorityPool extends Pool {
  readonly #shares: ConnectionShares<Demand>
  readonly #claims = new WeakMap<PoolClient, Claim>()
  #unowned = 0
  #makesDoUntil = 0
  /** Open while demands wait. */
  readonly crowded = Effect.unsafeMakeLatch(false)
  /** Faults that its connections have met. */
  readonly trouble = makeTroubleMemory()

  constructor(config: PoolConfig & { readonly max: number }) {
    // As many as are kept for urgent work stay open: when others hold all connections of the server, it gets no new ones.
    super({ ...config, min: keptForUrgent(config.max) })
    this.#shares = makeConnectionShares(config.max)
    this.on("release", (_, client) => {
      const claim = this.#claims.get(client)
      if (claim !== undefined) this.#end(claim)
    })
  }

  override connect(): Promise<PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<PoolClient> | void {
    // Work without an owner shares with nobody.
    const claim: Claim = { priority: priorityOfFiber(), owner: ownerOfFiber() ?? String(++this.#unowned) }
    if (callback !== undefined) return this.#connect(claim, callback)
    return new Promise((resolve, reject) =>
      this.#connect(claim, (error, client) => client === undefined ? reject(error) : resolve(client))
    )
  }

  #connect(claim: Claim, callback: Callback): void {
    const since = performance.now()
    const begin = () =>
      super.connect((error, client, done) => {
        if (client === undefined) {
          if (this.#makesDo(failureCode(error))) return this.#begin(this.#shares.putBack(claim, demand, since))
          this.#end(claim)
        } else this.#claims.set(client, claim)
        callback(error, client, done)
      })
    const demand = { begin, refuse: () => callback(noConnection(), undefined, () => {}) }
    this.#widen(since)
    if (this.#shares.take(claim, demand, since)) return begin()
    this.crowded.unsafeOpen()
  }

  #begin(demands: ReadonlyArray<Demand>): void {
    for (const { begin } of demands) begin()
  }

  #end(claim: Claim): void {
    this.#begin(this.#shares.end(claim))
  }

  /** If the server or the system gives no further connection, all work shares those that are open, and urgent work goes first. */
  #makesDo(code: string): boolean {
    const now = performance.now()
    this.trouble.note(code, now)
    if (!lacksConnection(code) || this.totalCount === 0) return false
    this.#makesDoUntil = now + makesDoFor
    this.#begin(this.#shares.share(this.totalCount))
    this.crowded.unsafeOpen()
    return true
  }

  #widen(now: number): void {
    if (this.#makesDoUntil === 0 || now < this.#makesDoUntil) return
    this.#makesDoUntil = 0
    this.#begin(this.#shares.share(this.options.max))
  }

  /** Refuses the demands that have waited for too long, and reports how long the others have. */
  look(overload: Overload): ReturnType<Overload["judge"]> {
    const now = performance.now()
    this.#widen(now)
    for (const { refuse } of this.#shares.expired(now)) refuse()
    const waitMs = this.#shares.longestWait(now)
    longestWait.set(waitMs / 1000)
    const news = overload.judge(waitMs, now)
    if (this.#shares.waiting() === 0 && !overload.lasts()) this.crowded.unsafeClose()
    return news
  }

  get waitingDemands(): number {
    return this.#shares.waiting()
  }
}

/** Logs the beginning and the end of an overload, whatever it delays: one line each. */
export const watchOverload = (pool: PriorityPool) => {
  const overload = makeOverload()
  const look = Effect.suspend(() => {
    const news = pool.look(overload)
    if (news === null) return Effect.void
    return news._tag === "Began"
      ? Effect.logWarning(
        `Database overloaded: ${pool.waitingDemands} statements wait for a connection. Checks and edits are stored later; alarms ` +
          `and deliveries go first. Raise DATABASE_POOL (now ${pool.options.max}), or give PostgreSQL more CPU or faster disks.`
      )
      : Effect.logInfo(`Database no longer overloaded, after ${Math.round(news.ms / 1000)} s`)
  })
  const loop = pool.crowded.await.pipe(Effect.zipRight(Effect.sleep(lookEvery)), Effect.zipRight(look), Effect.forever)
  return restartForever("Watching the database for overload", loop).pipe(
    // Uses real time even when the program runs on a test clock.
    Effect.withClock(Clock.make()),
    Effect.interruptible,
    Effect.forkScoped
  )
}
