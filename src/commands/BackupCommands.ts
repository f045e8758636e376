/** The operator's commands that back the database up, restore it, and move it to another server. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Either, Option, Redacted } from "effect"
import { existsSync } from "node:fs"
import type { Client } from "pg"
import { parsedUrl } from "../../schema/UrlText.ts"
import { say } from "../deployment/Output.ts"
import type { TableCount } from "../domain/backup/BackupRecords.ts"
import { type MoveWish, readBackupWish, readMoveWish, readRestoreWish, type RestoreWish } from "../domain/backup/BackupWish.ts"
import { lostLines } from "../domain/backup/RestoreText.ts"
import { BadSetting } from "../settings/BadSetting.ts"
import type { Settings } from "../settings/Settings.ts"
import { type BackupContent, BackupFailed, counted, readBackup, verifyBackup, writeBackup } from "../store/backup/BackupFile.ts"
import { beginDump } from "../store/backup/DumpDatabase.ts"
import {
  acquireClient,
  commandName,
  fillFromBackup,
  fillFromDatabase,
  refuseInUse,
  setMovedAside
} from "../store/backup/FillDatabase.ts"
import { loadRecords } from "../store/backup/LoadBackup.ts"
import { noteBackup } from "../store/backup/Restores.ts"
import { lastSignOfLife, settleRestore } from "../store/backup/SettleRestore.ts"
import { verify } from "../store/postgres/Migrations.ts"
import { withDatabase, withServersDatabase } from "./OnDatabase.ts"

const progressEvery = "10 seconds"

const grouped = (count: number): string => count.toLocaleString("en-US")
const megabytes = (bytes: number): string => `${grouped(Math.ceil(bytes / 1e6))} MB`

const rowsOf = (tables: ReadonlyArray<TableCount>): string =>
  `${grouped(tables.reduce((sum, { rows }) => sum + rows, 0))} rows of ${tables.length} tables`

const failedWith = (what: string) => (cause: unknown) =>
  new BackupFailed({ message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, cause })

/** Says every 10 s how far it is. */
const withProgress = <A, E, R>(what: string, work: (onRows: (bytes: Buffer) => void) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let done = 0
    const report = Effect.delay(Effect.suspend(() => Effect.logInfo(`${what}: ${megabytes(done)}`)), progressEvery)
    return Effect.raceFirst(
      work((bytes) => {
        done += bytes.length
      }),
      Effect.forever(report)
    )
  })

const noKey = new BadSetting({
  message:
    "Set BELLTOWER_BACKUP_KEY, which encrypts backups, to the output of \"openssl rand -hex 32\", and keep a copy apart from them. " +
    "--plain writes the backup in the clear"
})

/** Works while the server runs. */
const backUp = Effect.fn("BackupCommands.backUp")(function*(settings: Settings, words: ReadonlyArray<string>) {
  const { isPlain, path } = yield* Either.mapLeft(readBackupWish(words), (message) => new BadSetting({ message }))
  const key = isPlain ? Option.none() : settings.backupKey
  if (!isPlain && Option.isNone(key)) return yield* noKey
  if (existsSync(path)) return yield* new BadSetting({ message: `${path} exists. Give the backup a name of its own.` })
  const made = Effect.gen(function*() {
    yield* verify
    const client = yield* acquireClient
    const dump = yield* Effect.tryPromise({ try: () => beginDump(client), catch: failedWith("The database cannot be read") })
    yield* withProgress("Backed up", (onRows) => writeBackup(path, key, dump.records(onRows)))
    yield* noteBackup(dump.head.takenAt)
    return dump.head.takenAt
  }).pipe(Effect.scoped)
  const takenAt = yield* withServersDatabase(settings, (database) => Effect.provide(made, database))
  yield* say(settings.logFormat, `Backed up the database as of ${DateTime.formatIso(takenAt)} to ${path}`)
})

const contentLine = ({ head, tables }: BackupContent): string =>
  `version ${head.programVersion}, as of ${DateTime.formatIso(head.takenAt)}, schema ${
    head.migrations.at(-1)?.name ?? "none"
  }, ` +
  rowsOf(tables)

