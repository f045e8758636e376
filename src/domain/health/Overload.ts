/** When a queue is overloaded: its oldest entry waits for over a second, until none has for half a minute. */

const beginsAtMs = 1_000
const endsAfterMs = 30_000

export type OverloadNews = { readonly _tag: "Began" } | { readonly _tag: "Ended"; readonly ms: number }

export interface Overload {
  /** Takes how long the oldest entry has waited, ms, at a steady time; returns what has changed. */
  readonly judge: (waitMs: number, now: number) => OverloadNews | null
  readonly lasts: () => boolean
}

export const makeOverload = (): Overload => {
  let began: number | null = null
  let seen = 0
  return {
    judge: (waitMs, now) => {
      const isLate = waitMs >= beginsAtMs
      if (isLate) seen = now
      if (began === null) {
        if (!isLate) return null
        began = now
        return { _tag: "Began" }
      }
      if (now - seen < endsAfterMs) return null
      const ms = seen - began
      began = null
      return { _tag: "Ended", ms }
    },
    lasts: () => began !== null
  }
}
