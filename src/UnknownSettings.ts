/** Finds misspelt settings: variables with our prefix that no setting reads. */
import { ConfigError, ConfigProvider, ConfigProviderPathPatch, Effect, HashSet } from "effect"
import { nearest } from "./domain/Nearest.ts"
import { settings } from "./Settings.ts"

const prefix = "BELLTOWER_"

/** The names that reading all settings asks for, so that there is no second list of them. */
const settingNames = Effect.suspend(() => {
  const asked = new Set<string>()
  const recorder = ConfigProvider.fromFlat(
    ConfigProvider.makeFlat({
      load: (path) => {
        for (const name of path) asked.add(name)
        return Effect.fail(ConfigError.MissingData([...path], "Nothing is set while names are recorded"))
      },
      enumerateChildren: () => Effect.succeed(HashSet.empty()),
      patch: ConfigProviderPathPatch.empty
    })
  )
  return Effect.as(Effect.ignore(recorder.load(settings)), asked)
})

const withoutPrefix = (name: string) => name.startsWith(prefix) ? name.slice(prefix.length) : name

/** One warning for each variable that begins with `BELLTOWER_`, is not empty and is no setting. */
export const unknownSettings = Effect.fn("UnknownSettings.find")(function*(
  environment: Readonly<Record<string, string | undefined>>
) {
  const names = yield* settingNames
  const known = new Map([...names].map((name) => [withoutPrefix(name), name]))
  return Object.entries(environment)
    .filter(([name, value]) => name.startsWith(prefix) && value !== undefined && value !== "")
    .filter(([name]) => !names.has(name))
    .map(([name]) => {
      const meant = nearest(withoutPrefix(name), [...known.keys()])
      return `${name} is unknown; ${meant === null ? "README.md lists the settings" : `did you mean ${known.get(meant)}?`}`
    })
})
