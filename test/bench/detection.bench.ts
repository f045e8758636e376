/**
 * Scripted faults at real targets, judged by the wall clock: one line of JSON, and a table. Ends with an error unless each outage is
 * told once, in time and rightly dated, and no blip is.
 */
import { Array as Arr, Clock, Effect, Option, Schedule, Schema, type Scope } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { makeCertificates } from "../support/targets/LocalTargets.ts"
import { makeAlertLog } from "./support/alertLog.ts"
import { type Breakable, type FaultName, faults } from "./support/breakableTargets.ts"
import { makeRegionalTargets } from "./support/regionalTargets.ts"

/** `addresses`: one for each of several regions, as `region=address`. */
const [baseUrl = "", apiKey = "", scaleText = "1", ...addresses] = process.argv.slice(2)
const scale = Number(scaleText)
const regions = addresses.map((one) => one.split("=") as [string, string])

/** Of an outage or of blips at one monitor. */
interface Case {
  readonly row: string
  readonly target: Breakable
  readonly intervalSec: number
  readonly timeoutSec: number
  /** A check of the broken target takes its whole timeout. */
  readonly timesOut: boolean
  /** Ends before anyone may be alerted, ms; null for an outage. */
  readonly blipMs: number | null
}

interface Outcome extends Case {
  readonly toldMs: number | null
  readonly datedMs: number | null
  /** How long its longest blip was, ms: a busy machine may end it late. */
  readonly longestMs: number
  readonly downs: number
  readonly ups: number
}

/** From the verdict to the receiver, and for a busy machine, ms. */
const slackMs = 3000

/** The promised bound, ms. At a minute and more, timeouts fit into the wait for the confirmation. */
const boundOf = ({ intervalSec, timeoutSec, timesOut }: Case): number =>
  Math.max(1.5 * intervalSec, intervalSec + 10) * 1000 + (timesOut && intervalSec < 60 ? 2 * timeoutSec * 1000 : 0)

const Made = Schema.Struct({ id: Schema.String })
const Found = Schema.Struct({ openIncidentId: Schema.NullOr(Schema.String) })
const Begun = Schema.Struct({ startedAt: Schema.Date })

/** Calls the interface; above its rate, later again. */
const call = <A, I>(method: string, path: string, schema: Schema.Schema<A, I>, body?: object) =>
  Effect.tryPromise((signal) =>
    fetch(`${baseUrl}/api/v1${path}`, {
      method,
      signal,
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }).then((response): Promise<unknown> => response.json())
  ).pipe(
    Effect.flatMap(Schema.decodeUnknown(schema)),
    Effect.retry(Schedule.intersect(Schedule.spaced("3 seconds"), Schedule.recurs(30))),
    Effect.orDie
  )

const sleepWithin = (fromMs: number, toMs: number) => Effect.sleep(fromMs + Math.floor(Math.random() * (toMs - fromMs)))

type AlertLog = Effect.Effect.Success<typeof makeAlertLog>

/** When the incident of a monitor that is down began, ms; null without one. */
const begunAt = (monitorId: string) =>
  Effect.flatMap(
    call("GET", `/monitors/${monitorId}`, Found),
    ({ openIncidentId }) =>
      openIncidentId === null
        ? Effect.succeed(null)
        : Effect.map(call("GET", `/incidents/${openIncidentId}`, Begun), ({ startedAt }) => startedAt.getTime())
  )

/** Breaks the target at any moment of an interval, and mends it once that was told. */
const outage = Effect.fn("outage")(function*(one: Case, monitorId: string, log: AlertLog) {
  const intervalMs = one.intervalSec * 1000
  yield* sleepWithin(0, intervalMs)
  const brokenAt = yield* Clock.currentTimeMillis
  yield* one.target.break
  const told = yield* log.next(monitorId, "monitor.down", 0, boundOf(one) + 2 * intervalMs)
  const begun = yield* begunAt(monitorId)
  yield* sleepWithin(500, intervalMs)
  const mendedAt = yield* Clock.currentTimeMillis
  yield* one.target.mend
  yield* log.next(monitorId, "monitor.up", mendedAt, 2 * intervalMs + one.timeoutSec * 1000 + slackMs)
  return {
    toldMs: told === undefined ? null : told.at - brokenAt,
    datedMs: begun === null ? null : begun - brokenAt,
    longestMs: 0
  }
})

