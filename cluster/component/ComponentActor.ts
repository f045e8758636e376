/** The component's actor: the single writer of its push state and of the status that was last announced. */
import { Entity } from "@effect/cluster"
import { SqlClient } from "@effect/sql"
import { Data, DateTime, Effect, Layer, Option } from "effect"
import type { PushReceipt, PushState } from "../../schema/component/Push.ts"
import { instant } from "../../schema/Fields.ts"
import { hearManifest, isBlank } from "../../src/domain/component/ManifestReports.ts"
import {
  deadlineOf,
  hear,
  type Heard,
  initialPushState,
  lapse,
  type Report,
  silenceOf
} from "../../src/domain/component/PushMachine.ts"
import { urgently } from "../../src/loops/WorkPriority.ts"
import { ComponentAnnouncer, statusChanged } from "../../src/services/component/ComponentAnnouncer.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { shownBy, silencePause, type StoredComponent, unreadSince } from "../../src/store/component/ComponentRows.ts"
import { ComponentStates, type ComponentWithState, type Settled } from "../../src/store/component/ComponentStates.ts"
import { ManifestReports } from "../../src/store/component/ManifestReports.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { Listening } from "../../src/store/monitor/Listening.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { answering } from "../ActorProtocol.ts"
import { registerActors } from "../MinimalContext.ts"
import { ComponentEntity, entityKey } from "./ComponentProtocol.ts"

/** Another writer committed the row first: the transaction rolls back, and its work starts again from the row. */
class LostRace extends Data.TaggedError("LostRace") {}

const receiptOf = (
  { confirmations, id, key, name }: StoredComponent,
  { status }: Report,
  { state, taken }: Heard,
  settled: Settled
): PushReceipt => ({
  ok: true,
  component: { id, key, name },
  reported: status,
  taken,
  status: settled.status,
  statusMessage: settled.statusMessage,
  awaiting: state.streak.length === 0 ? null : { reports: state.streak.length, confirmations }
})

const isSettled = ({ component, announced }: ComponentWithState, settled: Settled): boolean =>
  announced.version > 0 && settled.pushState === component.pushState && settled.status === announced.status &&
  settled.statusMessage === announced.statusMessage && settled.automatic === announced.automatic &&
  settled.incidentId === announced.incidentId

const makeCommits = Effect.gen(function*() {
  const alarms = yield* Alarms
  const states = yield* ComponentStates
  const announcer = yield* ComponentAnnouncer
  const events = yield* EventLog

  /** Commits the new state of a row with its incident and events, in the caller's transaction. */
  const commit = Effect.fn("Component.commit")(function*(row: ComponentWithState, pushState: PushState | null) {
    const at = yield* DateTime.now
    const shownIn = (component: StoredComponent) => ({
      ...shownBy(component, pushState, DateTime.toEpochMillis(at)),
      pushState,
      at
    })
    const before = shownIn(row.component)
    const { drafts, incidentId } = yield* announcer.changeIncident(row, before)
    // A person may have set its status in that incident: the change ends this.
    const after = drafts.length === 0 ? Option.none() : yield* states.load(row.component.workspaceId, row.component.id)
    const shown = Option.match(after, { onNone: () => before, onSome: ({ component }) => shownIn(component) })
    // An unknown status changes nothing in an incident.
    const automatic = shown.automatic === "unknown" ? row.announced.automatic ?? "unknown" : shown.automatic
    const settled: Settled = { ...shown, automatic, incidentId }
    if (!isSettled(row, settled) && !(yield* states.commit(row, settled))) return yield* new LostRace()
    const announced = [...statusChanged(row, shown), ...drafts]
    if (announced.length > 0) yield* events.append(row.component.workspaceId, announced)
    return settled
  })

  /** Commits the status by the monitors of a row, and looks again at those of which no checks arrive. */
  const follow = Effect.fnUntraced(function*(row: ComponentWithState, now: DateTime.Utc) {
    const { at } = yield* commit(row, null)
    const { id, workspaceId } = row.component
    const pause = silencePause(row.component, DateTime.toEpochMillis(at))
    if (pause !== null) yield* alarms.arm("component", workspaceId, id, DateTime.addDuration(now, pause))
  })

  return { commit, follow }
})

