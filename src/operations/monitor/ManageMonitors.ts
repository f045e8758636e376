/** Creates, edits, reads and deletes monitors: the rows, the probes' outbox line and the event in one transaction. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Data, DateTime, Effect, Either, Equal, Option } from "effect"
import { MonitorAnnouncer } from "../../../cluster/monitor/MonitorAnnouncer.ts"
import type { Check, Outcome } from "../../../schema/check/Check.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import { NotFound } from "../../../schema/Errors.ts"
import { instant } from "../../../schema/Fields.ts"
import { type ChannelId, MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { HeartbeatTarget, MonitorInput, MonitorState, MonitorUpdate } from "../../../schema/monitor/Monitor.ts"
import { codeMonitors, monitorWishes } from "../../domain/billing/PlanLimits.ts"
import { deadlineOf } from "../../domain/monitor/Heartbeat.ts"
import { monitorRecord, observedSpans, uptimeWindows } from "../../domain/monitor/MonitorRecord.ts"
import { changesChecks, type MonitorSettings, settleEdit, settleNew } from "../../domain/monitor/MonitorSettings.ts"
import { eventMonitor } from "../../domain/monitor/MonitorView.ts"
import type { Refusal } from "../../domain/Refusal.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Links } from "../../links/Links.ts"
import { Alarms } from "../../store/Alarms.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { Checks } from "../../store/check/Checks.ts"
import { Regions } from "../../store/check/Regions.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { mint } from "../../store/Mint.ts"
import { Heartbeats } from "../../store/monitor/Heartbeats.ts"
import { Monitors, type MonitorWithState } from "../../store/monitor/Monitors.ts"
import { Spans } from "../../store/monitor/Spans.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"

/** The region of monitors that name none. */
export class DefaultRegion extends Context.Tag("belltower/DefaultRegion")<DefaultRegion, RegionId>() {}

const notFound = (id: string) =>
  new NotFound({ message: `No monitor ${id} in this workspace`, hint: "GET /api/v1/monitors lists them" })

const accept = (settled: Either.Either<MonitorSettings, Refusal>) =>
  Either.mapLeft(settled, (refusal) => validationFailure([refusal]))

