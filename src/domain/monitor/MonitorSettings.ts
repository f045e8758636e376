/** The settings of a monitor, settled: kind inferred, defaults filled in, and what the schema alone cannot check, checked. */
import { Either } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { ChannelId } from "../../../schema/Ids.ts"
import type { Assertion } from "../../../schema/monitor/Assertion.ts"
import type { Target } from "../../../schema/monitor/kinds.ts"
import type { HttpTarget } from "../../../schema/monitor/kinds/http.ts"
import type { MonitorInput, MonitorUpdate, RequestSecrets, Rules } from "../../../schema/monitor/Monitor.ts"
import { compileAssertion } from "../check/AssertionCheck.ts"
import { parseExpectedStatus } from "../check/ExpectedStatus.ts"
import { headerProblem, isFraming } from "../check/RequestHeaders.ts"
import type { Refusal } from "../Refusal.ts"
import { settleHeartbeat } from "./HeartbeatSettings.ts"
import { foreignField } from "./MonitorFields.ts"

export interface MonitorSettings extends Rules {
  readonly name: string
  readonly description: string | null
  readonly target: Target
  readonly secrets: RequestSecrets
  readonly channelIds: ReadonlyArray<ChannelId>
  readonly reminderMinutes: ReadonlyArray<number>
  readonly ai: boolean
  readonly tags: ReadonlyArray<string>
  readonly paused: boolean
}

/** What a new monitor gets where it says nothing. */
export interface Defaults {
  readonly channelIds: ReadonlyArray<ChannelId>
  readonly regions: ReadonlyArray<RegionId>
}

const inferKind = (input: MonitorUpdate) =>
  input.kind ??
    (input.url !== undefined ?
      "http"
      : input.host !== undefined && input.port !== undefined ?
      "tcp"
      : input.periodSec !== undefined ?
      "heartbeat"
      : null)

const headerRefusal = (headers: Readonly<Record<string, string>>): Refusal | null => {
  for (const [name, value] of Object.entries(headers)) {
    const message = isFraming(name) ? `The header ${name} is set by the connection itself` : headerProblem(name, value)
    if (message !== null) return { path: `headers.${name}`, message }
  }
  return null
}

const assertionRefusal = (assertions: ReadonlyArray<Assertion>): Refusal | null => {
  for (const [index, assertion] of assertions.entries()) {
    const compiled = compileAssertion(assertion)
    if (Either.isLeft(compiled)) return { path: `assertions.${index}`, message: compiled.left }
  }
  return null
}

const settleHttp = (input: MonitorUpdate, base: HttpTarget | null): Either.Either<HttpTarget, Refusal> => {
  const url = input.url ?? base?.url
  if (url === undefined) return Either.left({ path: "url", message: "url is required for http monitors" })
  if (new URL(url).username !== "") {
    return Either.left({
      path: "url",
      message: "Credentials do not belong into the url",
      hint: "Put them into headers, which are kept encrypted: Authorization: Basic ..."
    })
  }
  const expectedStatus = input.expectedStatus ?? base?.expectedStatus ?? "200-299"
  const parsed = parseExpectedStatus(expectedStatus)
  const assertions = input.assertions ?? base?.assertions ?? []
  const refused = assertionRefusal(assertions)
  if (refused !== null) return Either.left(refused)
  if (Either.isLeft(parsed)) return Either.left({ path: "expectedStatus", message: parsed.left })
  const emptyIsNone = (given: string | undefined, before: string | null | undefined) =>
    given === undefined ? before ?? null : given === "" ? null : given
  return Either.right({
    kind: "http",
    url,
    method: input.method ?? base?.method ?? "GET",
    followRedirects: input.followRedirects ?? base?.followRedirects ?? true,
    expectedStatus,
    keyword: emptyIsNone(input.keyword, base?.keyword),
    keywordAbsent: emptyIsNone(input.keywordAbsent, base?.keywordAbsent),
    degradedAfterMs: input.degradedAfterMs === undefined ? base?.degradedAfterMs ?? null : input.degradedAfterMs,
    sslExpiryDays: input.sslExpiryDays === undefined ? base?.sslExpiryDays ?? null : input.sslExpiryDays,
    assertions
  })
}