const makeActors = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const alarms = yield* Alarms
  const states = yield* ComponentStates
  const listening = yield* Listening
  const clock = yield* DatabaseClock
  const manifests = yield* ManifestReports
  const { commit, follow } = yield* makeCommits

  const actor = Effect.gen(function*() {
    const { id: componentId, workspaceId } = entityKey((yield* Entity.CurrentAddress).entityId)

    /** Runs a transaction; after a lost race it starts again from the row. */
    const settling = <A, E>(transaction: Effect.Effect<A, E | LostRace>): Effect.Effect<A> =>
      transaction.pipe(
        Effect.retry({ while: (error) => error instanceof LostRace, times: 3 }),
        Effect.mapError((error) =>
          error instanceof LostRace ? new Error(`Component ${componentId} keeps losing its row to another writer`) : error
        ),
        Effect.orDie
      )

    const takePush = Effect.fnUntraced(function*(report: Report) {
      const row = yield* states.load(workspaceId, componentId)
      if (Option.isNone(row) || !row.value.component.push) return null
      const { component } = row.value
      const now = DateTime.toEpochMillis(yield* clock.now)
      const heard = hear(component.pushState ?? initialPushState(now), component.confirmations, report, now)
      const deadline = deadlineOf(heard.state, component.pushTtlSec, now)
      if (deadline !== null) yield* alarms.armUnlessArmed("component", workspaceId, componentId, instant(deadline))
      return receiptOf(component, report, heard, yield* commit(row.value, heard.state))
    })

    /** Reads the row for each push, so an edit needs no message. `wake` finds the deadline that the last push moved. */
    const push = (report: Report) => settling(sql.withTransaction(takePush(report)))

    /** Takes the waiting reports of its manifest. While nobody reads the manifest, its status is unknown. */
    const read = Effect.fnUntraced(function*(component: StoredComponent, now: number) {
      const reports = yield* manifests.take(workspaceId, componentId)
      const { confirmations } = component
      const heard = reports.reduce(
        (state, report) => hearManifest(state, confirmations, report, now),
        component.pushState ?? initialPushState(now)
      )
      const unread = unreadSince(component, now)
      return unread === null || isBlank(heard) ? heard : lapse(heard, unread)
    })

    const wake = Effect.gen(function*() {
      // Before the sources are read: a later change of a source arms the alarm again.
      yield* alarms.arm("component", workspaceId, componentId, null)
      const row = yield* states.load(workspaceId, componentId)
      if (Option.isNone(row)) return
      const { component } = row.value
      const now = yield* clock.now
      if (component.manifest !== null) return yield* commit(row.value, yield* read(component, DateTime.toEpochMillis(now)))
      const state = component.push ? component.pushState : null
      if (state === null) return yield* follow(row.value, now)
      const { lapsedAt, lookAt } = silenceOf(state, component.pushTtlSec, yield* listening.at(now), DateTime.toEpochMillis(now))
      if (lookAt !== null) yield* alarms.arm("component", workspaceId, componentId, instant(lookAt))
      yield* commit(row.value, lapsedAt === null ? state : lapse(state, lapsedAt))
    }).pipe(alarms.waking, settling, answering)

    return ComponentEntity.of({
      Push: ({ payload }) => push(payload),
      Wake: () => urgently(wake)
    })
  })
  return ComponentEntity.toLayer(actor, { maxIdleTime: "2 minutes", mailboxCapacity: 256, disableFatalDefects: true })
})

export const ComponentActor = Layer.provide(registerActors(makeActors), ComponentAnnouncer.Default)
