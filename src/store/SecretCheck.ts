/** Compares the secret of a process with the one that the database is sealed with: with another one, every alert would fail. */
import { SqlClient } from "@effect/sql"
import { Data, Effect, Either } from "effect"
import { Vault } from "./Vault.ts"

/** The process was given another secret. `message` is one line for the operator. */
class WrongSecret extends Data.TaggedError("WrongSecret")<{ readonly message: string }> {}

/** Sealed and stored when the first process starts. Its content says nothing. */
const text = "belltower"

interface Sealed {
  readonly sealed: string
}

/**
 * Fails if the database is sealed with another secret. `origin` says where the secret is from. Processes that start together on a new
 * database agree on one check: the others compare their secret with that of the first.
 */
export const checkSecret = (origin: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const opens = ({ sealed }: Sealed) => Either.isRight(vault.unsealed(sealed))
    const wrong = new WrongSecret({
      message: `${origin} is not the secret that this database is sealed with. ` +
        "Use the secret of the other processes, or restore the original one: without it, channels and tokens cannot be read."
    })
    const read = sql<Sealed>`select sealed from secret_check`
    const before = yield* read
    if (before.length === 0) {
      const sealed = yield* vault.seal(text)
      yield* sql`insert into secret_check (sealed) values (${sealed}) on conflict do nothing`
    }
    const checks = before.length === 0 ? yield* read : before
    if (!checks.every(opens)) return yield* wrong
  }).pipe(Effect.withSpan("SecretCheck.check"))
