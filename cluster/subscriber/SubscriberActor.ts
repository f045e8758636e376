/** The subscriber's actor: deletes unconfirmed subscriptions, ends those about one incident, disables those that fail. */
import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { Effect, Option } from "effect"
import { SubscriberId } from "../../schema/Ids.ts"
import { nextStep } from "../../src/domain/subscriber/SubscriberLife.ts"
import { urgently } from "../../src/loops/WorkPriority.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { Subscribers } from "../../src/store/subscriber/Subscribers.ts"
import { answering, entityIds, WakeAnswer } from "../ActorProtocol.ts"
import { registerActors } from "../MinimalContext.ts"

export const SubscriberEntity = Entity.make("Subscriber", [
  /** The subscription expires, ends with its incident, or is to be disabled. */
  Rpc.make("Wake", { success: WakeAnswer })
]).annotate(ClusterSchema.ClientTracingEnabled, false)

const { entityKey } = entityIds(SubscriberId)

export const SubscriberActor = registerActors(Effect.gen(function*() {
  const alarms = yield* Alarms
  const clock = yield* DatabaseClock
  const subscribers = yield* Subscribers

  const actor = Effect.gen(function*() {
    const { id, workspaceId } = entityKey((yield* Entity.CurrentAddress).entityId)

    /** The locked row decides: its holder or a delivery may have changed it since the alarm was set. */
    const wake = Effect.gen(function*() {
      const found = yield* subscribers.locked(workspaceId, id)
      if (Option.isNone(found)) return yield* alarms.arm("subscriber", workspaceId, id, null)
      const now = yield* clock.now
      const { alarm, status } = nextStep(found.value, now)
      if (status === null) yield* subscribers.remove(workspaceId, id)
      else if (status !== found.value.status) yield* subscribers.setStatus(found.value, status, now)
      yield* alarms.arm("subscriber", workspaceId, id, alarm)
    }).pipe(alarms.waking, answering)

    return SubscriberEntity.of({ Wake: () => urgently(wake) })
  })
  return SubscriberEntity.toLayer(actor, { maxIdleTime: "1 minute", mailboxCapacity: 16, disableFatalDefects: true })
}))