const restored = Effect.fn("BackupCommands.restore")(
  function*(settings: Settings, wish: Extract<RestoreWish, { readonly _tag: "Restore" }>) {
    const source = { path: wish.path, key: settings.backupKey, allowsPlain: wish.allowsPlain }
    const databaseUrl = wish.into === null ? settings.databaseUrl : yield* addressOf(wish.into)
    // A damaged file changes nothing, so all of it is read first.
    const content = yield* verifyBackup(source)
    yield* Effect.logInfo(`The backup is complete: ${contentLine(content)}`)
    const load = (client: Client) =>
      withProgress("Restored", (onRows) => readBackup(source, (records) => loadRecords(client, content.head, records, onRows)))
    const { result, tables } = yield* withDatabase(
      { ...settings, databaseUrl, databaseReadUrl: Option.none() },
      (database) => Effect.provide(fillFromBackup(content.head, wish, load), database),
      commandName
    )
    const lost = Option.match(result, { onNone: () => [], onSome: lostLines })
    yield* say(
      settings.logFormat,
      [
        `Restored ${rowsOf(tables)} of ${wish.path}, version ${content.head.programVersion}.`,
        ...lost,
        "Start Belltower with the BELLTOWER_SECRET of the backup's time."
      ].join("\n")
    )
  }
)

/** The database was recovered by a snapshot or from a WAL archive: settles what was due since its last sign of life. */
const recovered = (settings: Settings) =>
  Effect.gen(function*() {
    const settled = Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* refuseInUse
      yield* verify
      const { at } = yield* lastSignOfLife
      if (at === null) return yield* new BadSetting({ message: "No process has ever used this database: nothing was due." })
      return yield* sql.withTransaction(settleRestore(at))
    })
    const restore = yield* withDatabase(settings, (database) => Effect.provide(settled, database), commandName)
    yield* say(settings.logFormat, lostLines(restore).join("\n"))
  })

const restore = Effect.fn("BackupCommands.restoreOrVerify")(function*(settings: Settings, words: ReadonlyArray<string>) {
  const wish = yield* Either.mapLeft(readRestoreWish(words), (message) => new BadSetting({ message }))
  switch (wish._tag) {
    case "Recovered":
      return yield* recovered(settings)
    case "Restore":
      return yield* restored(settings, wish)
    case "Verify": {
      const content = yield* verifyBackup({ path: wish.path, key: settings.backupKey, allowsPlain: wish.allowsPlain })
      return yield* say(settings.logFormat, `${wish.path} is complete: ${contentLine(content)}`)
    }
  }
})

/** None for the embedded database. */
const addressOf = (text: string) =>
  ["postgres:", "postgresql:"].includes(parsedUrl(text)?.protocol ?? "")
    ? Effect.succeedSome(Redacted.make(text))
    : new BadSetting({ message: "The address of a database begins with postgres:// or postgresql://" })

const nextSteps = ({ dataDir, databaseUrl, secret }: Settings, to: MoveWish["to"]): string => {
  if (to === "embedded") {
    return `Next: remove DATABASE_URL, keep BELLTOWER_SECRET and BELLTOWER_DATA_DIR=${dataDir}, and start Belltower.`
  }
  const ownSecret = Option.isNone(databaseUrl) && Option.isNone(secret)
    ? ` and BELLTOWER_SECRET to the content of ${dataDir}/secret`
    : ""
  return `Next: set DATABASE_URL to the new address${ownSecret} for all processes, and start Belltower.`
}

/** Copies the database of the settings, which no process uses, and sets it aside. */
const move = Effect.fn("BackupCommands.move")(function*(settings: Settings, words: ReadonlyArray<string>) {
  const wish = yield* Either.mapLeft(readMoveWish(words), (message) => new BadSetting({ message }))
  const to = wish.to === "embedded" ? Option.none() : yield* addressOf(wish.to)
  const isSame = Option.match(settings.databaseUrl, {
    onNone: () => Option.isNone(to),
    onSome: (from) => Option.exists(to, (there) => Redacted.value(there) === Redacted.value(from))
  })
  if (isSame) return yield* new BadSetting({ message: "The database is there already." })
  const moved = Effect.gen(function*() {
    yield* refuseInUse
    yield* verify
    const reader = yield* acquireClient
    const dump = yield* Effect.tryPromise({ try: () => beginDump(reader), catch: failedWith("The database cannot be read") })
    const load = (client: Client) =>
      withProgress("Moved", (onRows) =>
        Effect.tryPromise({
          try: () => loadRecords(client, dump.head, counted(dump.records(onRows)), () => {}),
          catch: failedWith("The move failed")
        }))
    const { tables } = yield* withDatabase(
      { ...settings, databaseUrl: to, databaseReadUrl: Option.none() },
      (target) => Effect.provide(fillFromDatabase(dump.head, wish, load), target),
      commandName
    )
    // Processes that were started meanwhile have written to what is out of date now.
    yield* refuseInUse
    yield* setMovedAside
    return tables
  }).pipe(Effect.scoped)
  const tables = yield* withDatabase(settings, (database) => Effect.provide(moved, database), commandName)
  yield* say(
    settings.logFormat,
    `Moved ${rowsOf(tables)}; the counts agree. The former database is set aside: processes refuse to start on it.\n` +
      nextSteps(settings, wish.to)
  )
})

export const backupCommands = { backup: backUp, restore, "move-database": move }
