/** Infers a monitor's kind, fills in defaults, and validates what the schema alone cannot. */
import { Either } from "effect"
import type { Target } from "../../../../schema/monitor/kinds.ts"
import {
  largestMonitor,
  type Monitor,
  type MonitorInput,
  type MonitorUpdate,
  type RequestSecrets,
  type Rules
} from "../../../../schema/monitor/Monitor.ts"
import { headerProblem, isFraming, repeatedNames, repeatedProblem } from "../../check/answer/RequestHeaders.ts"
import type { Refusal } from "../../Refusal.ts"
import { confirmationOf, usualConfirmAfter } from "../Confirmation.ts"
import { isProbed, specs } from "../kinds.ts"
import { orBefore } from "../MonitorKindSpec.ts"
import { settleClientSecret } from "./ClientCredentials.ts"
import { keptSecrets } from "./MaskedSettings.ts"
import { settleTarget } from "./TargetSettings.ts"
import { settleClientKey } from "./TlsSettings.ts"

/** The shortest interval is that of the schema. */
const usualPace = { usualSec: 60, leastSec: 10 }

const noSecrets: RequestSecrets = { headers: {}, body: null, clientKey: null, clientSecret: null }

export interface MonitorSettings
  extends
    Rules,
    Pick<Monitor, "name" | "description" | "channelIds" | "reminderMinutes" | "dependsOn" | "urgency" | "ai" | "tags" | "paused">
{
  readonly target: Target
  readonly secrets: RequestSecrets
}

/** The values that a new monitor gets if its input omits them. */
type Defaults = Pick<MonitorSettings, "channelIds" | "regions">

const headerRefusal = (headers: Readonly<Record<string, string>>): Refusal | null => {
  for (const [name, value] of Object.entries(headers)) {
    const message = isFraming(name) ? `The header ${name} is reserved: the HTTP client sets it` : headerProblem(name, value)
    if (message !== null) return { path: `headers.${name}`, message }
  }
  return null
}

/** Of the input alone: what is stored, perhaps since before this rule, hinders no other edit. */
const repeatedRefusal = ({ headers = {} }: MonitorUpdate): Refusal | null => {
  const [name] = repeatedNames(headers)
  return name === undefined ? null : { path: `headers.${name}`, message: repeatedProblem(name) }
}

/** At most the interval, because otherwise checks would overlap. */
const timeoutOf = (input: MonitorUpdate, base: MonitorSettings | null, intervalSec: number): number =>
  Math.min(input.timeoutMs ?? base?.timeoutMs ?? 10_000, intervalSec * 1000)

/** A heartbeat reports by itself: nothing looks at it again, and each of its reports decides. */
const unprobedRefusal = (input: MonitorUpdate, target: Target): Refusal | null => {
  const path = (["confirmAfterSec", "failureRate"] as const).find((name) => (input[name] || null) !== null)
  return isProbed(target) || path === undefined ? null : { path, message: `${path} is not a setting of ${target.kind} monitors` }
}

/** 0 and null turn repetitions off. A value that is the default follows the interval, which no other can exceed. */
const confirmAfterOf = (
  { confirmAfterSec: given }: MonitorUpdate,
  base: MonitorSettings | null,
  target: Target,
  intervalSec: number
): Either.Either<number | null, Refusal> => {
  if (!isProbed(target)) return Either.right(null)
  const isUsual = base === null || base.confirmAfterSec === usualConfirmAfter(base.intervalSec)
  const wanted = given !== undefined ? given : isUsual ? usualConfirmAfter(intervalSec) : base.confirmAfterSec
  if (wanted === null || wanted === 0) return Either.right(null)
  return wanted <= intervalSec ? Either.right(wanted) : Either.left({
    path: "confirmAfterSec",
    message: `confirmAfterSec must not exceed the interval (${intervalSec} s)`,
    hint: "Set it to 0 to check again after the interval"
  })
}

const failureRateOf = (input: MonitorUpdate, base: MonitorSettings | null) => {
  const given = orBefore(input.failureRate, base?.failureRate)
  return given === null || given.failures <= given.of ? Either.right(given) : Either.left<Refusal>({
    path: "failureRate.failures",
    message: `failures must not exceed of: ${given.failures} of ${given.of} rounds cannot fail`
  })
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "")

