/** The setting of a scaled-out story: the cluster, its targets, a webhook receiver, and the expectations so far. */
import { Clock, type Duration, Effect } from "effect"
import type { Member, Service } from "../../../infra/cluster.mjs"
import { RegionId } from "../../../schema/check/Region.ts"
import { answering, receiver } from "../../notify/alert/Receiver.ts"
import { eventually } from "./Eventually.ts"
import { makeLocalCluster, makeWorkspace } from "./LocalCluster.ts"
import { makeRegionalTargets } from "./RegionalTargets.ts"
import { makeWatch } from "./Watch.ts"

export const intervalSec = 10

const isReady = ({ baseUrl }: Service) =>
  Effect.promise(() => fetch(`${baseUrl}/readyz`).then((response) => response.status, () => 0))

interface HealthBody {
  readonly status: string
  readonly checks?: Readonly<Record<string, { readonly state: string }>>
}

const healthOf = ({ baseUrl }: Service) =>
  Effect.promise(() => fetch(`${baseUrl}/health`).then((response): Promise<HealthBody> => response.json()))

const nth = <A>(list: ReadonlyArray<A> | undefined, index: number): A => {
  const one = list?.[index]
  if (one === undefined) throw new Error(`There is no member ${index}`)
  return one
}

export const makeStage = Effect.fn("makeStage")(
  function*(regions: Readonly<Record<string, number>>, sites: ReadonlyArray<string>) {
    const targets = yield* makeRegionalTargets
    const hook = yield* receiver(answering(200))
    const cluster = yield* makeLocalCluster(regions)
    const client = yield* makeWorkspace(cluster.baseUrl)
    const watch = makeWatch(client)
    const regionIds = Object.keys(regions).map((id) => RegionId.make(id))
    const services = [cluster.api, ...cluster.runners, ...Object.values(cluster.probes).flat()]
    const history = new Map<string, Array<string>>(sites.map((site) => [site, []]))
    const measured: Record<string, number> = {}

    const note = (names: ReadonlyArray<string>, type: string) => names.forEach((name) => history.get(name)?.push(type))
    const readiness = (what: string, of: ReadonlyArray<Service>, status: number) =>
      eventually(
        what,
        "60 seconds",
        Effect.map(Effect.all(of.map(isReady), { concurrency: "unbounded" }), (statuses) =>
          statuses.every((one) => one === status)
            ? null
            : of.map(({ name }, index) => `${name} ${statuses[index]}`).join(", "))
      )

    return {
      cluster,
      client,
      hook,
      watch,
      regionIds,
      services,
      history,
      measured,
      readiness,
      health: healthOf,
      runner: (number: 1 | 2): Service => nth(cluster.runners, number - 1),
      probe: (region: string): Service => nth(cluster.probes[region], 0),
      create: (name: string, failureThreshold: number) =>
        client.Monitors.create_monitor({
          payload: { name, url: targets.urlOf(name), intervalSec, timeoutMs: 2000, failureThreshold, regions: regionIds }
        }),
      /** Makes the sites fail as seen from some regions, and records whether that must be reported. */
      breakQuietly: targets.breakFrom,
      outage: (names: ReadonlyArray<string>, from: ReadonlyArray<string>) => {
        targets.breakFrom(names, from)
        note(names, "monitor.down")
      },
      recovery: (names: ReadonlyArray<string>) => {
        targets.breakFrom(names, [])
        note(names, "monitor.up")
      },
      /** Waits, and records how many seconds it took. */
      measure: <E, R>(what: string, within: Duration.DurationInput, complaint: Effect.Effect<string | null, E, R>) =>
        Effect.tap(eventually(what, within, complaint), (seconds) =>
          Effect.sync(() => {
            measured[what] = seconds
          })),
      allAre: (state: "up" | "down", names: ReadonlyArray<string>) =>
        eventually(`They are ${state}`, "60 seconds", watch.states(names, state)),
      /** Acts on a member and returns when it was done (ms since 1970). */
      at: (act: (member: Member) => Effect.Effect<unknown>, member: Member) =>
        Effect.zipRight(act(member), Clock.currentTimeMillis)
    }
  }
)

export type Stage = Effect.Effect.Success<ReturnType<typeof makeStage>>
