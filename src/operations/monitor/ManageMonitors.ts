/** Creates, updates and deletes monitors. Rows, probe assignment and event commit in one transaction. */
import { Array, Clock, Data, DateTime, Effect, Either, Equal, Option, Struct } from "effect"
import { instant } from "../../../schema/Fields.ts"
import { MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { HeartbeatTarget } from "../../../schema/monitor/kinds/heartbeat.ts"
import { type MonitorInput, type MonitorState, type MonitorUpdate, mostChannels } from "../../../schema/monitor/Monitor.ts"
import { codeMonitors, monitorWishes } from "../../domain/billing/PlanLimits.ts"
import { deadlineOf } from "../../domain/monitor/job/Heartbeat.ts"
import { eventMonitor } from "../../domain/monitor/MonitorRecord.ts"
import { changesChecks, type MonitorSettings, settleEdit, settleNew } from "../../domain/monitor/settings/MonitorSettings.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { unknownMonitor } from "../../domain/UnknownReference.ts"
import { Links } from "../../links/Links.ts"
import { IncidentAlerts } from "../../services/incident/IncidentAlerts.ts"
import { MonitorAnnouncer } from "../../services/monitor/MonitorAnnouncer.ts"
import { Alarms } from "../../store/Alarms.ts"
import { KeptBackTroubles } from "../../store/alert/KeptBackTroubles.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { mint } from "../../store/Mint.ts"
import { Heartbeats } from "../../store/monitor/Heartbeats.ts"
import { Monitors, type MonitorWithState } from "../../store/monitor/Monitors.ts"
import { NewMonitorDefaults } from "../../store/monitor/NewMonitorDefaults.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { DefaultRegion } from "../check/DefaultRegion.ts"
import { requireMonitor } from "../NoSuch.ts"
import { ReadMonitors } from "./ReadMonitors.ts"
import { makeVetMonitor } from "./VetMonitor.ts"

const accept = (settled: Either.Either<MonitorSettings, Refusal>) =>
  Either.mapLeft(settled, (refusal) => validationFailure([refusal]))

const moreDefaults =
  `More than ${mostChannels} channels are default, and a monitor takes ${mostChannels}: the first ones. To choose, send channelIds.`

/** The settings that decide when a heartbeat is down; null for other kinds. */
const timingOf = ({ target }: MonitorSettings) =>
  target.kind === "heartbeat"
    ? Data.struct(Struct.pick(target, "periodSec", "schedule", "timezone", "graceSec", "maxRunSec"))
    : null

/** The deadlines of new and edited heartbeats, by the database's clock. */
const makeHeartbeatDeadlines = Effect.gen(function*() {
  const heartbeats = yield* Heartbeats
  const alarms = yield* Alarms
  const clock = yield* DatabaseClock
  return {
    /** The first ping has a deadline too. */
    first: (workspaceId: WorkspaceId, id: MonitorId, target: HeartbeatTarget, paused: boolean) =>
      Effect.gen(function*() {
        const now = yield* clock.now
        yield* heartbeats.insert(workspaceId, id, now)
        const at = DateTime.toEpochMillis(now)
        const deadline = deadlineOf(target, { lastPingAt: null, expectedFrom: at }, at, at)
        if (!paused && deadline !== null) yield* alarms.arm("monitor", workspaceId, id, instant(deadline))
      }),
    /** A resume, or a change of its timing, restarts the wait from now; the alarm wakes the actor, which loads the edit. */
    afterEdit: (workspaceId: WorkspaceId, id: MonitorId, before: MonitorSettings, after: MonitorSettings) =>
      Effect.gen(function*() {
        const resumed = before.paused && !after.paused
        if (resumed || !Equal.equals(timingOf(before), timingOf(after))) {
          yield* heartbeats.expectAnew(workspaceId, id)
        }
        yield* alarms.arm("monitor", workspaceId, id, yield* clock.now)
      })
  }
})

/** Refuses dependencies on monitors that do not exist, and cycles. In the transaction of the change. */
const vetDependencies = Effect.fnUntraced(
  function*(monitors: Monitors, workspaceId: WorkspaceId, id: string | null, wanted: ReadonlyArray<MonitorId> = []) {
    if (wanted.length === 0) return
    const problems = yield* monitors.dependencyProblems(workspaceId, id, wanted)
    const refusals = problems.map((one): Refusal => {
      const path = `dependsOn.${wanted.findIndex((parent) => parent === one.id)}`
      return one.problem === "unknown"
        ? unknownMonitor(path, one.id)
        : { path, message: `${one.id} depends on this monitor, itself or through others; a cycle is not possible` }
    })
    if (refusals.length > 0) return yield* validationFailure(refusals)
  }
)

const makeCreate = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const monitors = yield* Monitors
  const quotas = yield* Quotas
  const defaults = yield* NewMonitorDefaults
  const events = yield* EventLog
  const links = yield* Links
  const defaultRegion = yield* DefaultRegion
  const { created, record } = yield* ReadMonitors
  const vet = yield* makeVetMonitor
  const deadlines = yield* makeHeartbeatDeadlines

  /** In a transaction. The settings are settled in it: one round trip reads what they depend on and locks the workspace. */
  const insert = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: MonitorId, input: MonitorInput) {
    const room = yield* quotas.begin(workspaceId, ["monitors", "codeMonitors"], defaults.read(workspaceId, input.tags ?? []))
    const { channelIds, muted } = room.beside
    const defaultIds = channelIds.slice(0, mostChannels)
    const settings = yield* accept(settleNew(input, { channelIds: defaultIds, regions: [defaultRegion] }))
    const kinds = { monitors: 1, codeMonitors: codeMonitors(settings.target.kind) }
    yield* room.judge(kinds, monitorWishes(settings, null))
    yield* vetDependencies(monitors, workspaceId, null, input.dependsOn)
    const createdAt = yield* monitors.insert(workspaceId, id, settings)
    if (settings.target.kind === "heartbeat") yield* deadlines.first(workspaceId, id, settings.target, settings.paused)
    const state: MonitorState = settings.paused ? "paused" : "pending"
    yield* events.appendAfter(workspaceId, room.lastEventId, [
      { type: "monitor.created", data: { monitor: eventMonitor({ id, ...settings }, state, links.monitor(id)) } }
    ])
    const leavesOut = input.channelIds === undefined && channelIds.length > mostChannels
    return { createdAt, muted, settings, warned: leavesOut ? { warnings: [moreDefaults] } : {} }
  })

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, input: MonitorInput) {
    yield* vet(workspaceId, input)
    const id = yield* mint("mon", MonitorId)
    const { createdAt, muted, settings, warned } = yield* transaction(insert(workspaceId, id, input))
    // The ping URL of a heartbeat was made by its row.
    const monitor = settings.target.kind === "heartbeat"
      ? yield* Effect.orDie(record(workspaceId, id))
      : created(id, settings, createdAt, muted)
    return { ...monitor, ...warned }
  })
})

