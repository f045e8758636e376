/** The cluster with a release for each process, and what was promised while releases change: checks, pings and alerts. */
import { Clock, Effect, Schedule } from "effect"
import type { Member } from "../../../infra/cluster.mjs"
import { buildPrevious } from "../../../infra/upgrade/previous.mjs"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId } from "../../../schema/Ids.ts"
import { phaseOf, slotAt } from "../../../src/domain/check/round/CheckSlot.ts"
import { receiver } from "../../notify/alert/Receiver.ts"
import { type Client, type Json, newAgent } from "./Client.ts"
import { eventually } from "./Eventually.ts"
import { makeLocalCluster, start, stop } from "./LocalCluster.ts"
import { makeRegionalTargets } from "./RegionalTargets.ts"

export type Release = "previous" | "this"
export type Role = "api" | "runner" | "probe"

const region = RegionId.make("eu")
const intervalSec = 10
const intervalMs = intervalSec * 1000

interface Heard {
  /** Ms since 1970. */
  readonly at: number
  readonly id: string
  readonly type: string
  readonly monitor: string
}

/** Records when each alert came. */
const makeHook = Effect.gen(function*() {
  const heard: Array<Heard> = []
  const clock = yield* Effect.clock
  const { url } = yield* receiver((response, _, { body }) => {
    const { data, id, type } = JSON.parse(body)
    heard.push({ at: clock.unsafeCurrentTimeMillis(), id, type, monitor: data.monitor.name })
    response.writeHead(200).end()
  })
  return {
    url,
    heard,
    of: (monitor: string, type: string) => heard.filter((one) => one.monitor === monitor && one.type === type)
  }
})

/** Pings every second, as a job does that tries again; the times (ISO) of the pings that were acknowledged. */
const pinging = Effect.fn("pinging")(function*(pingUrl: string) {
  const acknowledged: Array<string> = []
  const ping = Effect.promise((signal) =>
    fetch(pingUrl, { method: "POST", signal }).then(async (response) => {
      if (response.ok) acknowledged.push((await response.json()).at)
    }, () => {})
  )
  yield* Effect.forkScoped(Effect.repeat(ping, Schedule.spaced("1 second")))
  return acknowledged
})

/** Of the release that answers, whose answers this one's schemas may not describe. */
const created = Effect.fn("created")(function*(client: Client, path: string, body: Json) {
  const answer = yield* client.post(path, body)
  return answer.status === 201 ? answer.body : yield* Effect.dieMessage(`${path} answered ${answer.status}: ${answer.text}`)
})

export const makeReleases = Effect.gen(function*() {
  const previousProgram = yield* Effect.promise(buildPrevious)
  const programs = { previous: previousProgram, this: new URL("../../../dist/belltower.js", import.meta.url).pathname }
  const now = new Map<string, Release>()
  const programOf = (name: string) => programs[now.get(name) ?? "previous"]

  const targets = yield* makeRegionalTargets
  const hook = yield* makeHook
  const cluster = yield* makeLocalCluster({ eu: 2 }, { runners: 2, programOf })
  const client = yield* newAgent(cluster.baseUrl)
  const members: Readonly<Record<Role, ReadonlyArray<Member>>> = {
    api: [cluster.api],
    runner: cluster.runners,
    probe: cluster.probes["eu"] ?? []
  }
  yield* eventually(
    "The region is healthy",
    "30 seconds",
    Effect.map(
      client.get("/regions"),
      ({ body, text }) => body.data.some(({ healthy, id }: Json) => healthy && id === region) ? null : text
    )
  )
  yield* created(client, "/channels", { name: "hook", type: "webhook", url: hook.url, events: ["monitor.down", "monitor.up"] })

  const replace = Effect.fn("replace")(function*(member: Member, release: Release) {
    yield* stop(member)
    now.set(member.name, release)
    yield* start(member)
    return member.lastExit
  })

  const create = (name: string) =>
    Effect.map(
      created(client, "/monitors", { name, url: targets.urlOf(name), intervalSec, regions: [region] }),
      ({ id }) => MonitorId.make(id)
    )

  const createHeartbeat = Effect.fn("createHeartbeat")(function*(name: string) {
    const { id, pingUrl } = yield* created(client, "/monitors", { name, periodSec: 60, graceSec: 60 })
    return { id: MonitorId.make(id), acknowledged: yield* pinging(cluster.baseUrl + new URL(pingUrl).pathname) }
  })

  /** Breaks the site until that is announced, then mends it; the seconds until each alert came. */
  const outage = Effect.fn("outage")(function*(site: string) {
    const tell = Effect.fn("tell")(function*(type: "monitor.down" | "monitor.up", broken: ReadonlyArray<string>) {
      const from = yield* Clock.currentTimeMillis
      targets.breakFrom([site], broken)
      const isAnnounced = Effect.sync(() => hook.of(site, type).length > 0 ? null : `${site} got no ${type}`)
      yield* eventually(`${type} of ${site}`, "60 seconds", isAnnounced)
      return ((hook.of(site, type)[0]?.at ?? 0) - from) / 1000
    })
    return { down: yield* tell("monitor.down", ["eu"]), up: yield* tell("monitor.up", []) }
  })

  const checksOf = (id: MonitorId) =>
    Effect.map(client.get(`/monitors/${id}/checks?limit=500`), ({ body }): ReadonlyArray<Json> => body.data)

  /**
   * The slots of which no check counted, or several; and how many checks counted for nothing. The first check is left out: it is that
   * of the monitor's creation, whose slot may end before it begins.
   */
  const oddSlots = Effect.fn("oddSlots")(function*(id: MonitorId, since: number) {
    const phase = phaseOf(id, intervalMs)
    const checks = yield* checksOf(id)
    const counted = checks.filter((check) => check.counted)
    const slots = counted.map(({ at }) => slotAt(Date.parse(at), phase, intervalMs)).sort((a, b) => a - b).slice(1)
    const [first = 0, last = 0] = [slots[0], slots.at(-1)]
    const all = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    return {
      of: all.length,
      spare: checks.length - counted.length,
      missing: all.filter((slot) => !slots.includes(slot)).length,
      missingSince: all.filter((slot) => slot >= slotAt(since, phase, intervalMs) && !slots.includes(slot)),
      doubled: all.filter((slot) => slots.filter((one) => one === slot).length > 1)
    }
  })

  /** Whether an alert about each has said that it is down. */
  const isDown = (names: ReadonlyArray<string>) =>
    Effect.sync(() => {
      const silent = names.filter((name) => hook.of(name, "monitor.down").length === 0)
      return silent.length === 0 ? null : silent.join(", ")
    })
  const areUp = (names: ReadonlyArray<string>) =>
    eventually(
      "They are up",
      "30 seconds",
      Effect.map(client.get("/monitors?limit=500"), ({ body }) => {
        const others = body.data.filter(({ name, state }: Json) => names.includes(name) && state !== "up")
        return others.length === 0 ? null : JSON.stringify(others.map(({ name, state }: Json) => [name, state]))
      })
    )
  return { cluster, members, hook, replace, create, areUp, isDown, createHeartbeat, outage, checksOf, oddSlots }
})

export type Releases = Effect.Effect.Success<typeof makeReleases>