const targetOf = (input: MonitorUpdate, base: Target | null): Either.Either<Target, Refusal> => {
  const kind = base?.kind ?? inferKind(input)
  if (input.kind !== undefined && base !== null && input.kind !== base.kind) {
    return Either.left({ path: "kind", message: "The kind of a monitor cannot change", hint: "Create another monitor" })
  }
  if (kind === null) {
    return Either.left({
      path: null,
      message: "Cannot infer monitor kind",
      hint: "Give kind, or url for http, host and port for tcp, periodSec for heartbeat"
    })
  }
  const foreign = foreignField(input, kind)
  if (foreign !== null) return Either.left(foreign)
  if (kind === "http") return settleHttp(input, base?.kind === kind ? base : null)
  if (kind === "heartbeat") return settleHeartbeat(input, base?.kind === kind ? base : null)
  return Either.left({
    path: "kind",
    message: `Monitors of kind ${kind} are not available yet`,
    hint: "Use kind http or heartbeat"
  })
}

/** A timeout longer than the interval would let checks overlap. */
const timeoutOf = (input: MonitorUpdate, base: MonitorSettings | null, intervalSec: number): Either.Either<number, Refusal> => {
  const limit = intervalSec * 1000
  if (input.timeoutMs === undefined) return Either.right(Math.min(base?.timeoutMs ?? 10_000, limit))
  return input.timeoutMs <= limit
    ? Either.right(input.timeoutMs)
    : Either.left({ path: "timeoutMs", message: `The timeout cannot be longer than the interval (${limit} ms)` })
}

const settle = (
  input: MonitorUpdate,
  name: string,
  base: MonitorSettings | null,
  defaults: Defaults
): Either.Either<MonitorSettings, Refusal> =>
  Either.gen(function*() {
    const target = yield* targetOf(input, base?.target ?? null)
    const intervalSec = input.intervalSec ?? base?.intervalSec ?? 60
    const timeoutMs = yield* timeoutOf(input, base, intervalSec)
    const headers = input.headers ?? base?.secrets.headers ?? {}
    const refused = headerRefusal(headers)
    if (refused !== null) return yield* Either.left(refused)
    const description = input.description === undefined ? base?.description ?? null : input.description
    const body = input.body === undefined ? base?.secrets.body ?? null : input.body
    return {
      name,
      description: description === "" ? null : description,
      target,
      secrets: { headers, body },
      intervalSec,
      timeoutMs,
      failureThreshold: input.failureThreshold ?? base?.failureThreshold ?? 2,
      recoveryThreshold: input.recoveryThreshold ?? base?.recoveryThreshold ?? 1,
      channelIds: [...new Set(input.channelIds ?? base?.channelIds ?? defaults.channelIds)],
      reminderMinutes: [...new Set(input.reminderMinutes ?? base?.reminderMinutes ?? [])].sort((a, b) => a - b),
      ai: input.ai ?? base?.ai ?? true,
      tags: [...new Set(input.tags ?? base?.tags ?? [])],
      paused: input.paused ?? base?.paused ?? false,
      regions: [...new Set(input.regions ?? base?.regions ?? defaults.regions)]
    }
  })

/** The settings of a new monitor. */
export const settleNew = (input: MonitorInput, defaults: Defaults): Either.Either<MonitorSettings, Refusal> =>
  settle(input, input.name, null, defaults)

/** The settings after an edit that names only what changes. */
export const settleEdit = (input: MonitorUpdate, base: MonitorSettings): Either.Either<MonitorSettings, Refusal> =>
  settle(input, input.name ?? base.name, base, base)

/** Whether the probes must hear of an edit: anything they look at or vote by. */
export const changesChecks = (before: MonitorSettings, after: MonitorSettings): boolean => {
  const probed = ({ intervalSec, paused, regions, secrets, target, timeoutMs }: MonitorSettings) =>
    JSON.stringify([target, secrets, intervalSec, timeoutMs, paused, regions])
  return probed(before) !== probed(after)
}
