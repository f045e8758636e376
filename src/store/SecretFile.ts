/** The deployment's secret: given, or kept in the data folder of a deployment that runs on embedded defaults. */
import { type Cause, Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { link, open, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseUnavailable } from "./postgres/DatabaseUnavailable.ts"
import { makeFolder } from "./postgres/MakeFolder.ts"

const hasCode = (code: string) => ({ error }: Cause.UnknownException): boolean =>
  error instanceof Error && "code" in error && error.code === code

const reasonOf = ({ error }: Cause.UnknownException): string => error instanceof Error ? error.message : String(error)

/** Reads the secret file of a data folder, writing a new one (mode 0600) the first time. */
export const deploymentSecret = (dataDir: string): Effect.Effect<Redacted.Redacted, DatabaseUnavailable> => {
  const path = join(dataDir, "secret")
  const read = Effect.tryPromise(() => readFile(path, "utf8"))
  const write = Effect.tryPromise(async () => {
    await makeFolder(dataDir)
    // Written beside its place, then linked there: it is whole or absent however the start ends, and never takes the place
    // of another's. What is sealed under a lost secret is lost.
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
        message: `Cannot read or write ${path}: ${reasonOf(cause)}. BELLTOWER_DATA_DIR must be a folder that can be written`,
        cause
      })
    ),
    Effect.filterOrFail(
      (text) => text.trim().length >= 16,
      () =>
        new DatabaseUnavailable({
          message: `${path} is damaged: restore it from a backup, or set BELLTOWER_SECRET to what it held`
        })
    ),
    Effect.map((text) => Redacted.make(text.trim()))
  )
}
