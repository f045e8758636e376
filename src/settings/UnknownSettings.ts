/** Finds misspelt settings: variables with the prefix `BELLTOWER_` that no setting reads. */
import { Effect } from "effect"
import { variablesOfCommands } from "../domain/program/Commands.ts"
import { nearest } from "../domain/tools/text/Nearest.ts"
import { settingInFile, settingNames } from "./SettingFiles.ts"
import { settings } from "./Settings.ts"

const prefix = "BELLTOWER_"

const withoutPrefix = (name: string) => name.startsWith(prefix) ? name.slice(prefix.length) : name

/** One warning for each non-empty variable that begins with `BELLTOWER_` but is not a setting. */
export const unknownSettings = Effect.fn("UnknownSettings.find")(function*(
  environment: Readonly<Record<string, string | undefined>>
) {
  const names = yield* settingNames(settings)
  const known = new Map([...names].map((name) => [withoutPrefix(name), name]))
  return Object.entries(environment)
    .filter(([name, value]) => name.startsWith(prefix) && value !== undefined && value !== "")
    .filter(([name]) => !names.has(name) && settingInFile(name, names) === null && !variablesOfCommands.includes(name))
    .map(([name]) => {
      const meant = nearest(withoutPrefix(name), [...known.keys()])
      const advice = meant === null ? "docs/operations.md lists the settings" : `did you mean ${known.get(meant)}?`
      return `${name} is unknown; ${advice}`
    })
})
