/** Checks the parts of the process, remembers the start of each state, and logs and measures every change. */
import { Cause, Clock, Effect } from "effect"
import { Gauge } from "prom-client"
import { type Finding, fine, type HealthState, noteFinding, type PartHealth } from "../../domain/health/Health.ts"
import { durationText, secondsBetween } from "../../domain/tools/time/Duration.ts"
import { reasonOf } from "../../loops/Outage.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { sharingWakes } from "../../loops/SharedWakes.ts"
import { urgentContext, withEmptyContext } from "../../loops/WorkPriority.ts"

/** A part of the process, or a service that it uses. */
export interface HealthCheck {
  readonly name: string
  readonly look: Effect.Effect<Finding, unknown>
  /** Its state if `look` fails, or does not answer within 2 s. */
  readonly otherwise: Exclude<HealthState, "ok">
  /** Whether the process is not ready (`/readyz`) while this is failing. */
  readonly gatesReadiness: boolean
}

export const reachable = (
  name: string,
  ping: Effect.Effect<unknown, unknown>,
  otherwise: HealthCheck["otherwise"],
  gatesReadiness = false
): HealthCheck => ({ name, look: Effect.as(ping, fine), otherwise, gatesReadiness })

const answerWithin = "2 seconds"
/** Anyone may ask, so results are reused for this time, ms. */
const freshFor = 1_000
/** The interval of checks without requests, so that a change has its time and its log line. */
const lookEvery = "15 seconds"

const gauge = new Gauge({
  name: "belltower_health_ok",
  help: "1 while a part of the process is well, 0 while /health shows it as degraded or failing",
  labelNames: ["part"]
})

const findingOf = ({ look, otherwise }: HealthCheck): Effect.Effect<Finding> =>
  look.pipe(
    // A check that hangs may also be uninterruptible.
    Effect.disconnect,
    Effect.timeoutFail({
      duration: answerWithin,
      onTimeout: () => new Cause.TimeoutException(`no answer within ${answerWithin}`)
    }),
    Effect.catchAllCause((cause) => Effect.succeed<Finding>({ state: otherwise, reason: reasonOf(Cause.squash(cause)) })),
    (finding) => withEmptyContext(finding, urgentContext)
  )

const logChange = (name: string, before: PartHealth | null, { reason, since, state }: PartHealth): Effect.Effect<void> => {
  if (state === (before?.state ?? "ok")) return Effect.void
  return state === "ok"
    ? Effect.logInfo(`Health: ${name} is ok again after ${durationText(secondsBetween(before?.since ?? since, since))}`)
    : Effect.logWarning(`Health: ${name} is ${state}: ${reason ?? "no reason given"}`)
}

/** The health of one part, as of a second ago at most. */
const makeLook = (check: HealthCheck): Effect.Effect<PartHealth> => {
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  let last: { readonly part: PartHealth; readonly at: number } | null = null
  return oneAtATime(Effect.gen(function*() {
    if (last !== null && Math.abs((yield* Clock.currentTimeMillis) - last.at) < freshFor) return last.part
    const finding = yield* findingOf(check)
    const at = yield* Clock.currentTimeMillis
    const before = last?.part ?? null
    const part = noteFinding(before, finding, at)
    last = { part, at }
    gauge.set({ part: check.name }, part.state === "ok" ? 1 : 0)
    yield* logChange(check.name, before, part)
    return part
  }))
}

export const makeHealthLooks = Effect.fn("HealthLooks.make")(function*(checks: ReadonlyArray<HealthCheck>) {
  const looks = checks.map((check) => ({ ...check, health: makeLook(check) }))
  const parallel = { concurrency: "unbounded" } as const
  const read = (some: typeof looks) =>
    Effect.forEach(some, ({ health, name }) => Effect.map(health, (part) => [name, part] as const), parallel)
  const all = read(looks)
  const blocking = new Set(looks.flatMap(({ gatesReadiness, name }) => gatesReadiness ? [name] : []))
  const vital = looks.filter(({ name, otherwise }) => blocking.has(name) || otherwise === "failing")
  const repeated = Effect.forever(Effect.delay(all, lookEvery))
  yield* Effect.forkScoped(sharingWakes(restartForever("Looking at the health of this process", repeated)))
  return {
    all: Effect.map(all, (parts): ReadonlyMap<string, PartHealth> => new Map(parts)),
    /** The parts without which it cannot do its work and that fail, and whether it is not ready for them. Checks no other part. */
    failing: Effect.map(
      read(vital),
      (parts) =>
        parts.flatMap(([name, { reason, state }]) => state === "failing" ? [{ name, reason, blocks: blocking.has(name) }] : [])
    ),
    start: yield* Clock.currentTimeMillis
  }
})

export type HealthLooks = Effect.Effect.Success<ReturnType<typeof makeHealthLooks>>
