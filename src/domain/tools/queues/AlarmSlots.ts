/** Shares the slots for alarms fairly between workspaces. One whose rows were locked rests, then tries a single alarm first. */
import { makeFairQueue } from "./FairQueue.ts"
import { restAfter } from "./TogetherThenApart.ts"

export interface AlarmSlotLimits {
  /** Alarms at a time, and those of one workspace. */
  readonly slots: number
  readonly mostPerOwner: number
}

/** How long a workspace rests after it was locked, ms; twice as long after each further try. */
const rest = { first: 500, longest: 5_000 }

interface Rest<A> {
  waiting: Array<Omit<Item<A>, "owner">>
  /** The alarm that is tried; null while the workspace rests. */
  tried: A | null
  tries: number
}

interface Item<A> {
  readonly owner: string
  readonly alarm: A
  readonly isUrgent: boolean
}

/** Lets an alarm wait for the end of a rest: urgent ones first, in order. */
const wait = <A>({ waiting }: Rest<A>, alarm: A, isUrgent: boolean): void => {
  const index = isUrgent ? waiting.findIndex((one) => !one.isUrgent) : -1
  waiting.splice(index < 0 ? waiting.length : index, 0, { alarm, isUrgent })
}

export const makeAlarmSlots = <A>(limits: AlarmSlotLimits) => {
  const queue = makeFairQueue<Item<A>>(limits)
  const rests = new Map<string, Rest<A>>()

  const begin = (): ReadonlyArray<A> => {
    const begun: Array<A> = []
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      const { alarm, isUrgent, owner } = next
      const resting = rests.get(owner)
      if (resting === undefined || resting.tried === alarm) begun.push(alarm)
      else {
        wait(resting, alarm, isUrgent)
        queue.release(owner)
      }
    }
    return begun
  }

  return {
    /** An urgent alarm goes before the other ones of its workspace. */
    offer: (owner: string, alarm: A, isUrgent: boolean): ReadonlyArray<A> => {
      const resting = rests.get(owner)
      if (resting === undefined) queue.offer(owner, { owner, alarm, isUrgent }, isUrgent)
      else wait(resting, alarm, isUrgent)
      return begin()
    },
    worked: (owner: string, alarm: A): ReadonlyArray<A> => {
      queue.release(owner)
      const resting = rests.get(owner)
      if (resting?.tried === alarm) {
        rests.delete(owner)
        for (const one of resting.waiting) queue.offer(owner, { owner, ...one }, one.isUrgent)
      }
      return begin()
    },
    /** Frees the slot of an alarm that must be tried again. `rested` must be called after `restMs`; null if a call is already due. */
    locked: (
      owner: string,
      alarm: A,
      isUrgent: boolean
    ): { readonly begun: ReadonlyArray<A>; readonly restMs: number | null } => {
      queue.release(owner)
      const known = rests.get(owner)
      const resting = known ?? { waiting: [], tried: null, tries: 0 }
      rests.set(owner, resting)
      wait(resting, alarm, isUrgent)
      if (known !== undefined && known.tried !== alarm) return { begun: begin(), restMs: null }
      resting.tried = null
      resting.tries++
      return { begun: begin(), restMs: restAfter(rest, resting.tries) }
    },
    rested: (owner: string): ReadonlyArray<A> => {
      const resting = rests.get(owner)
      const first = resting?.waiting.shift()
      if (resting === undefined || first === undefined) rests.delete(owner)
      else {
        resting.tried = first.alarm
        queue.offer(owner, { owner, ...first }, true)
      }
      return begin()
    }
  }
}
