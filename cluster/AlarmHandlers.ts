/** Wakes the actors of due alarms, by kind; of monitors, only those that no ping has overtaken. */
import { Effect } from "effect"
import { type Alarm, type AlarmKind } from "../src/store/Alarms.ts"
import { Heartbeats } from "../src/store/monitor/Heartbeats.ts"
import { DatabaseClock } from "../src/store/postgres/DatabaseClock.ts"
import { entityIdOf } from "./ActorProtocol.ts"
import { ComponentEntity } from "./component/ComponentProtocol.ts"
import { IncidentEntity } from "./incident/IncidentActor.ts"
import { MonitorEntity } from "./monitor/MonitorProtocol.ts"
import { SubscriberEntity } from "./subscriber/SubscriberActor.ts"

export interface AlarmHandler {
  /** Settles in bulk the alarms that need no actor, and returns the others. */
  readonly settleInBulk: (due: ReadonlyArray<Alarm>) => Effect.Effect<ReadonlyArray<Alarm>>
  /** Wakes the actor, which arms its next alarm or removes this one; "locked" if its rows were: it must be woken again. */
  readonly wake: (alarm: Alarm) => Effect.Effect<"locked" | void, unknown>
}

export const makeAlarmHandlers = Effect.gen(function*() {
  const heartbeats = yield* Heartbeats
  const clock = yield* DatabaseClock

  const waking = (actor: (entityId: string) => { readonly Wake: () => ReturnType<AlarmHandler["wake"]> }): AlarmHandler => ({
    settleInBulk: Effect.succeed,
    wake: ({ id, workspaceId }) => actor(entityIdOf(workspaceId, id)).Wake()
  })
  const postponeOvertaken = Effect.fn("MonitorAlarms.settleInBulk")(function*(due: ReadonlyArray<Alarm>) {
    const moved = yield* heartbeats.postpone(due, yield* clock.now)
    return due.filter(({ id }) => !moved.has(id))
  })

  return {
    monitor: { ...waking(yield* MonitorEntity.client), settleInBulk: postponeOvertaken },
    component: waking(yield* ComponentEntity.client),
    incident: waking(yield* IncidentEntity.client),
    subscriber: waking(yield* SubscriberEntity.client)
  } satisfies Record<AlarmKind, AlarmHandler>
})