/** Moves the next reminder of a monitor that is down when its `reminderMinutes` change. */
const makeMoveReminder = Effect.gen(function*() {
  const incidents = yield* Incidents
  const alerts = yield* IncidentAlerts
  return Effect.fnUntraced(function*(before: MonitorWithState, after: MonitorSettings) {
    if (before.incidentId === null || Array.getEquivalence(Equal.equals)(before.reminderMinutes, after.reminderMinutes)) return
    const open = yield* incidents.lockOpen(before.workspaceId, before.incidentId)
    if (Option.isSome(open)) yield* alerts.marksChanged(before.workspaceId, open.value)
  })
})

/** Changes one monitor, in the caller's transaction; the caller has vetted the update. */
export const makeChangeMonitor = Effect.gen(function*() {
  const monitors = yield* Monitors
  const quotas = yield* Quotas
  const deadlines = yield* makeHeartbeatDeadlines
  const moveReminder = yield* makeMoveReminder
  const troubles = yield* KeptBackTroubles
  const clock = yield* DatabaseClock

  return Effect.fnUntraced(
    function*(workspaceId: WorkspaceId, id: string, updateOf: (now: MonitorSettings) => MonitorUpdate) {
      yield* monitors.lock(workspaceId, id)
      const found = yield* requireMonitor(monitors, workspaceId, id)
      const before: MonitorSettings = { ...found, secrets: yield* monitors.secrets(found) }
      const update = updateOf(before)
      const after = yield* accept(settleEdit(update, before))
      yield* quotas.settle(workspaceId, monitorWishes(after, before))
      yield* vetDependencies(monitors, workspaceId, found.id, update.dependsOn)
      yield* monitors.update(workspaceId, found.id, after, changesChecks(before, after))
      yield* moveReminder(found, after)
      const isDetached = before.dependsOn.some((parent) => !after.dependsOn.includes(parent))
      // A mute may cover the tag.
      const isUntagged = before.tags.some((tag) => !after.tags.includes(tag))
      if (isDetached || isUntagged) yield* troubles.reviewNow(workspaceId, [found.id], yield* clock.now)
      if (after.target.kind === "heartbeat") yield* deadlines.afterEdit(workspaceId, found.id, before, after)
      return { after, before, update }
    }
  )
})

const makeUpdate = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const { record } = yield* ReadMonitors
  const vet = yield* makeVetMonitor
  const change = yield* makeChangeMonitor

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: string, input: MonitorUpdate) {
    yield* vet(workspaceId, input)
    yield* transaction(change(workspaceId, id, () => input))
    return yield* record(workspaceId, id)
  })
})

/** Removes one monitor, in the caller's transaction. */
export const makeRemoveMonitor = Effect.gen(function*() {
  const monitors = yield* Monitors
  const events = yield* EventLog
  const announcer = yield* MonitorAnnouncer
  const troubles = yield* KeptBackTroubles
  const clock = yield* DatabaseClock

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: string) {
    yield* monitors.lock(workspaceId, id)
    yield* monitors.lockState(workspaceId, id)
    const monitor = yield* requireMonitor(monitors, workspaceId, id)
    const now = yield* Clock.currentTimeMillis
    const closed = monitor.incidentId === null
      ? []
      : yield* announcer.abandon(monitor, monitor.incidentId, now, "the monitor was deleted")
    const children = yield* monitors.remove(workspaceId, monitor.id)
    yield* troubles.wakePages(workspaceId, children, yield* clock.now)
    yield* events.append(workspaceId, [
      ...closed,
      { type: "monitor.deleted", data: { monitor: { _id: monitor.id, id: monitor.id, name: monitor.name } } }
    ])
    return monitor.id
  })
})

const makeRemove = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const remove = yield* makeRemoveMonitor
  return (workspaceId: WorkspaceId, id: string) => transaction(remove(workspaceId, id))
})

export class ManageMonitors extends Effect.Service<ManageMonitors>()("belltower/ManageMonitors", {
  effect: Effect.all({ create: makeCreate, update: makeUpdate, remove: makeRemove }),
  dependencies: [ReadMonitors.Default, IncidentAlerts.Default]
}) {}
