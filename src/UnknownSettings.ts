/** Finds misspelt settings: variables with the prefix `BELLTOWER_` that no setting reads. */
import { ConfigError, ConfigProvider, ConfigProviderPathPatch, Effect, HashSet } from "effect"
import { nearest } from "./domain/tools/Nearest.ts"
import { settings } from "./Settings.ts"

const prefix = "BELLTOWER_"

/** The variables that the settings read, recorded while loading them, which avoids a second list. */
const settingNames = Effect.suspend(() => {
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

const withoutPrefix = (name: string) => name.startsWith(prefix) ? name.slice(prefix.length) : name

/** One warning for each non-empty variable that begins with `BELLTOWER_` but is not a setting. */
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
      const advice = meant === null ? "docs/operations.md lists the settings" : `did you mean ${known.get(meant)}?`
      return `${name} is unknown; ${advice}`
    })
})
