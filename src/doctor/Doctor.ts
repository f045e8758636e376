/** The command `belltower doctor`: says whether a process can run here, and what to do where it cannot. */
import { Console, Effect, Either, Logger, Option } from "effect"
import {
  type Diagnosis,
  diagnosisLines,
  doctorCode,
  failed,
  fine,
  secretTexts,
  type Seen,
  warning,
  withoutSecrets
} from "../domain/health/Diagnosis.ts"
import { readRoleOptions, type Role } from "../domain/program/RoleOptions.ts"
import { hiddenValue } from "../domain/program/ShownSetting.ts"
import { BadSetting } from "../settings/BadSetting.ts"
import { baseUrlOf } from "../settings/BaseUrlOf.ts"
import { findSettings, type SettingsFound } from "../settings/Settings.ts"
import { factsOf } from "../settings/SettingTypes.ts"
import { unknownSettings } from "../settings/UnknownSettings.ts"
import { examineDatabase } from "./DatabaseChecks.ts"
import { together } from "./Examine.ts"
import { examineKafka } from "./KafkaChecks.ts"
import { examineMachine } from "./MachineChecks.ts"
import { examineMail } from "./MailCheck.ts"
import { examineNetwork } from "./NetworkChecks.ts"
import { examinePhones } from "./PhoneCheck.ts"

type Environment = Readonly<Record<string, string | undefined>>

const named = (check: string, seen: ReadonlyArray<Seen>): ReadonlyArray<Diagnosis> => seen.map((one) => ({ ...one, check }))

const settingsSeen = ({ problems }: SettingsFound, role: Role, unknown: ReadonlyArray<string>): ReadonlyArray<Seen> => [
  ...problems.map((problem) => failed(problem, "Correct it: the start is refused. belltower config shows all settings.")),
  ...unknown.map((line) => warning(line, "Correct the name, or remove the variable.")),
  ...(problems.length + unknown.length === 0 ? [fine(`The settings are valid for the role ${role}`)] : [])
]

/** Everything that the doctor says, without the secrets of the settings, which servers and drivers may repeat. */
export const diagnose = Effect.fn("Doctor.diagnose")(function*(role: Role, environment: Environment) {
  const found = yield* findSettings(role, environment)
  const seen = named("settings", settingsSeen(found, role, yield* unknownSettings(environment)))
  const patient = Option.map(found.settings, (settings) => ({ role, settings, baseUrl: baseUrlOf(settings) }))
  const others = Option.isNone(patient) ? [] : yield* together([
    examineMachine(patient.value),
    examineDatabase(patient.value),
    examineKafka(patient.value),
    examineMail(patient.value),
    examinePhones(patient.value),
    examineNetwork(patient.value, new Set(found.given.keys()))
  ])
  const secrets = secretTexts([...found.given].flatMap(([name, value]) => factsOf(name).isSecret ? [value] : []))
  return [...seen, ...others].map((one) => ({
    ...one,
    found: withoutSecrets(one.found, secrets, hiddenValue),
    advice: one.advice === null ? null : withoutSecrets(one.advice, secrets, hiddenValue)
  }))
})

/** The findings say what the parts of the program would log. */
const silent = Logger.remove(Logger.defaultLogger)

export const runDoctor = Effect.fn("Doctor.run")(function*(words: ReadonlyArray<string>, environment: Environment) {
  const { isJson, role } = yield* Either.mapLeft(readRoleOptions("doctor", words), (message) => new BadSetting({ message }))
  const all = yield* Effect.provide(diagnose(role, environment), silent)
  yield* Console.log(isJson ? JSON.stringify({ role, findings: all }) : diagnosisLines(all).join("\n"))
  return doctorCode(all)
})
