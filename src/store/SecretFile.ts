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

/** Reads the secret file of a data folder; creates it (mode 0600) on the first start. */
export const deploymentSecret = (dataDir: string): Effect.Effect<Redacted.Redacted, DatabaseUnavailable> => {
  const path = join(dataDir, "secret")
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
  return read.pipe(
    Effect.catchIf(hasCode("ENOENT"), () => write),
    Effect.catchIf(hasCode("EEXIST"), () => read),
    Effect.mapError((cause) =>
      new DatabaseUnavailable({
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
