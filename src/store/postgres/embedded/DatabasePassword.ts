/** The password of the embedded server's superuser: random, in a file of the cluster that only its owner can read. */
import { type Cause, Effect, Either, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { chown, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createPrivateFile, hasCode } from "../../PrivateFile.ts"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"
import type { Launcher } from "./PostgresLauncher.ts"

const passwordFile = (cluster: string): string => join(cluster, "belltower.password")

const unavailable = (cluster: string) => (cause: Cause.UnknownException): DatabaseUnavailable =>
  new DatabaseUnavailable({
    message: `Cannot read or write the database's password in ${cluster}: ${
      cause.error instanceof Error ? cause.error.message : String(cause.error)
    }. Run this as the user that runs the server.`,
    cause
  })

/** The password that the server of a cluster asks for; none if it was last started by a version that set none. */
export const passwordOf = (cluster: string): Effect.Effect<Option.Option<Redacted.Redacted>, DatabaseUnavailable> =>
  Effect.tryPromise(() => readFile(passwordFile(cluster), "utf8")).pipe(
    Effect.map((text) => Option.some(Redacted.make(text.trim()))),
    Effect.catchIf(hasCode("ENOENT"), () => Effect.succeedNone),
    Effect.mapError(unavailable(cluster))
  )

/** Writes a new password beside its place, unless another start has done so; returns what is there. */
const propose = (path: string, { owner }: Launcher) =>
  Effect.tryPromise(() => createPrivateFile(path, `${randomBytes(32).toString("base64url")}\n`, owner)).pipe(
    Effect.catchIf(hasCode("EEXIST"), () => Effect.void),
    Effect.zipRight(Effect.tryPromise(() => readFile(path, "utf8"))),
    Effect.map((text) => text.trim())
  )

/**
 * The password of a cluster that no server uses. A cluster without one gets one by `set`, which fails while another process has the
 * cluster. Its file takes its name after that, so a start that is killed in between is repeated with the same password.
 */
export const ensurePassword = Effect.fn("DatabasePassword.ensure")(function*(
  cluster: string,
  launcher: Launcher,
  set: (password: string) => Effect.Effect<void, DatabaseUnavailable>
) {
  const known = yield* passwordOf(cluster)
  if (Option.isSome(known)) return known.value
  const path = passwordFile(cluster)
  const proposed = yield* Effect.either(propose(`${path}.new`, launcher))
  // Another start may have set one, and have taken what was proposed.
  const meanwhile = yield* passwordOf(cluster)
  if (Option.isSome(meanwhile)) {
    yield* Effect.ignore(Effect.tryPromise(() => rm(`${path}.new`, { force: true })))
    return meanwhile.value
  }
  const password = yield* Either.mapLeft(proposed, unavailable(cluster))
  yield* set(password)
  yield* Effect.tryPromise(() => rename(`${path}.new`, path)).pipe(
    Effect.catchIf(hasCode("ENOENT"), () => Effect.void),
    Effect.mapError(unavailable(cluster))
  )
  return Redacted.make(password)
})

/**
 * Writes which connections the server accepts: all over its socket, with the password. The cluster's own `pg_hba.conf` stays as it
 * is, because the version that made it expects it. Returns the file's path.
 */
export const writeAccessRules = (cluster: string, { owner }: Launcher): Effect.Effect<string, DatabaseUnavailable> => {
  const path = join(cluster, "belltower.hba.conf")
  return Effect.tryPromise(async () => {
    await writeFile(path, "local all all scram-sha-256\n", { mode: 0o600 })
    if (owner !== undefined) await chown(path, owner.uid, owner.gid)
    return path
  }).pipe(Effect.mapError(unavailable(cluster)))
}
