/** The alarms that a runner has claimed and not yet finished: at most `mostClaimed`, each in its stage. */
import { type DateTime, Effect, Queue } from "effect"
import type { Alarm } from "../src/store/Alarms.ts"

/** Alarms claimed at a time; the rest of a burst waits in the table. */
const mostClaimed = 1000

/** The state of a claimed alarm. One that comes due while its actor works needs another turn. */
type Stage = "waiting" | "asked" | "asked, and due again" | "lost"

/** A claimed alarm on its way to its actor. */
export interface ClaimedAlarm {
  readonly alarm: Alarm
  heldUntil: DateTime.Utc
  stage: Stage
}

export const alarmKey = (alarm: Pick<Alarm, "kind" | "id">): string => `${alarm.kind}/${alarm.id}`

/** `enqueue` lets an alarm wait for a worker. `signal` is set when there is room again for alarms that are due. */
export const makeClaimedAlarms = (enqueue: (one: ClaimedAlarm) => Effect.Effect<unknown>, signal: Queue.Enqueue<void>) => {
  const claimed = new Map<string, ClaimedAlarm>()
  /** True while more alarms are due than there was room for. */
  let isCrowded = false
  const isHalfFull = () => claimed.size > mostClaimed / 2

  /** Removes an alarm. The signal is set when enough room has come free. */
  const remove = (key: string) =>
    Effect.suspend(() => {
      claimed.delete(key)
      if (!isCrowded || isHalfFull()) return Effect.void
      isCrowded = false
      return Effect.asVoid(Queue.offer(signal, undefined))
    })

  return {
    /** How many more alarms may be claimed. */
    room: () => mostClaimed - claimed.size,
    setCrowded: (crowded: boolean): void => {
      isCrowded = crowded
    },
    isCrowded: () => isCrowded,
    /** While this many are claimed, `release` does not set the signal. */
    isHalfFull,
    /** Queues an alarm, unless it already waits; one whose actor works gets another turn after that. */
    add: (alarm: Alarm) =>
      Effect.suspend(() => {
        const known = claimed.get(alarmKey(alarm))
        if (known !== undefined) {
          known.heldUntil = alarm.heldUntil
          if (known.stage === "asked") known.stage = "asked, and due again"
          return Effect.void
        }
        const added: ClaimedAlarm = { alarm, heldUntil: alarm.heldUntil, stage: "waiting" }
        claimed.set(alarmKey(alarm), added)
        return Effect.asVoid(enqueue(added))
      }),
    /** Begins the turn of an alarm; false if it was lost while it waited. */
    beginAsk: (one: ClaimedAlarm): boolean => {
      if (one.stage === "lost") return false
      one.stage = "asked"
      return true
    },
    /** Ends the alarm's turn. */
    release: (one: ClaimedAlarm) =>
      Effect.suspend(() => {
        if (one.stage === "asked, and due again") {
          one.stage = "waiting"
          return Effect.asVoid(enqueue(one))
        }
        return remove(alarmKey(one.alarm))
      }),
    /** The alarms whose leases must not expire before their turn ends. */
    held: (): ReadonlyArray<ClaimedAlarm> => [...claimed.values()],
    /** Sets the new end of the leases that were renewed. Waiting alarms that another runner or their actor took are lost. */
    renewed: (asked: ReadonlyArray<ClaimedAlarm>, kept: ReadonlySet<string>, heldUntil: DateTime.Utc) =>
      Effect.forEach(asked, (one) => {
        const key = alarmKey(one.alarm)
        if (claimed.get(key) !== one) return Effect.void
        if (kept.has(key)) one.heldUntil = heldUntil
        else if (one.stage === "waiting") {
          one.stage = "lost"
          return remove(key)
        }
        return Effect.void
      }, { discard: true })
  }
}
