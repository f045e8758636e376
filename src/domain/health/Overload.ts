/** The overload of a queue: it begins once an entry waits for over a second, and ends after half a minute without one. */

const beginsAtMs = 1_000
const endsAfterMs = 30_000

type OverloadNews = { readonly _tag: "Began" } | { readonly _tag: "Ended"; readonly ms: number }

export type Overload = ReturnType<typeof makeOverload>

export const makeOverload = () => {
  let began: number | null = null
  let seen = 0
  return {
    /** Takes how long the oldest entry has waited, ms, at a steady time; returns what has changed. */
    judge: (waitMs: number, now: number): OverloadNews | null => {
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
    lasts: (): boolean => began !== null
  }
}
