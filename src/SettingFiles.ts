/** Settings in files: `BELLTOWER_SECRET_FILE=/run/secrets/belltower` is `BELLTOWER_SECRET`, set to what the file holds. */
import { type Config, ConfigError, ConfigProvider, ConfigProviderPathPatch, Effect, Either, HashSet } from "effect"
import { readFileSync } from "node:fs"

const suffix = "_FILE"

/** The variables that settings read, recorded while loading them, which avoids a second list. */
export const settingNames = (settings: Config.Config<unknown>): Effect.Effect<ReadonlySet<string>> =>
  Effect.suspend(() => {
    const asked = new Set<string>()
    const recorder = ConfigProvider.fromFlat(
      ConfigProvider.makeFlat({
        load: (path) => {
          for (const name of path) asked.add(name)
          return Effect.fail(ConfigError.MissingData([...path], "Recording names only"))
        },
        enumerateChildren: () => Effect.succeed(HashSet.empty()),
        patch: ConfigProviderPathPatch.empty
      })
    )
    return Effect.as(Effect.ignore(recorder.load(settings)), asked)
  })

/** The setting whose value a variable's file holds; null for other variables. */
export const settingInFile = (name: string, names: ReadonlySet<string>): string | null => {
  const setting = name.slice(0, -suffix.length)
  return name.endsWith(suffix) && names.has(setting) && !names.has(name) ? setting : null
}

/** Without the line break at its end, which editors and `echo` write. */
const contentOf = (name: string, path: string): Either.Either<string, string> =>
  Either.try({
    try: () => readFileSync(path, "utf8").replace(/\r?\n$/, ""),
    catch: (error) => `${name} must name a file that can be read: ${error instanceof Error ? error.message : String(error)}`
  }).pipe(Either.filterOrLeft((text) => text !== "", () => `${name} must not name an empty file: ${path}`))

type Environment = ReadonlyMap<string, string>

/** The variables that are given, with those whose values are in files. Fails with one line that names the setting, not its value. */
export const withFiles = (given: Environment, names: ReadonlySet<string>): Either.Either<Environment, string> =>
  Either.gen(function*() {
    const all = new Map(given)
    for (const [name, path] of given) {
      const setting = settingInFile(name, names)
      if (setting === null) continue
      if (given.has(setting)) return yield* Either.left(`${name} and ${setting} are both set. Remove one of them.`)
      all.set(setting, yield* contentOf(name, path))
      all.delete(name)
    }
    return all
  })
