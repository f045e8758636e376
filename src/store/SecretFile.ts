/** The deployment's secret, stored in the data folder when `BELLTOWER_SECRET` is not set. */
import { type Cause, Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { link, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { secretProblem } from "../domain/secret/SecretStrength.ts"
import { DatabaseUnavailable } from "./postgres/DatabaseUnavailable.ts"
import { createPrivateFile, hasCode, replacePrivateFile } from "./PrivateFile.ts"
import type { DeploymentSecrets } from "./Vault.ts"

const reasonOf = ({ error }: Cause.UnknownException): string => error instanceof Error ? error.message : String(error)

export const secretFile = (dataDir: string): string => join(dataDir, "secret")

/** Exists while values are left that the previous secret has sealed. */
const previousFile = (dataDir: string): string => join(dataDir, "secret.previous")

const required = new DatabaseUnavailable({
  message: "BELLTOWER_SECRET is required with DATABASE_URL. Set it to the secret that the database was first used with; " +
    "for a new database, to the output of \"openssl rand -hex 32\"."
})

const unusable = (path: string) => (cause: Cause.UnknownException) =>
  new DatabaseUnavailable({
    message: `Cannot read or write ${path}: ${reasonOf(cause)}. BELLTOWER_DATA_DIR must be a writable folder.`,
    cause
  })

const freshText = (): string => `${randomBytes(32).toString("base64url")}\n`

/**
 * Reads the secret file of a data folder. For the database in the same folder, creates it (mode 0600) on the first start; another
 * database may be sealed with another secret already.
 */
const presentSecret = (dataDir: string, database: "embedded" | "external") => {
  const path = secretFile(dataDir)
  const read = Effect.tryPromise(() => readFile(path, "utf8"))
  const write = Effect.tryPromise(async () => {
    const text = freshText()
    // Data sealed with a lost secret is lost, so one that exists is never overwritten.
    await createPrivateFile(path, text)
    return text
  })
  const create = Effect.catchIf(write, hasCode("EEXIST"), () => read)
  const found = database === "embedded" ? Effect.catchIf(read, hasCode("ENOENT"), () => create) : read
  return found.pipe(
    Effect.mapError((cause) => database === "external" && hasCode("ENOENT")(cause) ? required : unusable(path)(cause)),
    Effect.filterOrFail(
      (text) => text.trim().length >= 16,
      () =>
        new DatabaseUnavailable({
          message: `${path} is damaged. Restore it from a backup, or set BELLTOWER_SECRET to its original content.`
        })
    ),
    Effect.filterOrFail(
      (text) => secretProblem(text.trim()) === null,
      () =>
        new DatabaseUnavailable({
          message:
            `The secret in ${path} is too easy to guess. Set BELLTOWER_SECRET_PREVIOUS to it and BELLTOWER_SECRET to the ` +
            "output of \"openssl rand -hex 32\", then run \"belltower rotate-secret\"."
        })
    ),
    Effect.map((text) => Redacted.make(text.trim()))
  )
}

const previousSecret = (dataDir: string) => {
  const path = previousFile(dataDir)
  return Effect.tryPromise(() => readFile(path, "utf8")).pipe(
    Effect.map((text) => Redacted.make(text.trim())),
    Effect.catchIf(hasCode("ENOENT"), () => Effect.succeed(null)),
    Effect.mapError(unusable(path))
  )
}

/** The secrets in the files of a data folder. */
export const secretsOfFiles = (
  dataDir: string,
  database: "embedded" | "external"
): Effect.Effect<DeploymentSecrets, DatabaseUnavailable> =>
  Effect.all({ present: presentSecret(dataDir, database), previous: previousSecret(dataDir) })

/**
 * Replaces the secret of a data folder by a fresh one, and keeps it as the previous one. If an earlier replacement was not completed by
 * `forgetPrevious`, its secret stays: it may have sealed something.
 */
export const replaceSecret = (dataDir: string): Effect.Effect<void, DatabaseUnavailable> =>
  Effect.tryPromise(async () => {
    const [path, kept] = [secretFile(dataDir), previousFile(dataDir)]
    const [present, previous] = await Promise.all([readFile(path, "utf8"), readFile(kept, "utf8").catch(() => null)])
    if (previous !== null && previous !== present) return
    if (previous === null) await link(path, kept)
    await replacePrivateFile(path, freshText())
  }).pipe(Effect.mapError(unusable(secretFile(dataDir))))

/** Removes the previous secret. Only if nothing is left that it has sealed. */
export const forgetPrevious = (dataDir: string): Effect.Effect<void, DatabaseUnavailable> =>
  Effect.tryPromise(() => rm(previousFile(dataDir), { force: true })).pipe(Effect.mapError(unusable(previousFile(dataDir))))
