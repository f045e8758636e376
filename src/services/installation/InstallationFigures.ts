/** Prometheus metrics of the installation as a whole: its database, its newest backup, the certificate of its address. */
import { Effect, Layer } from "effect"
import { Gauge } from "prom-client"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { requestBounded } from "../../external/BoundedRequest.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { repeatForever } from "../../loops/RestartForever.ts"
import { type DatabaseFigures, makeDatabaseFigures, makeNewestBackup } from "../../store/DatabaseFigures.ts"
import { showExpiry } from "./CertificateExpiry.ts"

const gauge = (name: string, help: string) => new Gauge({ name, help })

const database = {
  bytes: gauge("belltower_database_size_bytes", "Size of the database"),
  connections: gauge("belltower_database_connections", "Connections of all programs to the PostgreSQL server"),
  maxConnections: gauge("belltower_database_max_connections", "Connections that the PostgreSQL server takes"),
  oldestTransaction: gauge(
    "belltower_database_oldest_transaction_seconds",
    "How long the oldest transaction on the PostgreSQL server has run; while it does, nothing newer is vacuumed"
  ),
  transactionIdsUsed: gauge(
    "belltower_database_transaction_ids_used_ratio",
    "Part of the transaction ids that is used since the last freeze; PostgreSQL takes no writes before 1"
  )
} satisfies Record<Exclude<keyof DatabaseFigures, "rows">, Gauge>

const rows = new Gauge({
  name: "belltower_database_rows",
  help: "Rows of a table, as PostgreSQL estimated them at its last analysis",
  labelNames: ["table"]
})

/** When the newest backup was complete, ms since 1970, and the time now; null if there was none. */
let readBackup = (): { readonly at: number; readonly now: number } | null => null
new Gauge({
  name: "belltower_backup_age_seconds",
  help: "Age of the newest complete backup by belltower backup; absent if there was none",
  // Runs at each scrape, so that the age grows while the database is away.
  collect() {
    const backup = readBackup()
    if (backup === null) this.remove()
    else this.set(Math.max(0, backup.now - backup.at) / 1000)
  }
})

const measureDatabase = ({ rows: counts, ...figures }: DatabaseFigures): void => {
  database.bytes.set(figures.bytes)
  database.connections.set(figures.connections)
  database.maxConnections.set(figures.maxConnections)
  database.oldestTransaction.set(figures.oldestTransaction)
  database.transactionIdsUsed.set(figures.transactionIdsUsed)
  for (const [table, count] of Object.entries(counts)) rows.set({ table }, count)
}

const timeoutMs = 10_000

/** Reads the certificate, also one that is not trusted: its expiry is the problem then. */
const readCertificate = (guard: EgressGuard, url: URL) =>
  Effect.gen(function*() {
    const { certificate, failure } = yield* requestBounded(guard, { url, method: "HEAD", headers: {}, timeoutMs, limit: 0 })
    // While it cannot be read, the last one stands.
    if (certificate !== null) showExpiry(url.host, certificate)
    else {
      yield* Effect.logDebug(`The certificate of ${url.host} cannot be read: ${failure?.message ?? "none"}`)
    }
  })

const figures = Effect.gen(function*() {
  const read = yield* makeDatabaseFigures
  const newestBackup = yield* makeNewestBackup
  const clock = yield* Effect.clock
  let backupAt: number | null = null
  readBackup = () => backupAt === null ? null : { at: backupAt, now: clock.unsafeCurrentTimeMillis() }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      readBackup = () => null
    })
  )
  const look = Effect.gen(function*() {
    measureDatabase(yield* read())
    backupAt = yield* newestBackup
  })
  yield* Effect.forkScoped(repeatForever("Reading the figures of the database", "1 minute", look))
  const url = new URL(yield* BaseUrl)
  if (url.protocol !== "https:") return
  const certificate = readCertificate(yield* EgressGuard, url)
  yield* Effect.forkScoped(repeatForever("Reading the certificate of the public address", "1 hour", certificate))
})

/** Reads them once a minute, the certificate once an hour. */
export const InstallationFigures = Layer.scopedDiscard(figures)
