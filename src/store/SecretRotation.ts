/**
 * Seals everything again with the present secret, while processes run with both. A value that was sealed again needs nothing of the
 * previous secret, so an interrupted rotation goes on where it stopped.
 */
import { SqlClient } from "@effect/sql"
import { Data, Duration, Effect, Either, Struct } from "effect"
import { counted } from "../domain/tools/text/Counted.ts"
import { formerLinksKeyName } from "./LinkKeys.ts"
import { countOf } from "./postgres/Queries.ts"
import { cellOf, type KeyPart, type SealedColumn, sealedColumns } from "./SealedColumns.ts"
import { Vault } from "./Vault.ts"

/** Values of one transaction, which holds their rows for about 50 ms. */
const perBatch = 100

/** Rows that somebody holds are left for the next round. */
const mostRounds = 20
const pause = Duration.seconds(1)

/** Values are left that only the previous secret opens. `message` is one line for the operator. */
class RotationUnfinished extends Data.TaggedError("RotationUnfinished")<{ readonly message: string }> {}

/** The outcome for values that the present secret had not sealed. */
export interface Rotation {
  readonly resealed: number
  /** The cells of those that neither secret opens. They stay as they are. */
  readonly unreadable: ReadonlyArray<string>
}

/** Sealed last: until then, a process without the previous secret is refused. */
const lastColumn = "secret_check.sealed" satisfies SealedColumn

interface Batch extends Rotation {
  /** The key of the last row; null if there are no more. */
  readonly last: ReadonlyArray<KeyPart> | null
}

/** The statements about one column. */
const makeSteps = Effect.fnUntraced(function*(column: SealedColumn) {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  const [tableName = "", columnName = ""] = column.split(".")
  const [table, value] = [sql.literal(tableName), sql.literal(columnName)]
  const key = sealedColumns[column].map((name, at) => ({ name: sql.literal(name), alias: `key_${at}` }))
  const keyList = sql.csv(key.map(({ name }) => name))
  const waits = sql`${value} is not null and not starts_with(${value}, ${vault.prefix})`

  const after = (last: ReadonlyArray<KeyPart>) => sql`(${keyList}) > (${sql.csv(last.map((part) => sql`${part}`))})`

  /** The next ones in the order of the primary key, with their rows locked. Nobody is waited for, so this is part of no deadlock. */
  const next = (last: ReadonlyArray<KeyPart> | null) =>
    sql<{ readonly sealed: string } & Readonly<Record<string, KeyPart>>>`
      select ${sql.csv(key.map(({ alias, name }) => sql`${name} as ${sql.literal(alias)}`))}, ${value} as sealed
      from ${table} where ${last === null ? waits : sql`${waits} and ${after(last)}`}
      order by ${keyList} limit ${perBatch} for no key update skip locked`

  const write = (row: ReadonlyArray<KeyPart>, sealed: string) =>
    sql`
      update ${table} set ${value} = ${sealed}
      where (${keyList}) = (${sql.csv(row.map((part) => sql`${part}`))})`

  const batch = Effect.fnUntraced(function*(last: ReadonlyArray<KeyPart> | null) {
    const rows = yield* next(last)
    const unreadable: Array<string> = []
    const keys = rows.map((row) => key.flatMap(({ alias }) => row[alias] ?? []))
    for (const [at, { sealed }] of rows.entries()) {
      const cell = cellOf(column, ...keys[at] ?? [])
      const opened = vault.unsealed(cell, sealed)
      if (Either.isLeft(opened)) unreadable.push(`${column} of ${cell.row}`)
      else yield* write(keys[at] ?? [], yield* vault.seal(cell, opened.right))
    }
    const done: Batch = {
      resealed: rows.length - unreadable.length,
      unreadable,
      last: rows.length < perBatch ? null : keys.at(-1) ?? null
    }
    return done
  }, sql.withTransaction)

  /** Seals the values of all rows again, except of those that somebody holds. */
  const pass = Effect.fn("SecretRotation.pass")(function*() {
    let [resealed, unreadable]: [number, ReadonlyArray<string>] = [0, []]
    let last: Batch["last"] = null
    do {
      const done: Batch = yield* batch(last)
      resealed += done.resealed
      unreadable = [...unreadable, ...done.unreadable]
      last = done.last
    } while (last !== null)
    if (resealed > 0) yield* Effect.logInfo(`Sealed ${counted(resealed, "value")} of ${column} with the new secret`)
    return { resealed, unreadable } satisfies Rotation
  })

  return { pass: pass(), waiting: countOf(sql`select count(*)::int as count from ${table} where ${waits}`) }
})

const together = (parts: ReadonlyArray<Rotation>): Rotation => ({
  resealed: parts.reduce((sum, part) => sum + part.resealed, 0),
  unreadable: parts.flatMap(({ unreadable }) => unreadable)
})

const columns = Struct.keys(sealedColumns)

/**
 * Returns when nothing is left that only the previous secret opens. Fails if something is: rows stay in use, or a process still seals
 * with the previous secret.
 */
export const rotateSecret = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const steps = yield* Effect.forEach(columns.filter((column) => column !== lastColumn), makeSteps)
  let resealed = 0
  for (let round = 1;; round++) {
    const done = together(yield* Effect.forEach(steps, ({ pass }) => pass))
    resealed += done.resealed
    const waiting = (yield* Effect.forEach(steps, (step) => step.waiting)).reduce((sum, count) => sum + count, 0)
    const left = waiting - done.unreadable.length
    if (left <= 0) {
      const check = yield* Effect.flatMap(makeSteps(lastColumn), ({ pass }) => pass)
      // The key of links followed from a secret that is no longer trusted.
      yield* sql`delete from installation_keys where name = ${formerLinksKeyName}`
      return { resealed: resealed + check.resealed, unreadable: done.unreadable } satisfies Rotation
    }
    if (round === mostRounds) {
      return yield* new RotationUnfinished({
        message:
          `${left} values are still sealed with the previous secret: their rows are in use, or a process does not have the new ` +
          "secret yet. Keep BELLTOWER_SECRET_PREVIOUS, and run \"belltower rotate-secret\" again."
      })
    }
    yield* Effect.sleep(pause)
  }
})