export class ManageMonitors extends Effect.Service<ManageMonitors>()("belltower/ManageMonitors", {
  dependencies: [Quotas.Default],
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const monitors = yield* Monitors
    const quotas = yield* Quotas
    const heartbeats = yield* Heartbeats
    const alarms = yield* Alarms
    const clock = yield* DatabaseClock
    const channels = yield* Channels
    const regions = yield* Regions
    const spans = yield* Spans
    const checks = yield* Checks
    const events = yield* EventLog
    const news = yield* MonitorAnnouncer
    const links = yield* Links
    const defaultRegion = yield* DefaultRegion

    const row = (workspaceId: WorkspaceId, id: string) =>
      Effect.flatMap(
        monitors.find(workspaceId, id),
        Option.match({ onNone: () => Effect.fail(notFound(id)), onSome: Effect.succeed })
      )

    /** Channels must be the workspace's own, regions ones that probes were heard from: a typing error would check nothing. */
    const vet = Effect.fn("ManageMonitors.vet")(function*(
      workspaceId: WorkspaceId,
      given: { readonly channelIds?: ReadonlyArray<ChannelId>; readonly regions?: ReadonlyArray<RegionId> }
    ) {
      const refusals: Array<Refusal> = []
      const wanted = given.channelIds ?? []
      const unknown = wanted.length === 0 ? [] : yield* channels.unknownIds(workspaceId, wanted)
      for (const id of unknown) {
        refusals.push({ path: `channelIds.${wanted.indexOf(id)}`, message: `No channel ${id} in this workspace` })
      }
      if (given.regions !== undefined) {
        const known = new Set<string>([defaultRegion, ...(yield* regions.known).map((region) => region.id)])
        given.regions.forEach((region, index) => {
          if (known.has(region)) return
          refusals.push({
            path: `regions.${index}`,
            message: `No probe was ever heard from region ${region}`,
            hint: `Known: ${[...known].join(", ")}`
          })
        })
      }
      if (refusals.length > 0) return yield* validationFailure(refusals)
    })

    const pingUrl = ({ tokenSealed }: MonitorWithState) =>
      tokenSealed === null ? Effect.succeed(null) : Effect.map(heartbeats.token(tokenSealed), links.ping)

    const records = Effect.fn("ManageMonitors.records")(
      function*(workspaceId: WorkspaceId, rows: ReadonlyArray<MonitorWithState>) {
        const now = yield* Clock.currentTimeMillis
        const from = DateTime.unsafeMake(now - 30 * 86_400_000)
        const lived = yield* Effect.orDie(spans.since(workspaceId, rows.map((monitor) => monitor.id), from))
        return yield* Effect.forEach(
          rows,
          (monitor) =>
            Effect.zipWith(monitors.secrets(monitor), pingUrl(monitor), (secrets, ping) =>
              monitorRecord(
                monitor,
                secrets,
                uptimeWindows(observedSpans(lived.get(monitor.id) ?? [], monitor, monitor.lastRoundAt, now), now),
                { dashboard: links.monitor(monitor.id), ping }
              ))
        )
      }
    )

    const record = Effect.fn("ManageMonitors.record")(function*(workspaceId: WorkspaceId, id: string) {
      const [monitor] = yield* records(workspaceId, [yield* row(workspaceId, id)])
      return monitor === undefined ? yield* notFound(id) : monitor
    })

    const settingsOf = (monitor: MonitorWithState): Effect.Effect<MonitorSettings> =>
      Effect.map(monitors.secrets(monitor), (secrets) => ({ ...monitor, secrets }))

    /** The first ping has its deadline like every other. */
    const awaitFirst = (workspaceId: WorkspaceId, id: MonitorId, target: HeartbeatTarget, paused: boolean) =>
      Effect.gen(function*() {
        const now = yield* clock.now
        yield* heartbeats.insert(workspaceId, id, now)
        const at = DateTime.toEpochMillis(now)
        const deadline = deadlineOf(target, { lastPingAt: null, expectedFrom: at }, at, at)
        if (!paused) yield* alarms.arm("monitor", workspaceId, id, instant(deadline))
      })

    const create = Effect.fn("ManageMonitors.create")(function*(workspaceId: WorkspaceId, input: MonitorInput) {
      yield* vet(workspaceId, input)
      const settings = yield* accept(
        settleNew(input, { channelIds: yield* channels.defaultIds(workspaceId), regions: [defaultRegion] })
      )
      const id = yield* mint("mon", MonitorId)
      const state: MonitorState = settings.paused ? "paused" : "pending"
      yield* sql.withTransaction(Effect.gen(function*() {
        const kinds = { monitors: 1, codeMonitors: codeMonitors(settings.target.kind) }
        yield* quotas.take(workspaceId, kinds, monitorWishes(settings, null))
        yield* monitors.insert(workspaceId, id, settings)
        if (settings.target.kind === "heartbeat") yield* awaitFirst(workspaceId, id, settings.target, settings.paused)
        yield* events.append(workspaceId, [
          { type: "monitor.created", data: { monitor: eventMonitor({ id, ...settings }, state, links.monitor(id)) } }
        ])
      })).pipe(Effect.catchTag("SqlError", Effect.die))
      return yield* Effect.orDie(record(workspaceId, id))
    })

    /** A heartbeat that is resumed or has another period is waited for from now on; its actor wakes to take the edit over. */
    const waitAnew = (workspaceId: WorkspaceId, id: MonitorId, before: MonitorSettings, after: MonitorSettings) =>
      Effect.gen(function*() {
        const resumed = before.paused && !after.paused
        if (resumed || !Equal.equals(Data.struct(before.target), Data.struct(after.target))) {
          yield* heartbeats.expectAnew(workspaceId, id)
        }
        yield* alarms.arm("monitor", workspaceId, id, yield* clock.now)
      })

    const update = Effect.fn("ManageMonitors.update")(function*(workspaceId: WorkspaceId, id: string, input: MonitorUpdate) {
      yield* vet(workspaceId, input)
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* monitors.lock(workspaceId, id)
        const before = yield* row(workspaceId, id)
        const base = yield* settingsOf(before)
        const settings = yield* accept(settleEdit(input, base))
        yield* quotas.settle(workspaceId, monitorWishes(settings, base))
        yield* monitors.update(workspaceId, before.id, settings, changesChecks(base, settings))
        if (settings.target.kind === "heartbeat") yield* waitAnew(workspaceId, before.id, base, settings)
      })).pipe(Effect.catchTag("SqlError", Effect.die))
      return yield* record(workspaceId, id)
    })

    const remove = Effect.fn("ManageMonitors.remove")(function*(workspaceId: WorkspaceId, id: string) {
      return yield* sql.withTransaction(Effect.gen(function*() {
        yield* monitors.lock(workspaceId, id)
        yield* monitors.lockState(workspaceId, id)
        const monitor = yield* row(workspaceId, id)
        const now = yield* Clock.currentTimeMillis
        const closed = monitor.incidentId === null
          ? []
          : yield* news.abandon(monitor, monitor.incidentId, now, "the monitor was deleted")
        yield* monitors.remove(workspaceId, monitor.id)
        yield* events.append(workspaceId, [
          ...closed,
          { type: "monitor.deleted", data: { monitor: { _id: monitor.id, name: monitor.name } } }
        ])
        return monitor.id
      })).pipe(Effect.catchTag("SqlError", Effect.die))
    })

    const list = Effect.fn("ManageMonitors.list")(
      function*(workspaceId: WorkspaceId, state: MonitorState | null, tag: string | null) {
        return yield* records(workspaceId, yield* monitors.list(workspaceId, state, tag))
      }
    )

    const history = Effect.fn("ManageMonitors.history")(function*(
      workspaceId: WorkspaceId,
      id: string,
      options: {
        readonly outcome: Outcome | null
        readonly before: DateTime.Utc | null
        readonly limit: number
        readonly evidence: boolean
      }
    ) {
      const monitor = yield* row(workspaceId, id)
      return options.limit === 0 ? new Array<Check>() : yield* checks.list(workspaceId, monitor.id, options)
    })

    const stats = Effect.fn("ManageMonitors.stats")(function*(workspaceId: WorkspaceId, id: MonitorId) {
      return yield* checks.stats(workspaceId, id, DateTime.subtract(yield* DateTime.now, { hours: 24 }))
    })

    return { row, record, list, create, update, remove, history, stats }
  })
}) {}
