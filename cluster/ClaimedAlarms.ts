/** The alarms that a runner has claimed and not yet finished: at most `mostClaimed`, each in its stage. */
import { Effect, Queue } from "effect"
import type { Alarm } from "../src/store/Alarms.ts"

/** Alarms claimed at a time; the rest of a burst waits in the table. */
const mostClaimed = 1000

/** The state of a claimed alarm. One that comes due while its actor works needs another turn. */
type Stage = "waiting" | "asked" | "asked, and due again"

export const alarmKey = (alarm: Alarm): string => `${alarm.kind}/${alarm.id}`

/** `queue` holds the alarms that wait for a worker. `signal` is set when there is room again for alarms that are due. */
export const makeClaimedAlarms = (queue: Queue.Enqueue<Alarm>, signal: Queue.Enqueue<void>) => {
  const stages = new Map<string, Stage>()
  /** True while more alarms are due than there was room for. */
  let isCrowded = false
  const isHalfFull = () => stages.size > mostClaimed / 2

  return {
    /** How many more alarms may be claimed. */
    room: () => mostClaimed - stages.size,
    setCrowded: (crowded: boolean): void => {
      isCrowded = crowded
    },
    isCrowded: () => isCrowded,
    /** While this many are claimed, `release` does not set the signal. */
    isHalfFull,
    /** Queues an alarm, unless it already waits; one whose actor works gets another turn after that. */
    add: (alarm: Alarm) =>
      Effect.suspend(() => {
        const key = alarmKey(alarm)
        const stage = stages.get(key)
        if (stage === "asked") stages.set(key, "asked, and due again")
        if (stage !== undefined) return Effect.void
        stages.set(key, "waiting")
        return Queue.offer(queue, alarm)
      }),
    beginAsk: (alarm: Alarm): void => void stages.set(alarmKey(alarm), "asked"),
    /** Ends the alarm's turn. */
    release: (alarm: Alarm) =>
      Effect.suspend(() => {
        const key = alarmKey(alarm)
        if (stages.get(key) === "asked, and due again") {
          stages.set(key, "waiting")
          return Queue.offer(queue, alarm)
        }
        stages.delete(key)
        if (!isCrowded || isHalfFull()) return Effect.void
        isCrowded = false
        return Queue.offer(signal, undefined)
      })
  }
}
