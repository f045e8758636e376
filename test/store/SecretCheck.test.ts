/** A process with another secret than the database is recognized. */
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Redacted } from "effect"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { checkSecret } from "../../src/store/SecretCheck.ts"
import { Vault } from "../../src/store/Vault.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"

const options = { maxConnections: 2, applicationName: "belltower test" }

const makePlace = Effect.map(newDatabase("migrated"), (address) => {
  const database = Database.layer(address, options)
  return {
    /** A start with a secret. */
    check: (secret: string) =>
      Effect.provide(checkSecret("BELLTOWER_SECRET"), Layer.merge(database, Vault.layer(Redacted.make(secret)))),
    run: <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
      Effect.provide(Effect.flatMap(SqlClient.SqlClient, use), database)
  }
})

const [right, wrong] = ["the secret of this deployment", "another secret altogether"] as const

describe("the secret", () => {
  it.scopedLive("of the first process is that of all later ones", () =>
    Effect.gen(function*() {
      const { check } = yield* makePlace
      yield* check(right)
      yield* check(right)
      const { message } = yield* Effect.flip(check(wrong))
      assert.match(message, /^BELLTOWER_SECRET is not the secret that this database is sealed with\. Use [^\n]+$/)
      assert.notInclude(message, wrong)
    }))

  it.scopedLive("of processes that start together on an empty database is the same, or the others stop", () =>
    Effect.gen(function*() {
      const { check, run } = yield* makePlace
      const secrets = [right, wrong, right, wrong, right, wrong]
      const ends = yield* Effect.forEach(
        secrets,
        (secret) => Effect.map(Effect.either(check(secret)), (end) => ({ secret, end })),
        {
          concurrency: "unbounded"
        }
      )
      const started = new Set(ends.filter(({ end }) => Either.isRight(end)).map(({ secret }) => secret))
      assert.strictEqual(started.size, 1)
      assert.strictEqual(ends.filter(({ end }) => Either.isRight(end)).length, 3)
      assert.strictEqual((yield* run((sql) => sql`select from secret_check`)).length, 1)
    }))
})