/** As many blips as fit into the time of an outage. Between two there is a check that succeeds, also on a busy machine. */
const blips = Effect.fn("blips")(function*({ blipMs, intervalSec, target, timeoutSec }: Case) {
  const apartMs = (2 * intervalSec + timeoutSec + 20) * 1000
  let longestMs = 0
  for (let left = Math.max(1, Math.floor(240_000 / (apartMs + intervalSec * 500))); left > 0; left--) {
    yield* sleepWithin(apartMs, apartMs + intervalSec * 1000)
    const brokenAt = yield* Clock.currentTimeMillis
    yield* target.break
    yield* Effect.sleep(blipMs ?? 0)
    yield* target.mend
    longestMs = Math.max(longestMs, (yield* Clock.currentTimeMillis) - brokenAt)
  }
  yield* Effect.sleep(apartMs)
  return { toldMs: null, datedMs: null, longestMs }
})

const runCase = Effect.fn("runCase")(function*(one: Case, monitorId: string, log: AlertLog) {
  const seen = yield* one.blipMs === null ? outage(one, monitorId, log) : blips(one)
  // A second alert of the same would come by now.
  yield* Effect.sleep("10 seconds")
  const all = log.of(monitorId)
  const count = (type: string) => all.filter((alert) => alert.type === type).length
  return { ...one, ...seen, downs: count("monitor.down"), ups: count("monitor.up") } satisfies Outcome
})

/** The ids of monitors of the cases, once all are up. */
const createAll = Effect.fn("createAll")(function*(cases: ReadonlyArray<Case>) {
  const made = yield* Effect.forEach(
    cases,
    ({ intervalSec, row, target, timeoutSec }, index) =>
      call("POST", "/monitors", Made, {
        name: `${row} ${index}`,
        intervalSec,
        timeoutMs: timeoutSec * 1000,
        ...target.input
      }),
    { concurrency: 4 }
  )
  yield* call("GET", "/monitors?state=pending&limit=1", Schema.Struct({ data: Schema.Array(Schema.Unknown) })).pipe(
    Effect.delay("1 second"),
    Effect.repeat({ until: ({ data }) => data.length === 0 }),
    Effect.timeoutOption("3 minutes"),
    Effect.flatMap(Option.match({ onNone: () => Effect.dieMessage("Not all monitors got up"), onSome: Effect.succeed }))
  )
  return made.map(({ id }) => id)
})

const times = (count: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(1, Math.round(count * scale)) }, (_, i) => i)

/** Intervals, and how many monitors of each fault have them: so many that the moments cover an interval. */
const paces = [[10, 2], [20, 5], [60, 3]] as const
const blipped = ["refused", "status 503", "hangs", "reset", "resolver silent"] as const
const blipLengths = [1000, 3000, 5000, 7000, 9000, 9500]

const inOneRegion = Effect.gen(function*() {
  const known = faults(makeCertificates())
  const names = Object.keys(known).filter((name): name is FaultName => name in known)
  const wanted = paces.flatMap(([intervalSec, count]) => [
    ...names.flatMap((row) => times(count).map(() => ({ row, intervalSec, blipMs: null }))),
    ...blipped.flatMap((row) => times(1).flatMap(() => blipLengths.map((blipMs) => ({ row, intervalSec, blipMs }))))
  ])
  return yield* Effect.forEach(
    wanted,
    (one): Effect.Effect<Case, never, Scope.Scope> =>
      Effect.map(known[one.row].target, (target) => ({ ...one, target, timeoutSec: 10, timesOut: known[one.row].timesOut }))
  )
})

/** A fault that a minority of the regions sees is for nobody, however long it lasts. */
const inRegions = Effect.gen(function*() {
  const at = yield* makeRegionalTargets(regions.map(([id]) => id))
  const seenBy = (count: number) => regions.slice(0, count).map(([, address]) => address)
  return [10, 20, 60].flatMap((intervalSec) =>
    times(4).flatMap((index) =>
      [[1, 50_000], [2, null], [3, null], [2, 9000], [3, 9000]].map(([count = 0, blipMs = null]): Case => ({
        row: `status 503 in ${count} of ${regions.length} regions`,
        target: at(`site-${intervalSec}-${index}-${count}-${blipMs}`, seenBy(count ?? 0)),
        intervalSec,
        timeoutSec: 10,
        timesOut: false,
        blipMs
      }))
    )
  )
})

