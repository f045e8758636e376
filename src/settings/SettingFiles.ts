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

export type Environment = ReadonlyMap<string, string>

interface WithFiles {
  /** The variables that are given, with those whose values are in files. */
  readonly given: Environment
  /** The file of each setting that has its value from one. */
  readonly files: Environment
  /** One line for each file that cannot be used; it names the setting, not its value. */
  readonly problems: ReadonlyArray<string>
}

/** Reads the files. A setting whose file cannot be used is absent. */
export const withFiles = (environment: Environment, names: ReadonlySet<string>): WithFiles => {
  const given = new Map(environment)
  const files = new Map<string, string>()
  const problems: Array<string> = []
  for (const [name, path] of environment) {
    const setting = settingInFile(name, names)
    if (setting === null) continue
    given.delete(name)
    const content = environment.has(setting)
      ? Either.left(`${name} and ${setting} are both set. Remove one of them.`)
      : contentOf(name, path)
    if (Either.isLeft(content)) {
      problems.push(content.left)
      continue
    }
    given.set(setting, content.right)
    files.set(setting, path)
  }
  return { given, files, problems }
}
