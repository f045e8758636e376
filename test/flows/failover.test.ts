/**
 * The program while its database hangs and fails over: nothing that was acknowledged is lost or doubled, and nobody restarts anything.
 * With BELLTOWER_LONG_TESTS=on also scaled out, over Kafka; the server hangs for 40 s in place of 2, and a line swallows everything.
 */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Redacted } from "effect"
import { writeFileSync } from "node:fs"
import { answering, receiver } from "../notify/alert/Receiver.ts"
import { replicatedDatabase } from "../support/database/ReplicatedDatabase.ts"
import { canRunKafka } from "../support/kafka/LocalKafka.ts"
import { databaseLine } from "../support/network/Line.ts"
import { until } from "../support/time/Until.ts"
import { type Client, newAgent, request } from "./support/Client.ts"
import { makeLocalCluster } from "./support/LocalCluster.ts"
import { newFolder, startProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

/** Within this, everything goes on after the address leads to the new primary. */
const bound = "30 seconds"

const jobs = 4

const isLong = process.env["BELLTOWER_LONG_TESTS"] === "on"

/** Longer than connections without an answer are kept, or long enough to be noticed. */
const hangsFor = isLong ? "40 seconds" : "2 seconds"

const newJob = (agent: Client, name: string) =>
  Effect.map(
    agent.post("/monitors", { name, kind: "heartbeat", periodSec: 3600, graceSec: 3600 }),
    ({ body }) => ({ id: String(body.id), token: String(body.pingUrl).split("/").at(-1) ?? "" })
  )

/** Pings heartbeats all the time, each ping with a number of its own, and keeps those that were acknowledged. */
const keepPinging = Effect.fn("keepPinging")(function*(baseUrl: string, agent: Client) {
  const monitors = yield* Effect.forEach(
    Array.from({ length: jobs }),
    (_, index) => Effect.map(newJob(agent, `Job ${index}`), (job) => ({ ...job, acknowledged: new Array<number>() }))
  )
  let sent = 0
  let refused = 0
  let slowest = 0
  const ping = ({ acknowledged, token }: (typeof monitors)[number]) =>
    Effect.gen(function*() {
      const number = ++sent
      const [took, { status }] = yield* Effect.timed(request(`${baseUrl}/api/v1/heartbeat/${token}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ durationMs: number })
      }))
      slowest = Math.max(slowest, Duration.toSeconds(took))
      if (status === 200) acknowledged.push(number)
      else refused++
    })
  yield* Effect.forkScoped(
    Effect.forEach(
      monitors,
      (monitor) => Effect.forever(Effect.delay(Effect.catchAllDefect(ping(monitor), () => Effect.void), "600 millis")),
      { concurrency: "unbounded" }
    )
  )
  return {
    refused: () => refused,
    /** How long the slowest answer took, s. */
    slowest: () => slowest,
    acknowledged: () => monitors.reduce((all, one) => all + one.acknowledged.length, 0),
    /** Completes when each heartbeat took another ping. */
    goesOn: Effect.suspend(() => {
      const before = monitors.map((one) => one.acknowledged.length)
      const all = Effect.sync(() => monitors.every((one, index) => one.acknowledged.length > (before[index] ?? 0)))
      return until(all, (isTrue) => isTrue, bound)
    }),
    /** The acknowledged pings that are not stored, and those that are stored twice. */
    faults: Effect.map(
      Effect.forEach(monitors, ({ acknowledged, id }) => {
        // Before the request, because pings go on.
        const promised = [...acknowledged]
        return Effect.map(agent.get(`/monitors/${id}/checks?limit=500`), ({ body }) => {
          const stored: ReadonlyArray<number> = body.data.map((check: { readonly latencyMs: number }) => check.latencyMs)
          return {
            missing: promised.filter((number) => !stored.includes(number)),
            doubled: stored.filter((number, at) => stored.indexOf(number) !== at)
          }
        })
      }),
      (all) => ({ missing: all.flatMap(({ missing }) => missing), doubled: all.flatMap(({ doubled }) => doubled) })
    )
  }
})

/** A workspace with an alert channel, which all its monitors have. */
const newAlerted = Effect.fn("newAlerted")(function*(baseUrl: string) {
  const agent = yield* newAgent(baseUrl)
  const hook = yield* receiver(answering(204))
  const { status } = yield* agent.post("/channels", {
    name: "Team",
    type: "webhook",
    url: hook.url,
    events: ["monitor.down", "monitor.up"]
  })
  expect(status).toBe(201)
  return { baseUrl, agent, hook }
})

interface Subject extends Effect.Effect.Success<ReturnType<typeof newAlerted>> {
  /** Begin and end an outage of a monitor. */
  readonly breaks: Effect.Effect<unknown>
  readonly recovers: Effect.Effect<unknown>
}

type Pair = Effect.Effect.Success<ReturnType<typeof replicatedDatabase>>
type Line = Effect.Effect.Success<ReturnType<typeof databaseLine>>

/** The former primary comes back as a standby, and the address leads to it for a while. */
const wrongWay = Effect.fn("wrongWay")(
  function*({ primary, standby }: Pair, line: Line, { baseUrl }: Subject, refused: () => number) {
    yield* primary.becomesStandby
    const settings = { primary_conninfo: `host=127.0.0.1 port=${standby.port} user=postgres`, synchronous_standby_names: "" }
    yield* Effect.retry(primary.start(settings), { times: 20 })
    yield* line.moveTo(primary.target)
    yield* line.cut
    yield* line.mend
    const before = refused()
    yield* until(Effect.sync(refused), (count) => count > before)
    const { body } = yield* until(
      request(`${baseUrl}/readyz`),
      (answer) => String(answer.body?.reasons?.database).includes("read-only")
    )
    expect(body.failing).toEqual(["database"])
    yield* line.moveTo(standby.target)
  }
)

/** All processes of the server stop: it takes connections and answers nothing, and then goes on as if nothing had been. */
const hangs = Effect.fn("hangs")(function*({ primary }: Pair, { baseUrl }: Subject) {
  yield* primary.freeze
  const { body } = yield* until(request(`${baseUrl}/readyz`), (answer) => answer.body?.failing !== undefined, "10 seconds")
  expect(body).toMatchObject({
    failing: ["database"],
    reasons: { database: expect.stringMatching(/^The database did not respond/) }
  })
  yield* Effect.sleep(hangsFor)
}, Effect.scoped)

/** Prints the seconds that each part took. */
const story = Effect.fn("story")(function*(pair: Pair, line: Line, subject: Subject) {
  const { agent, baseUrl, breaks, hook, recovers } = subject
  const alerts = Effect.sync(() => hook.seen.map(({ body }) => JSON.parse(body).type))
  const pings = yield* keepPinging(baseUrl, agent)
  yield* pings.goesOn
  const seconds: Record<string, number> = {}
  const timed = <A, E, R>(what: string, wait: Effect.Effect<A, E, R>) =>
    Effect.map(Effect.timed(wait), ([took]) => {
      seconds[what] = Math.round(Duration.toMillis(took) / 100) / 10
    })
  const alerted = (type: string) => timed(type, until(alerts, (types) => types.includes(type), bound))

  const outage = yield* Effect.fork(breaks)
  yield* hangs(pair, subject)
  const down = yield* Effect.fork(alerted("monitor.down"))
  yield* timed("pings after the server hung", pings.goesOn)
  yield* Fiber.join(down)
  yield* outage.await

  yield* pair.primary.kill
  const end = yield* Effect.fork(recovers)
  yield* pair.promote
  yield* line.moveTo(pair.standby.target)
  const up = yield* Effect.fork(alerted("monitor.up"))
  yield* timed("pings after the promotion", pings.goesOn)
  yield* end.await

  yield* wrongWay(pair, line, subject, pings.refused)
  yield* timed("pings after the way back", pings.goesOn)
  yield* Fiber.join(up)

  if (isLong) {
    // All that is sent over the existing connections is lost.
    yield* line.freeze()
    yield* timed("pings after a blackhole", pings.goesOn)
  }

  const ids = hook.seen.map(({ headers }) => String(headers["webhook-id"]))
  expect(yield* alerts).toEqual(["monitor.down", "monitor.up"])
  expect(new Set(ids).size).toBe(ids.length)
  expect(yield* pings.faults).toEqual({ missing: [], doubled: [] })
  const counts = `${pings.acknowledged()} pings acknowledged, ${pings.refused()} refused, the slowest in ${pings.slowest()} s`
  console.log(`${counts}; ${JSON.stringify(seconds)}`)
})

const inOneProcess = Effect.fn("inOneProcess")(function*(line: Line) {
  const { baseUrl, stdout } = yield* startProgram({
    folder: yield* newFolder,
    env: { DATABASE_URL: Redacted.value(line.address), DATABASE_POOL: "6" }
  })
  const log = process.env["BELLTOWER_FLOW_LOG"]
  if (log !== undefined && log !== "") yield* Effect.addFinalizer(() => Effect.sync(() => writeFileSync(log, stdout())))
  const alerted = yield* newAlerted(baseUrl)
  const { agent } = alerted
  const target = yield* newTarget
  const { body: shop } = yield* agent.post("/monitors", { name: "Shop", url: target.url, intervalSec: 10, failureThreshold: 1 })
  yield* until(agent.get(`/monitors/${shop.id}`), ({ body }) => body?.state === "up")
  return { ...alerted, breaks: Effect.sync(target.breaks), recovers: Effect.sync(target.recovers) } satisfies Subject
})

/** An api and two runners. The outage is what a job reports until it is acknowledged. */
const scaledOut = Effect.fn("scaledOut")(function*(line: Line) {
  const { baseUrl } = yield* makeLocalCluster({}, {
    runners: 2,
    through: { database: () => Promise.resolve(Redacted.value(line.address)) }
  })
  const alerted = yield* newAlerted(baseUrl)
  const { agent } = alerted
  const { id, token } = yield* newJob(agent, "Shop")
  const report = (suffix: string) =>
    Effect.orDie(until(request(`${baseUrl}/hb/${token}${suffix}`), ({ status }) => status === 200))
  yield* report("")
  yield* until(agent.get(`/monitors/${id}`), ({ body }) => body?.state === "up")
  return { ...alerted, breaks: report("/fail"), recovers: report("") } satisfies Subject
})

const failsOver = (makeSubject: typeof inOneProcess | typeof scaledOut) =>
  Effect.gen(function*() {
    const pair = yield* replicatedDatabase({ confirms: true })
    const line = yield* databaseLine(pair.primary.address())
    yield* story(pair, line, yield* makeSubject(line))
  })

const canScaleOut = isLong && (await canRunKafka())

describe.skipIf(process.platform !== "linux")("a database that hangs, fails over and comes back as a standby is survived", () => {
  it.scopedLive("by one process", () => failsOver(inOneProcess), 240_000)
  it.scopedLive.runIf(canScaleOut)("by an api and runners", () => failsOver(scaledOut), 300_000)
})
