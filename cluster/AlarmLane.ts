/** Workers that wake the actors of claimed alarms, in turns of workspaces. */
import { Duration, Effect, Exit, Queue } from "effect"
import { type AlarmTurnsLimits, makeAlarmTurns } from "../src/domain/tools/AlarmTurns.ts"
import { restartForever } from "../src/loops/RestartForever.ts"
import type { ClaimedAlarm } from "./ClaimedAlarms.ts"

/** `wake` ends an alarm's turn; it answers "locked" when the alarm must be tried again after a rest of its workspace. */
export const makeAlarmLane = Effect.fnUntraced(function*(
  limits: AlarmTurnsLimits,
  wake: (one: ClaimedAlarm) => Effect.Effect<"locked" | void>
) {
  const scope = yield* Effect.scope
  const turns = makeAlarmTurns<ClaimedAlarm>(limits)
  const begun = yield* Queue.unbounded<ClaimedAlarm>()
  const begin = (some: ReadonlyArray<ClaimedAlarm>) => Queue.offerAll(begun, some)

  const isUrgent = ({ alarm: { kind } }: ClaimedAlarm): boolean => kind === "incident"
  const offer = (one: ClaimedAlarm) => Effect.suspend(() => begin(turns.offer(one.alarm.workspaceId, one, isUrgent(one))))

  const postpone = (one: ClaimedAlarm) =>
    Effect.suspend(() => {
      const { workspaceId } = one.alarm
      const { begun: others, restMs } = turns.locked(workspaceId, one, isUrgent(one))
      const rested = Effect.suspend(() => begin(turns.rested(workspaceId)))
      const resting = restMs === null ? Effect.void : Effect.forkIn(Effect.delay(rested, Duration.millis(restMs)), scope)
      return Effect.zipRight(resting, begin(others))
    })

  // Not a fiber per alarm behind a semaphore: each release would resume all fibers that wait for it.
  const worker = Queue.take(begun).pipe(
    Effect.flatMap((one) =>
      Effect.flatMap(Effect.exit(wake(one)), (exit) =>
        Exit.isSuccess(exit) && exit.value === "locked"
          ? postpone(one)
          : Effect.suspend(() => begin(turns.worked(one.alarm.workspaceId, one))))
    ),
    Effect.forever
  )
  yield* Effect.replicateEffect(Effect.forkScoped(restartForever("Waking actors", worker)), limits.slots, { discard: true })
  return { offer }
})
