/** The deployment's secret, stored in the data folder when `BELLTOWER_SECRET` is not set. */
import { type Cause, Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { link, open, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseUnavailable } from "./postgres/DatabaseUnavailable.ts"
import { makeFolder } from "./postgres/MakeFolder.ts"

const hasCode = (code: string) => ({ error }: Cause.UnknownException): boolean =>
  error instanceof Error && "code" in error && error.code === code

const reasonOf = ({ error }: Cause.UnknownException): string => error instanceof Error ? error.message : String(error)

export const secretFile = (dataDir: string): string => join(dataDir, "secret")

const required = new DatabaseUnavailable({
  message: "BELLTOWER_SECRET is required with DATABASE_URL. Set it to the secret that the database was first used with; " +
    "for a new database, to a random text of 16 characters or more (openssl rand -hex 32)."
})

/**
 * Reads the secret file of a data folder. For the database in the same folder, creates it (mode 0600) on the first start; another
 * database may be sealed with another secret already.
 */
export const deploymentSecret = (dataDir: string, database: "embedded" | "external") => {
  const path = secretFile(dataDir)
  const read = Effect.tryPromise(() => readFile(path, "utf8"))
  const write = Effect.tryPromise(async () => {
    await makeFolder(dataDir)
    // Writes a temporary file and links it into place, so a crash leaves a complete file or none, and an existing secret is
    // never overwritten. Data sealed with a lost secret is lost.
    const fresh = `${path}.new-${process.pid}`
    const file = await open(fresh, "w", 0o600)
    const secret = randomBytes(32).toString("base64url")
    await file.writeFile(`${secret}\n`)
    await file.sync()
    await file.close()
    await link(fresh, path).finally(() => rm(fresh, { force: true }))
    return secret
  })
  const create = Effect.catchIf(write, hasCode("EEXIST"), () => read)
  const found = database === "embedded" ? Effect.catchIf(read, hasCode("ENOENT"), () => create) : read
  return found.pipe(
    Effect.mapError((cause) =>
      database === "external" && hasCode("ENOENT")(cause) ? required : new DatabaseUnavailable({
        message: `Cannot read or write ${path}: ${reasonOf(cause)}. BELLTOWER_DATA_DIR must be a writable folder.`,
        cause
      })
    ),
    Effect.filterOrFail(
      (text) => text.trim().length >= 16,
      () =>
        new DatabaseUnavailable({
          message: `${path} is damaged. Restore it from a backup, or set BELLTOWER_SECRET to its original content.`
        })
    ),
    Effect.map((text) => Redacted.make(text.trim()))
  )
}
