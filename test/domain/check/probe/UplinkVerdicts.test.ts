/** The worth of failed checks while the probe's own connection comes and goes. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeUplinkVerdicts } from "../../../../src/domain/check/probe/UplinkVerdicts.ts"

/** The next change. Checks and self-checks have a beginning and an end; the connection changes in between. */
const event = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ what: "cut" } as const) },
  { weight: 1, arbitrary: fc.constant({ what: "mend" } as const) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("begin" as const), works: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("end" as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.constant({ what: "ask" } as const) },
  { weight: 3, arbitrary: fc.constant({ what: "answer" } as const) }
)

interface Look {
  readonly works: boolean
  readonly began: number
  /** The connection was lost during all of it, or during none of it. */
  readonly during: Set<boolean>
  fate: "running" | "held" | "reported" | "distrusted" | "reached"
}

const play = (events: ReadonlyArray<typeof event extends fc.Arbitrary<infer E> ? E : never>) => {
  const verdicts = makeUplinkVerdicts<Look>()
  const looks: Array<Look> = []
  let asked: { readonly began: number; readonly sawLoss: boolean } | null = null
  let lost = false

  const settle = ({ distrust, report }: ReturnType<typeof verdicts.reached>): void => {
    for (const look of report) {
      expect(look.fate).toBe("held")
      look.fate = "reported"
    }
    for (const look of distrust) {
      expect(look.fate).toBe("held")
      look.fate = "distrusted"
    }
  }
  const end = (look: Look): void => {
    // A look finds what the connection is at its end.
    if (look.works && !lost) {
      look.fate = "reached"
      return settle(verdicts.reached(look.began))
    }
    const worth = verdicts.failed(look, look.began, true)
    look.fate = worth === "hold" ? "held" : worth === "report" ? "reported" : "distrusted"
  }
  const change = (to: boolean): void => {
    lost = to
    for (const look of looks) if (look.fate === "running") look.during.add(to)
  }
  const ask = (): void => {
    if (asked === null && verdicts.isAsking()) asked = { began: verdicts.ask(), sawLoss: lost }
  }
  const answer = (): void => {
    if (asked !== null) settle(verdicts.answered(!lost, asked.began))
    asked = null
  }
  for (const one of events) {
    if (one.what === "cut" || one.what === "mend") change(one.what === "cut")
    else if (one.what === "begin") {
      looks.push({ works: one.works, began: verdicts.begin(), during: new Set([lost]), fate: "running" })
    } else if (one.what === "end") {
      const running = looks.filter(({ fate }) => fate === "running")
      const look = running[one.which % Math.max(1, running.length)]
      if (look !== undefined) end(look)
    } else if (one.what === "ask") ask()
    else answer()
  }
  return { verdicts, looks, change, end, ask, answer }
}

describe("a failed check", () => {
  it("is reported, once, if the connection works for good", () => {
    fc.assert(fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const { answer, ask, change, end, looks, verdicts } = play(events)
      change(false)
      // Two rounds: a self-check that is under way may have begun before the last failure.
      for (let round = 0; round < 3; round++) {
        answer()
        ask()
      }
      answer()
      expect(verdicts.isLost()).toBe(false)
      expect(verdicts.held()).toEqual([])
      const broken: Look = { works: false, began: verdicts.begin(), during: new Set([false]), fate: "running" }
      end(broken)
      ask()
      answer()
      expect(broken.fate).toBe("reported")
      expect(looks.every(({ fate }) => fate !== "held")).toBe(true)
    }))
  })

  it("does not count if it ended while the connection was lost, until a self-check has found it lost", () => {
    fc.assert(fc.property(fc.array(event, { maxLength: 60 }), fc.nat(5), (events, more) => {
      const { answer, ask, change, end, verdicts } = play(events)
      answer()
      change(true)
      const during = Array.from({ length: more + 1 }, (): Look => (
        { works: true, began: verdicts.begin(), during: new Set([true]), fate: "running" }
      ))
      const late: Look = { works: true, began: verdicts.begin(), during: new Set([true]), fate: "running" }
      for (const look of during) end(look)
      ask()
      answer()
      ask()
      answer()
      expect(during.map(({ fate }) => fate)).toEqual(during.map(() => "distrusted"))
      // One that began during the loss and fails only after it says as little.
      change(false)
      ask()
      answer()
      expect(verdicts.isLost()).toBe(false)
      expect(verdicts.failed(late, late.began, true)).toBe("distrust")
      expect(verdicts.failed({ ...late, began: verdicts.begin() }, verdicts.begin(), true)).toBe("hold")
    }))
  })

  it("is reported without delay if nothing could be asked", () => {
    const verdicts = makeUplinkVerdicts<string>()
    expect(verdicts.failed("a", verdicts.begin(), false)).toBe("report")
    expect(verdicts.isAsking()).toBe(false)
  })

  it("is released by another check that began after it and reached its target, without a self-check", () => {
    const verdicts = makeUplinkVerdicts<string>()
    const before = verdicts.begin()
    expect(verdicts.failed("a", before, true)).toBe("hold")
    expect(verdicts.reached(before).report).toEqual([])
    expect(verdicts.reached(verdicts.begin()).report).toEqual(["a"])
    expect(verdicts.isAsking()).toBe(false)
  })
})
