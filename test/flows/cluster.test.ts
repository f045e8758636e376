/** The program scaled out over real processes, Kafka and PostgreSQL, while its parts are killed, frozen and cut off. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { RegionId } from "../../schema/check/Region.ts"
import { metricRoles } from "../../src/http/server/MetricRoles.ts"
import { besidePool, choices } from "../bench/support/sizes.mjs"
import { canRunKafka } from "../support/kafka/LocalKafka.ts"
import { canRunPromtool, promtool } from "../support/services/Promtool.ts"
import { eventually } from "./support/Eventually.ts"
import { connectionsOf, takeFirstSteps } from "./support/FirstSteps.ts"
import { freeze, kill, start, stop, thaw } from "./support/LocalCluster.ts"
import { onlyRunnersHoldShards } from "./support/RunnersInCharge.ts"
import { intervalSec, makeStage, type Stage } from "./support/Stage.ts"

const sites = Array.from({ length: 40 }, (_, index) => `site-${String(index).padStart(2, "0")}`)
const hasPromtool = canRunPromtool()
const group = (number: number): ReadonlyArray<string> => sites.slice(number * 10, number * 10 + 10)

const comeUp = Effect.fn("comeUp")(function*(stage: Stage) {
  const { client, hook, measure, regionIds, watch } = stage
  yield* eventually(
    "All regions are healthy",
    "30 seconds",
    Effect.map(
      client.Monitors.list_regions({ urlParams: {} }),
      ({ data }) => data.filter((region) => region.healthy).length === regionIds.length ? null : JSON.stringify(data)
    )
  )
  yield* client.Alerts.create_channel({
    payload: { name: "hook", type: "webhook", url: hook.url, events: ["monitor.down", "monitor.up"] }
  })
  yield* Effect.forEach(sites, (name, index) => stage.create(name, (index % 2) + 1), { concurrency: 8 })
  yield* measure("All monitors are up", "45 seconds", watch.states(sites, "up"))
})

/** Each role exports what it measures, and nothing else; the shards of all runners are all shards. */
const exportMetrics = Effect.fn("exportMetrics")(function*({ cluster }: Stage) {
  const read = (baseUrl = "") => Effect.promise(() => fetch(`${baseUrl}/metrics`).then((answer) => answer.text()))
  const [runner] = cluster.runners
  const [probe] = Object.values(cluster.probes).flat()
  const roles = { api: cluster.api, runner, probe }
  for (const role of ["api", "runner", "probe"] as const) {
    const text = yield* read(roles[role]?.baseUrl)
    const names = [...text.matchAll(/^# TYPE (belltower_\w+)/gm)].map(([, name]) => name)
    // The metric of a collector comes with one.
    const own = Object.entries(metricRoles).filter(([name, of]) => of.includes(role) && !name.includes("_telemetry_"))
    expect(names.sort(), role).toEqual(own.map(([name]) => name).sort())
    if (hasPromtool) expect(promtool(["check", "metrics"], text), role).toEqual({ status: 0, output: "" })
  }
  const texts = yield* Effect.forEach(cluster.runners, ({ baseUrl }) => read(baseUrl))
  const held = texts.map((text) => Number(/^belltower_shards_held (\d+)$/m.exec(text)?.[1]))
  expect(held.reduce((sum, shards) => sum + shards)).toBe(64)
})

/** The commands of docs/reference-architectures.md find a cluster that is well; its connections are within the budget of that document. */
const takeSteps = Effect.fn("takeSteps")(function*(stage: Stage) {
  const steps = yield* takeFirstSteps(stage)
  expect(steps.length).toBeGreaterThan(10)
  for (const { code, command, output } of steps) {
    const isDoctor = command.startsWith("belltower doctor")
    // Warnings are of what a machine without the internet does not reach; on a crowded one, a check may run out of time.
    const failed = isDoctor ? output.split("\n").filter((line) => /^failed(?!.*No answer within 5 s)/.test(line)) : []
    expect([failed, isDoctor || code === 0], `${command}\n${output}`).toEqual([[], true])
    expect(output, command).not.toBe("")
  }
  const found = yield* connectionsOf(stage.cluster.databaseUrl)
  const [apis, runners] = [1, stage.cluster.runners.length]
  const most = apis * (choices.databasePool + besidePool.api) + runners * (choices.databasePool + besidePool.runner)
  expect([...found.values()].reduce((sum, count) => sum + count), JSON.stringify([...found])).toBeLessThanOrEqual(most)
  // Beside the pools and what hears notifications: one for the shards of each, and one for the address of each runner.
  expect([found.get("belltower shards"), found.get("belltower runner")]).toEqual([apis + runners, runners])
})

/** Two of three regions see an outage, one region alone sees another; a runner is killed during it. */
const killRunner = Effect.fn("killRunner")(function*(stage: Stage) {
  const { measure, watch } = stage
  stage.outage(group(0), ["eu", "us"])
  stage.breakQuietly(group(1), ["ap"])
  yield* eventually("The first are down", "30 seconds", watch.someAre(group(0), "down"))
  const killedAt = yield* stage.at(kill, stage.runner(1))
  yield* stage.create("early", 1)
  const asked = yield* Effect.fork(Effect.forEach(group(3), watch.applyCheck, { concurrency: 4 }))
  yield* measure("A runner killed: all is decided again", "40 seconds", watch.decidedSince(sites, killedAt))
  yield* stage.allAre("down", group(0))
  stage.measured["A runner killed: a check by hand takes"] = Math.max(...(yield* Fiber.join(asked)))
  yield* measure("A runner killed: a new monitor is up", "30 seconds", watch.states(["early"], "up"))
  yield* start(stage.runner(1))
  stage.recovery(group(0))
  yield* stage.allAre("up", sites)
})

/** As in a rolling update. */
const restartRunner = Effect.fn("restartRunner")(function*(stage: Stage) {
  const stoppedAt = yield* stage.at(stop, stage.runner(2))
  yield* stage.measure("A runner stopped: all is decided again", "40 seconds", stage.watch.decidedSince(sites, stoppedAt))
  yield* start(stage.runner(2))
})

/** The other worker of its region takes over. */
const killProbe = Effect.fn("killProbe")(function*(stage: Stage) {
  const killedAt = yield* stage.at(kill, stage.probe("ap"))
  const checked = stage.watch.checkedSince(sites, RegionId.make("ap"), killedAt)
  yield* stage.measure("A probe killed: all is checked again", "45 seconds", checked)
  yield* start(stage.probe("ap"))
})

/** The other regions continue to decide. */
const cutRegionOff = Effect.fn("cutRegionOff")(function*(stage: Stage) {
  const us = Effect.map(stage.client.Monitors.list_regions({ urlParams: {} }), ({ data }) => data.find(({ id }) => id === "us"))
  yield* freeze(stage.probe("us"))
  stage.outage(group(2), ["eu", "ap"])
  yield* stage.measure("A region cut off: an outage is reported", "60 seconds", stage.watch.states(group(2), "down"))
  yield* eventually(
    "GET /regions reports it as unhealthy, with the reason",
    "60 seconds",
    Effect.map(us, (region) => region?.healthy === false && region.reason !== null ? null : JSON.stringify(region))
  )
  yield* thaw(stage.probe("us"))
  stage.recovery(group(2))
  yield* eventually(
    "It is healthy again",
    "30 seconds",
    Effect.map(us, (region) => region?.healthy === true ? null : JSON.stringify(region))
  )
  yield* stage.allAre("up", sites)
})

/** Kafka returns with its data; an outage begins while it is away. */
const killKafka = Effect.fn("killKafka")(function*(stage: Stage) {
  yield* kill(stage.cluster.kafka)
  stage.outage(group(3), ["us", "ap"])
  yield* stage.readiness("A probe is not ready without Kafka", [stage.probe("us")], 503)
  yield* stage.readiness("What serves without Kafka stays ready", [stage.cluster.api, stage.runner(2)], 200)
  yield* eventually(
    "The api says that the bus is away",
    "60 seconds",
    Effect.map(
      stage.health(stage.cluster.api),
      ({ checks, status }) =>
        status === "degraded" && checks?.["bus"]?.state === "degraded" ? null : JSON.stringify({ status, checks })
    )
  )
  yield* start(stage.cluster.kafka)
  yield* stage.measure("Kafka killed: the outage is reported once it is back", "60 seconds", stage.watch.states(group(3), "down"))
  stage.recovery(group(3))
  yield* stage.allAre("up", sites)
})

const killDatabase = Effect.fn("killDatabase")(function*(stage: Stage) {
  yield* kill(stage.cluster.database)
  const backAt = yield* stage.at(start, stage.cluster.database)
  yield* stage.measure("PostgreSQL killed: all is decided again", "60 seconds", stage.watch.decidedSince(sites, backAt))
})

/** One of three runners; the others take its place, and it wakes up unaware of that. */
const freezeRunner = Effect.fn("freezeRunner")(function*(stage: Stage) {
  const { measure, watch } = stage
  const frozenAt = yield* stage.at(freeze, stage.runner(2))
  const asked = yield* Effect.fork(Effect.forEach(group(3), watch.applyCheck, { concurrency: 4 }))
  stage.outage(group(0), ["us", "ap"])
  yield* measure("A runner frozen: all is decided again", "60 seconds", watch.decidedSince(sites, frozenAt))
  yield* stage.allAre("down", group(0))
  stage.measured["A runner frozen: a check by hand takes"] = Math.max(...(yield* Fiber.join(asked)))
  yield* stage.create("late", 1)
  yield* measure("A runner frozen: a new monitor is up", "60 seconds", watch.states(["late"], "up"))
  yield* eventually(
    "The frozen runner has lost its shards",
    "60 seconds",
    onlyRunnersHoldShards(stage.cluster.databaseUrl, stage.cluster.runners.length - 1)
  )
  yield* thaw(stage.runner(2))
  stage.recovery(group(0))
  yield* stage.allAre("up", [...sites, "early", "late"])
})

/** Every transition once, in order; every webhook at least once with one id; checks continue everywhere. */
const settle = Effect.fn("settle")(function*(stage: Stage) {
  const { hook, watch } = stage
  yield* stage.readiness("Everybody is ready", stage.services, 200)
  const transitions = yield* watch.histories(sites)
  const odd = sites.filter((site) => transitions.get(site)?.join() !== stage.history.get(site)?.join())
  expect(yield* watch.account(odd), "Histories that are not as they should be").toEqual([])
  expect(transitions).toEqual(stage.history)
  const events = yield* watch.transitions
  yield* eventually(
    "Every event has reached the webhook",
    "60 seconds",
    Effect.sync(() => {
      const heard = new Set(hook.seen.map(({ headers }) => headers["webhook-id"]))
      const missing = events.filter(({ id }) => !heard.has(id))
      return missing.length === 0 ? null : `${missing.length} of ${events.length} are missing`
    })
  )
  const known = new Set<unknown>(events.map(({ id }) => id))
  for (const { body, headers } of hook.seen) {
    expect(known).toContain(headers["webhook-id"])
    expect(JSON.parse(body).id).toBe(headers["webhook-id"])
  }
  const now = yield* Clock.currentTimeMillis
  yield* Effect.forEach(
    stage.regionIds,
    (region) =>
      eventually(`Checks go on in ${region}`, "20 seconds", watch.checkedSince(sites, region, now - 2 * intervalSec * 1000))
  )
  stage.measured["Webhooks delivered more than once"] = hook.seen.length - known.size
})

const chapters = [
  comeUp,
  exportMetrics,
  takeSteps,
  killRunner,
  restartRunner,
  killProbe,
  cutRegionOff,
  killKafka,
  killDatabase,
  freezeRunner,
  settle
]

describe.skipIf(!(await canRunKafka()))("the program scaled out", () => {
  it.scopedLive("reports each outage once, in order, whatever fails meanwhile", () =>
    Effect.gen(function*() {
      const stage = yield* makeStage({ eu: 1, us: 1, ap: 2 }, sites)
      yield* Effect.forEach(chapters, (chapter) => chapter(stage), { discard: true })
      console.log(Object.entries(stage.measured).map(([what, figure]) => `${what}: ${figure}`).join("\n"))
    }), 900_000)
})
