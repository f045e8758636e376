/** The interface's report about a set of monitors, as complaints about everything that is not yet as expected. */
import { Clock, DateTime, Effect } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import type { makeWorkspace } from "./LocalCluster.ts"

type Client = Effect.Effect.Success<ReturnType<typeof makeWorkspace>>

const complain = (what: ReadonlyArray<string>): string | null => what.length === 0 ? null : what.join(", ")

export const makeWatch = (client: Client) => {
  const monitors = Effect.map(client.Monitors.list_monitors({ urlParams: {} }), ({ data }) => data)
  const named = (names: ReadonlyArray<string>) =>
    Effect.map(monitors, (all) => all.filter((monitor) => names.includes(monitor.name)))

  /** The monitors' changes between up and down, oldest first. */
  const transitions = Effect.map(
    client.Events.list_events({ urlParams: { limit: 500, types: ["monitor.down", "monitor.up"] } }),
    ({ data }) => data.toReversed()
  )
  const siteOf = (data: Readonly<Record<string, unknown>>): string => {
    const { monitor } = data
    return typeof monitor === "object" && monitor !== null && "name" in monitor ? String(monitor.name) : ""
  }

  return {
    transitions,
    states: (names: ReadonlyArray<string>, state: MonitorState) =>
      Effect.map(named(names), (found) =>
        found.length < names.length
          ? `${found.length} of ${names.length} exist`
          : complain(found.filter((one) => one.state !== state).map(({ name, state }) => `${name} is ${state}`))),
    someAre: (names: ReadonlyArray<string>, state: MonitorState) =>
      Effect.map(named(names), (found) => found.some((one) => one.state === state) ? null : `none is ${state}`),
    /** Whether the actor of each monitor has processed a check made since then. */
    decidedSince: (names: ReadonlyArray<string>, since: number) =>
      Effect.map(
        named(names),
        (found) => complain(found.filter(({ lastCheck }) => (lastCheck?.at.epochMillis ?? 0) < since).map(({ name }) => name))
      ),
    /** Whether a region has checked each of them since then. */
    checkedSince: (names: ReadonlyArray<string>, region: RegionId, since: number) =>
      Effect.gen(function*() {
        const found = yield* Effect.filter(yield* named(names), ({ id }) =>
          Effect.map(client.Monitors.list_checks({ path: { id }, urlParams: { limit: 30 } }), ({ data }) =>
            !data.some((check) =>
              check.region === region && check.at.epochMillis >= since
            )), { concurrency: 8 })
        return complain(found.map(({ name }) =>
          name
        ))
      }),
    /** Runs a manual check with effect; returns the seconds it took. Retries when a refusal allows it. */
    applyCheck: (name: string) =>
      Effect.gen(function*() {
        const from = yield* Clock.currentTimeMillis
        const [monitor] = yield* named([name])
        if (monitor === undefined) return yield* Effect.dieMessage(`There is no monitor ${name}`)
        yield* client.Monitors.run_check({ path: { id: monitor.id }, payload: { apply: true } }).pipe(
          Effect.retry({ while: (failure) => failure._tag === "unavailable", times: 5 })
        )
        return Math.round(((yield* Clock.currentTimeMillis) - from) / 100) / 10
      }),
    /** The causes of these monitors' transitions, for diagnosing unexpected counts. */
    account: (names: ReadonlyArray<string>) =>
      Effect.map(transitions, (events) =>
        events.filter(({ data }) => names.includes(siteOf(data)))
          .map(({ at, data, type }) => `${DateTime.formatIso(at)} ${siteOf(data)} ${type} ${JSON.stringify(data["check"])}`)),
    /** The types of each monitor's transitions, in order. */
    histories: (names: ReadonlyArray<string>) =>
      Effect.map(
        transitions,
        (events) =>
          new Map(names.map((name) => [name, events.filter(({ data }) => siteOf(data) === name).map(({ type }) => type)]))
      )
  }
}
