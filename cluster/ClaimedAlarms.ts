/** The alarms that a runner has claimed and not yet finished, each in its stage: a bounded number of each kind and workspace. */
import { type DateTime, Effect } from "effect"
import type { AlarmDemand } from "../src/store/AlarmClaims.ts"
import { type Alarm, AlarmKind } from "../src/store/Alarms.ts"

/** Alarms claimed at a time, of all and of one workspace; the rest of a burst waits in the table. Kinds do not wait for each other. */
const most = {
  monitor: { claimed: 1_000, perWorkspace: 500 },
  component: { claimed: 500, perWorkspace: 125 },
  incident: { claimed: 500, perWorkspace: 125 },
  subscriber: { claimed: 500, perWorkspace: 125 }
} satisfies Record<AlarmKind, { readonly claimed: number; readonly perWorkspace: number }>

/** The state of a claimed alarm. One that comes due while its actor works needs another turn. */
type Stage = "waiting" | "asked" | "asked, and due again" | "lost"

export interface ClaimedAlarm {
  readonly alarm: Alarm
  heldUntil: DateTime.Utc
  stage: Stage
}

export const alarmKey = (alarm: Pick<Alarm, "kind" | "id">): string => `${alarm.kind}/${alarm.id}`

/** `enqueue` lets an alarm wait for a worker. */
export const makeClaimedAlarms = (enqueue: (one: ClaimedAlarm) => Effect.Effect<unknown>) => {
  const claimed = new Map<string, ClaimedAlarm>()
  const counts = new Map(AlarmKind.literals.map((kind) => [kind, new Map<string, number>()]))

  const count = ({ kind, workspaceId }: Alarm, change: 1 | -1): void => {
    const ofKind = counts.get(kind)
    const after = (ofKind?.get(workspaceId) ?? 0) + change
    if (after === 0) ofKind?.delete(workspaceId)
    else ofKind?.set(workspaceId, after)
  }

  const remove = (one: ClaimedAlarm): void => {
    if (claimed.delete(alarmKey(one.alarm))) count(one.alarm, -1)
  }

  return {
    /** The free room for alarms, and the held ones. */
    demand: (): AlarmDemand => {
      const held = [...counts].flatMap(([kind, ofKind]) =>
        [...ofKind].map(([workspaceId, count]) => ({ kind, workspaceId, count }))
      )
      const rooms = AlarmKind.literals.map((kind) => {
        const ofKind = [...(counts.get(kind)?.values() ?? [])].reduce((sum, one) => sum + one, 0)
        return { kind, room: Math.max(0, most[kind].claimed - ofKind), perWorkspace: most[kind].perWorkspace }
      })
      return { rooms, held }
    },
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
        count(alarm, 1)
        return Effect.asVoid(enqueue(added))
      }),
    /** Begins the turn of an alarm; false if it was lost while it waited. */
    beginAsk: (one: ClaimedAlarm): boolean => {
      if (one.stage === "lost") return false
      one.stage = "asked"
      return true
    },
    /** Ends a turn in which nothing could be done: the alarm waits for another. */
    postpone: (one: ClaimedAlarm): void => {
      one.stage = "waiting"
    },
    release: (one: ClaimedAlarm) =>
      Effect.suspend(() => {
        if (one.stage === "asked, and due again") {
          one.stage = "waiting"
          return Effect.asVoid(enqueue(one))
        }
        remove(one)
        return Effect.void
      }),
    /** The alarms whose leases must not expire before their turn ends. */
    held: (): ReadonlyArray<ClaimedAlarm> => [...claimed.values()],
    /** Sets the new end of the leases that were renewed. Waiting alarms that another runner or their actor took are lost. */
    renewed: (asked: ReadonlyArray<ClaimedAlarm>, kept: ReadonlySet<string>, heldUntil: DateTime.Utc): void => {
      for (const one of asked) {
        const key = alarmKey(one.alarm)
        if (claimed.get(key) !== one) continue
        if (kept.has(key)) one.heldUntil = heldUntil
        else if (one.stage === "waiting") {
          one.stage = "lost"
          remove(one)
        }
      }
    }
  }
}
