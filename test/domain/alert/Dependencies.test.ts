import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { sift, type Sifted, type TroubleAlerting, type TroubleStep } from "../../../src/domain/alert/KeptBackAlerts.ts"

const steps: ReadonlyArray<TroubleStep> = ["begins", "continues", "ends"]

/** Events of a monitor, each with whether a parent was down; an alert that waits may be released before the next. */
const history = FastCheck.array(
  FastCheck.record({ step: FastCheck.constantFrom(...steps), keptBack: FastCheck.boolean(), released: FastCheck.boolean() }),
  { maxLength: 30 }
)

type History = ReadonlyArray<{ readonly step: TroubleStep; readonly keptBack: boolean; readonly released: boolean }>

/** The alerts of channels: the steps that were sent, in order, and what still waits. */
const hear = (events: History) => {
  const heard: Array<{ readonly step: TroubleStep; readonly keptBack: boolean }> = []
  let trouble: TroubleAlerting | null = null
  for (const [index, { released, keptBack, step }] of events.entries()) {
    // Only what has begun goes on or ends.
    if (step !== "begins" && trouble === null) continue
    const { after, sent }: Sifted = sift(trouble, step, String(index), keptBack)
    if (sent) heard.push({ step, keptBack })
    trouble = after
    const waiting = after?.waiting ?? null
    if (released && waiting !== null) {
      heard.push({ step: "begins", keptBack: false })
      trouble = sift(after, "begins", waiting, false).after
    }
  }
  return { heard, trouble }
}

describe("a monitor that depends on another", () => {
  it.prop("sends no alert while that is down, but its recovery", [history], ([events]) => {
    for (const { keptBack, step } of hear(events).heard) expect(keptBack && step !== "ends").toBe(false)
  })

  it.prop("sends the end of what it sent, once, and of nothing else", [history], ([events]) => {
    let isAnnounced = false
    for (const { step } of hear(events).heard) {
      if (step !== "begins") expect(isAnnounced).toBe(true)
      isAnnounced = step !== "ends"
    }
  })

  it.prop("loses no alert of a trouble that lasts: it was sent, or it waits", [history], ([events]) => {
    const { heard, trouble } = hear(events)
    if (trouble === null) return
    expect(trouble.waiting !== null || heard.at(-1)?.step !== "ends").toBe(true)
    expect(trouble.announced || trouble.waiting !== null).toBe(true)
  })

  it("sends its recovery if its outage was announced before it had dependencies", () => {
    expect(sift(null, "ends", "evt", true)).toEqual({ sent: true, after: null })
  })
})
