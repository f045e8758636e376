/** The release before this one and this one side by side, through upgrades in every order, a mixture that lasts, and downgrades. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { missing, previous } from "../../infra/upgrade/previous.mjs"
import { programVersion } from "../../schema/ProgramVersion.ts"
import { canRunKafka } from "../support/kafka/LocalKafka.ts"
import { eventually } from "./support/Eventually.ts"
import { makeReleases, type Release, type Releases, type Role } from "./support/Releases.ts"

interface Walk {
  readonly to: Release
  readonly order: ReadonlyArray<Role>
  /** After the first process of each role, everything runs as a mixture until the outages are announced. */
  readonly mixed?: boolean
}

/** Through each mixture of releases by role: of two roles, or of one, with the other release. */
const walks: ReadonlyArray<Walk> = [
  { to: "this", order: ["api", "runner", "probe"] },
  { to: "previous", order: ["api", "probe", "runner"] },
  { to: "this", order: ["probe", "api", "runner"], mixed: true }
]

/** The next upgrade will begin like this. */
const restart: Walk = { to: "this", order: ["probe"] }

/** At intervals below 20 s, an outage is announced within the interval and 10 s. */
const latestSec = 20
/** A worker that stops takes the confirmation with it that it has begun: at so short intervals the next slot confirms, 10 s later. */
const latestInRestartSec = latestSec + 10
/** In a walk all processes are replaced one after another, and a slot can pass while two begin. */
const latestInWalkSec = latestInRestartSec + 10

const quiet = Array.from({ length: 8 }, (_, index) => `quiet-${index}`)

const bothWork = (cluster: Releases["cluster"]) =>
  Effect.map(
    Effect.promise(() => cluster.command("probes")),
    (list) => list.includes(previous.version) && list.includes(programVersion) ? null : list
  )

/** Seconds until the alerts of a site came. */
interface Announced {
  readonly down: number
  readonly up: number
}

type Outages = Map<string, Fiber.RuntimeFiber<Announced, unknown>>

const sitesOf = (number: number, { order }: Walk) => order.map((role) => `${number}-${role}`)

/** Walks to a release, one process after the other; in each step an outage begins. The outages under way, by their site. */
const walk = Effect.fn("walk")(
  function*({ areUp, cluster, create, isDown, members, outage, replace }: Releases, number: number, step: Walk) {
    const outages: Outages = new Map()
    const names = sitesOf(number, step)
    yield* Effect.forEach(names, create, { concurrency: 3 })
    yield* areUp(names)
    const halves = step.mixed === true
      ? [step.order.map((role) => members[role].slice(0, 1)), step.order.map((role) => members[role].slice(1))]
      : [step.order.map((role) => members[role])]
    for (const [half, groups] of halves.entries()) {
      for (const [index, group] of groups.entries()) {
        const name = names[index] ?? ""
        if (half === 0) outages.set(name, yield* Effect.forkScoped(outage(name)))
        for (const member of group) expect([member.name, yield* replace(member, step.to)]).toEqual([member.name, "exit code 0"])
      }
      if (half === 0 && step.mixed === true) {
        yield* eventually("Probes of both releases work", "30 seconds", bothWork(cluster))
        yield* eventually("The mixture tells outages", "60 seconds", isDown(names))
      }
    }
    return outages
  }
)

const lacks = await missing()
if (lacks !== null) console.warn(`WARNING: upgrades were not tried, because ${lacks}`)

describe.skipIf(lacks !== null || !(await canRunKafka()))("an upgrade", () => {
  it.scopedLive(
    "from the release before, and back, loses, doubles and delays nothing, whatever is replaced first",
    () =>
      Effect.gen(function*() {
        const releases = yield* makeReleases
        const { checksOf, create, createHeartbeat, hook, oddSlots } = releases
        const ids = yield* Effect.forEach(quiet, create)
        const heartbeats = yield* Effect.forEach(["job-1", "job-2"], createHeartbeat)
        let restartedAt = 0

        // The next walk begins while those of the last one are announced.
        const outages: Outages = new Map()
        for (const [number, step] of [...walks, restart].entries()) {
          if (step === restart) restartedAt = yield* Clock.currentTimeMillis
          for (const [name, fiber] of yield* walk(releases, number, step)) outages.set(name, fiber)
        }
        const announced = new Map<string, Announced>()
        for (const [name, fiber] of outages) announced.set(name, yield* Fiber.join(fiber))
        const slots = yield* Effect.forEach(ids, (id) => oddSlots(id, restartedAt))
        const textOf = ([name, { down, up }]: readonly [string, Announced]) =>
          `${name}: down announced after ${down} s, up after ${up} s`
        console.log([...announced].map(textOf).join("\n"))
        console.log(slots.map((one) => JSON.stringify(one)).join("\n"))

        const isLate = ([name, { down }]: readonly [string, Announced]) =>
          down > (name.startsWith(`${walks.length}-`) ? latestInRestartSec : latestInWalkSec)
        expect([...announced].filter(isLate).map(textOf), "Alerts that came late").toEqual([])
        const alerts = hook.heard.map(({ monitor, type }) => `${monitor} ${type}`)
        const wanted = [...announced.keys()].flatMap((name) => [`${name} monitor.down`, `${name} monitor.up`])
        expect(alerts.toSorted()).toEqual(wanted.toSorted())
        expect(slots.flatMap(({ doubled }) => doubled), "Slots that counted twice").toEqual([])
        expect(slots.flatMap(({ missingSince }) => missingSince), "Slots that this release did not observe").toEqual([])

        for (const { acknowledged, id } of heartbeats) {
          const kept = new Set((yield* checksOf(id)).map(({ at }) => at))
          expect(acknowledged.filter((at) => !kept.has(at)), "Pings that were acknowledged and lost").toEqual([])
          expect(acknowledged.length).toBeGreaterThan(20)
        }
      }),
    600_000
  )
})