const isOutage = ({ blipMs }: Case): boolean => blipMs === null
/** An outage that lasts for less alerts nobody, ms; nor does one that a minority of the regions sees, however long. */
const isBlip = ({ blipMs, longestMs }: Outcome): boolean => blipMs !== null && (blipMs >= 10_000 || longestMs < 10_000)
const isLate = (one: Outcome): boolean => isOutage(one) && (one.toldMs ?? Number.POSITIVE_INFINITY) > boundOf(one) + slackMs
const isMisdated = ({ datedMs, intervalSec }: Outcome): boolean =>
  datedMs !== null && (datedMs < -1000 || datedMs > intervalSec * 1000 + slackMs)

const slowest = (told: ReadonlyArray<Outcome>, unitOf: (one: Outcome) => number): number | null => {
  const all = told.flatMap((one) => (one.toldMs === null ? [] : one.toldMs / unitOf(one)))
  return all.length === 0 ? null : Math.round(Math.max(...all) * 100) / 100
}

const summary = (all: ReadonlyArray<Outcome>) => ({
  missed: all.filter((one) => isOutage(one) && one.downs === 0).length,
  late: all.filter(isLate).length,
  falseAlarms: all.reduce((sum, one) => sum + (isBlip(one) ? one.downs : 0), 0),
  doubles: all.filter((one) => isOutage(one) && (one.downs > 1 || one.ups > 1)).length,
  misdated: all.filter((one) => isOutage(one) && isMisdated(one)).length
})

const rowOf = ({ blipMs, intervalSec, row }: Case): string =>
  blipMs === null ? `${row}, every ${intervalSec} s` : `${row} for ${blipMs / 1000} s, every ${intervalSec} s`

const tell = (outcomes: ReadonlyArray<Outcome>, stallMs: number): void => {
  const rows = Object.entries(Arr.groupBy(outcomes, rowOf)).map(([row, all]) => {
    const [first] = all
    return [row, {
      monitors: all.length,
      slowestSec: slowest(all, () => 1000),
      boundSec: isOutage(first) ? boundOf(first) / 1000 : null,
      ...summary(all)
    }]
  })
  console.table(Object.fromEntries(rows))
  const faulty = outcomes.filter((one) => Object.values(summary([one])).some((count) => count > 0))
  for (const { blipMs, datedMs, downs, intervalSec, row, toldMs, ups } of faulty) {
    console.log(`Outside the bound: ${JSON.stringify({ row, intervalSec, blipMs, toldMs, datedMs, downs, ups })}`)
  }
  const outages = outcomes.filter(isOutage)
  const ofKind = (timesOut: boolean, leastSec: number) =>
    slowest(
      outages.filter((one) => one.timesOut === timesOut && one.intervalSec >= leastSec),
      ({ intervalSec }) => intervalSec * 1000
    )
  console.log(JSON.stringify({
    bench: "detection",
    regions: Math.max(1, regions.length),
    outages: outages.length,
    blippedMonitors: outcomes.length - outages.length,
    slowestIntervals: ofKind(false, 20),
    slowestIntervalsOfTimeouts: ofKind(true, 60),
    ...summary(outcomes),
    stallMs: Math.round(stallMs)
  }))
  if (faulty.length > 0) process.exitCode = 1
}

/** The longest stall of this process is reported: on a machine that stood still, the run says little. */
const bench = Effect.gen(function*() {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  const log = yield* makeAlertLog
  yield* call("POST", "/channels", Made, {
    name: "Log",
    type: "webhook",
    url: log.url,
    isDefault: true,
    events: ["monitor.down", "monitor.up"]
  })
  const cases = yield* regions.length === 0 ? inOneRegion : inRegions
  const ids = yield* createAll(cases)
  delay.enable()
  const outcomes = yield* Effect.forEach(cases, (one, index) => runCase(one, ids[index] ?? "", log), { concurrency: "unbounded" })
  tell(outcomes, delay.max / 1e6)
})

await Effect.runPromise(Effect.scoped(bench))
process.exit()
