/** The command that shows the settings in effect, with their sources, and everything that is wrong with them. */
import { Console, Effect, Either, Option } from "effect"
import { runnerAddressOf } from "../deployment/RunnerAddressOf.ts"
import { usualDrainSec } from "../deployment/RunUntil.ts"
import { admissionOf } from "../domain/access/Registration.ts"
import { readRoleOptions, type Role } from "../domain/program/RoleOptions.ts"
import { isReadBy } from "../domain/program/SettingRoles.ts"
import { hiddenValue, settingLines, type ShownSetting, shownValue } from "../domain/program/ShownSetting.ts"
import { BadSetting } from "../settings/BadSetting.ts"
import { baseUrlOf } from "../settings/BaseUrlOf.ts"
import { isIsolationRequired } from "../settings/IsolationWish.ts"
import { settingNames } from "../settings/SettingFiles.ts"
import { findSettings, type Settings, settings, type SettingsFound } from "../settings/Settings.ts"
import { factsOf } from "../settings/SettingTypes.ts"
import { unknownSettings } from "../settings/UnknownSettings.ts"

/** Defaults that depend on other settings or on the machine, as the program derives them. */
const derived = (role: Role, found: Settings) =>
  Effect.map(runnerAddressOf({ role, settings: found }), ({ host }): Readonly<Record<string, string>> => ({
    BELLTOWER_URL: baseUrlOf(found),
    BELLTOWER_RUNNER_HOST: host,
    BELLTOWER_DRAIN_SEC: String(role === "api" ? usualDrainSec : 0),
    BELLTOWER_ISOLATION: isIsolationRequired(found, baseUrlOf(found)) ? "required" : "best",
    BELLTOWER_REGISTRATION: admissionOf(found.registration, found.allowTargets.forAll.length > 0)
  }))

const shownSetting =
  ({ files, given }: SettingsFound, defaults: Readonly<Record<string, string>>) => (name: string): ShownSetting => {
    const { byDefault, isSecret } = factsOf(name)
    const value = given.get(name)
    if (value !== undefined) {
      const file = files.get(name)
      return { name, value: shownValue(value, isSecret), source: file === undefined ? "environment" : `file ${file}` }
    }
    return name === "BELLTOWER_SECRET" && given.has("BELLTOWER_SECRET_COMMAND")
      ? { name, value: hiddenValue, source: "command BELLTOWER_SECRET_COMMAND" }
      : { name, value: byDefault ?? defaults[name] ?? null, source: "default" }
  }

/** Everything that the command says. */
export const inspectSettings = Effect.fn("ConfigCommand.inspect")(
  function*(role: Role, environment: Readonly<Record<string, string | undefined>>) {
    const found = yield* findSettings(role, environment)
    const names = [...yield* settingNames(settings)].filter((name) => isReadBy(role, name))
    const defaults = Option.isSome(found.settings) ? yield* derived(role, found.settings.value) : {}
    return {
      role,
      settings: names.map(shownSetting(found, defaults)),
      unknown: yield* unknownSettings(environment),
      problems: found.problems
    }
  }
)

/** Ends with 1 if anything is wrong. */
export const runConfig = Effect.fn("ConfigCommand.run")(
  function*(words: ReadonlyArray<string>, environment: Readonly<Record<string, string | undefined>>) {
    const { isJson, role } = yield* Either.mapLeft(readRoleOptions("config", words), (message) => new BadSetting({ message }))
    const found = yield* inspectSettings(role, environment)
    yield* Console.log(
      isJson ? JSON.stringify(found) : [
        ...settingLines(found.settings),
        ...found.unknown.map((line) => `warning: ${line}`),
        ...found.problems.map((line) => `problem: ${line}`)
      ].join("\n")
    )
    return found.problems.length === 0 ? 0 : 1
  }
)