/** Refuses settings that are too large together; each field alone may have its full length. */
const withinLimit = (settings: MonitorSettings): Either.Either<MonitorSettings, Refusal> => {
  const bytes = bytesOf(settings)
  if (bytes <= largestMonitor) return Either.right(settings)
  const parts = Object.entries({ ...settings, ...settings.target, ...settings.secrets, target: null, secrets: null })
  const [largest = ""] = parts.sort(([, one], [, other]) => bytesOf(other) - bytesOf(one)).map(([name]) => name)
  return Either.left({
    path: null,
    message: `The monitor takes ${bytes} bytes as JSON; at most ${largestMonitor} are allowed`,
    hint: `Shorten ${largest}, its largest setting`
  })
}

const settle = (
  input: MonitorUpdate,
  name: string,
  base: MonitorSettings | null,
  defaults: Defaults
): Either.Either<MonitorSettings, Refusal> =>
  Either.gen(function*() {
    const target = yield* settleTarget(input, base?.target ?? null)
    const { leastSec, usualSec } = specs[target.kind].pace ?? usualPace
    const intervalSec = input.intervalSec ?? base?.intervalSec ?? usualSec
    if (intervalSec < leastSec) {
      return yield* Either.left({
        path: "intervalSec",
        message: `intervalSec must be at least ${leastSec} for ${target.kind} monitors`
      })
    }
    const timeoutMs = timeoutOf(input, base, intervalSec)
    const foreign = unprobedRefusal(input, target)
    if (foreign !== null) return yield* Either.left(foreign)
    const confirmAfterSec = yield* confirmAfterOf(input, base, target, intervalSec)
    const failureRate = yield* failureRateOf(input, base)
    const kept = yield* keptSecrets(input, base?.secrets ?? noSecrets)
    const secrets = {
      ...kept,
      clientKey: yield* settleClientKey(input, target, kept.clientKey),
      clientSecret: yield* settleClientSecret(input, target, kept.clientSecret)
    }
    const refused = headerRefusal(secrets.headers) ?? repeatedRefusal(input)
    if (refused !== null) return yield* Either.left(refused)
    const description = orBefore(input.description, base?.description)
    return yield* withinLimit({
      name,
      description: description === "" ? null : description,
      target,
      secrets,
      intervalSec,
      timeoutMs,
      failureThreshold: input.failureThreshold ?? base?.failureThreshold ?? 2,
      recoveryThreshold: input.recoveryThreshold ?? base?.recoveryThreshold ?? 1,
      confirmAfterSec,
      failureRate,
      channelIds: [...new Set(input.channelIds ?? base?.channelIds ?? defaults.channelIds)],
      reminderMinutes: [...new Set(input.reminderMinutes ?? base?.reminderMinutes ?? [])].sort((a, b) => a - b),
      dependsOn: [...new Set(input.dependsOn ?? base?.dependsOn ?? [])],
      urgency: orBefore(input.urgency, base?.urgency) ?? null,
      ai: input.ai ?? base?.ai ?? true,
      tags: [...new Set(input.tags ?? base?.tags ?? [])],
      paused: input.paused ?? base?.paused ?? false,
      regions: [...new Set(input.regions ?? base?.regions ?? defaults.regions)]
    })
  })

export const settleNew = (input: MonitorInput, defaults: Defaults): Either.Either<MonitorSettings, Refusal> =>
  settle(input, input.name, null, defaults)

/** The settings after an edit; fields that the input omits keep their values. */
export const settleEdit = (input: MonitorUpdate, base: MonitorSettings): Either.Either<MonitorSettings, Refusal> =>
  settle(input, input.name ?? base.name, base, base)

/** True if an edit affects the probes: it changes what they check, when, or from where. */
export const changesChecks = (before: MonitorSettings, after: MonitorSettings): boolean => {
  const probed = (settings: MonitorSettings) => {
    const { intervalSec, paused, regions, secrets, target, timeoutMs } = settings
    return JSON.stringify([target, secrets, intervalSec, timeoutMs, paused, regions, confirmationOf(settings)])
  }
  return probed(before) !== probed(after)
}
