/**
 * The dead man's switch: pings an outside service every minute while the installation checks, decides and delivers, and is silent
 * otherwise. Every api watches; one of them takes each ping in the database, so a database that takes no writes silences it, too.
 */
import { Clock, Context, Data, Duration, Effect, Layer, Option, Redacted, Schedule } from "effect"
import { Gauge } from "prom-client"
import { switchFinding } from "../../domain/health/DeadMansSwitch.ts"
import { type Finding, fine } from "../../domain/health/Health.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { requestBounded } from "../../external/BoundedRequest.ts"
import { repeatForever } from "../../loops/RestartForever.ts"
import { DeadmanPings } from "../../store/DeadmanPings.ts"
import { MonitoringHealth } from "../monitor/MonitoringHealth.ts"
import { makeNotice } from "../monitor/MonitoringNotices.ts"

/** How often each api looks whether a ping is due. */
const lookEvery = Duration.seconds(5)

/** A ping is due this long after the one before, s: a minute, less what a look may be early. */
const claimAfterSec = 55

const timeoutMs = 10_000
const retries = { times: 2, schedule: Schedule.spaced("1 second") }

/** The address of the switch may be a secret: messages do not repeat it. */
class Refusal extends Data.TaggedError("Refusal")<{ readonly message: string }> {}

const lastPing = new Gauge({
  name: "belltower_deadman_last_ping_timestamp_seconds",
  help: "When the outside service last accepted a ping of the dead man's switch; 0 for never"
})

const headers = { "user-agent": "Belltower-Deadman/1.0" }

const pingOf = (guard: EgressGuard, address: Redacted.Redacted) =>
  Effect.gen(function*() {
    const url = new URL(Redacted.value(address))
    const { failure, response } = yield* requestBounded(guard, { url, headers, timeoutMs, limit: 0 })
    if (failure !== null) return yield* new Refusal({ message: failure.message })
    const status = response?.statusCode ?? 0
    if (status < 200 || status > 299) return yield* new Refusal({ message: `it answered with status ${status}` })
  }).pipe(Effect.retry(retries))

/** `look` pings if that is due and all is well; `finding` is for /health. */
export const makeSwitch = Effect.fn("DeadMansSwitch.make")(function*(address: Redacted.Redacted) {
  const monitoring = yield* MonitoringHealth
  const pings = yield* DeadmanPings
  const ping = pingOf(yield* EgressGuard, address)
  const notice = makeNotice<string>(
    (found) => `The dead man's switch does not ping: ${found.join(", ")}`,
    "The dead man's switch pings again"
  )
  const since = yield* Clock.currentTimeMillis
  let troubles: ReadonlyArray<string> = []
  let refusal: Parameters<typeof switchFinding>[0]["refusal"] = null

  const attempt = Effect.matchEffect(ping, {
    onSuccess: () => pings.accepted,
    onFailure: ({ message }) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        refusal = { message, at }
        return Effect.logWarning(`A ping of the dead man's switch was not accepted: ${message}`)
      })
  })
  const look = Effect.gen(function*() {
    troubles = yield* monitoring.troubles
    yield* notice(troubles)
    if (troubles.length === 0 && (yield* pings.claim(claimAfterSec))) yield* attempt
    lastPing.set(((yield* pings.lastAt) ?? 0) / 1000)
  })
  const finding = Effect.map(
    Effect.all([pings.lastAt, Clock.currentTimeMillis]),
    ([at, now]) => switchFinding({ troubles, refusal, lastPingAt: at, since }, now)
  )
  return { look, finding }
})

/** The first look waits until the monitoring was looked at. */
const running = Effect.fn("DeadMansSwitch.run")(function*(address: Redacted.Redacted) {
  const { finding, look } = yield* makeSwitch(address)
  yield* Effect.forkScoped(Effect.delay(repeatForever("The dead man's switch", lookEvery, look), "2 seconds"))
  return { finding }
})

export class DeadMansSwitch extends Context.Tag("belltower/DeadMansSwitch")<DeadMansSwitch, {
  /** Whether it is on, when a ping was last accepted, and why it is silent. */
  readonly finding: Effect.Effect<Finding, unknown>
}>() {
  static readonly layer = (
    address: Option.Option<Redacted.Redacted>
  ): Layer.Layer<DeadMansSwitch, never, EgressGuard | DeadmanPings | MonitoringHealth> =>
    Layer.scoped(
      DeadMansSwitch,
      Option.match(address, {
        onNone: () => Effect.succeed({ finding: Effect.succeed<Finding>({ ...fine, details: { on: false } }) }),
        onSome: running
      })
    )
}
