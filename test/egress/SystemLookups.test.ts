/** Lookups by the system's resolver: bounded, shared fairly between owners, and dropped when nobody waits for them any more. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { Deadlines } from "../../src/egress/Deadlines.ts"
import { makeSystemLookups, noPlace, trusted } from "../../src/egress/SystemLookups.ts"
import type { LookupDone } from "../../src/egress/SystemLookups.ts"

const found = [{ address: "10.0.0.1", family: 4 }]
const longest = 60_000

/** A resolver that answers when the test says so, and a clock of its own. */
const makeSystem = () => {
  const running = new Map<string, LookupDone>()
  const asked: Array<string> = []
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  let now = 0
  const deadlines: Deadlines = {
    after: (ms, run) => {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    }
  }
  const lookups = makeSystemLookups(deadlines, (host, done) => {
    expect(running.has(host)).toBe(false)
    asked.push(host)
    running.set(host, done)
    expect(running.size).toBeLessThanOrEqual(3)
  })
  const end = (host: string, isFound = true): void => {
    const done = running.get(host)
    running.delete(host)
    if (isFound) done?.(null, found)
    else done?.("ENOTFOUND", [])
  }
  return {
    asked,
    running,
    timers,
    hasResolved: lookups.hasResolved,
    end,
    ask: (owner: string, host: string, patienceMs = longest) => {
      const seen: { code: string | null | undefined } = { code: undefined }
      const cancel = lookups.ask({ owner, host, patienceMs }, (failure) => {
        expect(seen.code).toBeUndefined()
        seen.code = failure
      })
      return { seen, cancel }
    },
    pass: (ms: number): void => {
      now += ms
      for (const timer of timers) {
        if (timer.at > now) continue
        timers.delete(timer)
        timer.run()
      }
    },
    endAll: (): void => {
      for (const [host] of running) end(host)
    }
  }
}

describe("an answer of the system's resolver", () => {
  const answerOf = (failure: string | null, lacking: string | null) => {
    const answers: Array<unknown> = []
    const lookup = trusted((_, done) => done(failure, failure === null ? found : []), () => lacking)
    lookup("a.test", (...answer) => answers.push(answer))
    return answers
  }

  it("that a name is unknown counts only if the process could have asked", () => {
    expect(answerOf("ENOTFOUND", null)).toEqual([["ENOTFOUND", []]])
    expect(answerOf("ENOTFOUND", "EMFILE")).toEqual([["EMFILE", []]])
    expect(answerOf("EAI_AGAIN", "ENFILE")).toEqual([["ENFILE", []]])
  })

  it("with addresses counts", () => {
    expect(answerOf(null, "EMFILE")).toEqual([[null, found]])
  })
})

describe("the system's resolver", () => {
  it("looks up a quiet owner's name next, however many names another has waiting", () => {
    const system = makeSystem()
    for (let name = 0; name < 3000; name++) system.ask("storm", `${name}.local`)
    const { seen } = system.ask("quiet", "nas.local")
    expect([...system.running.keys()]).toEqual(["0.local", "1.local", "nas.local"])
    system.end("nas.local")
    expect(seen.code).toBeNull()
  })

  it("looks up no name that nobody waits for any more", () => {
    const system = makeSystem()
    const looks = Array.from({ length: 500 }, (_, name) => system.ask("a", `${name}.local`))
    expect(looks.map(({ cancel }) => cancel())).toEqual([false, false, ...Array.from({ length: 498 }, () => true)])
    system.ask("a", "new.local")
    system.end("0.local")
    expect(system.asked).toEqual(["0.local", "1.local", "new.local"])
    expect(looks.every(({ seen }) => seen.code === undefined)).toBe(true)
  })

  it("is asked once for all who want the same name", () => {
    const system = makeSystem()
    system.ask("a", "busy.local")
    system.ask("a", "other.local")
    const looks = [
      ...["a", "b", "c"].map((owner) => system.ask(owner, "busy.local")),
      ...["a", "a", "d"].map((owner) => system.ask(owner, "nas.local"))
    ]
    system.endAll()
    system.endAll()
    expect(looks.map(({ seen }) => seen.code)).toEqual(looks.map(() => null))
    expect(system.asked).toEqual(["busy.local", "other.local", "nas.local"])
  })

  it("asks again for every repetition, so that one can confirm a failure", () => {
    const system = makeSystem()
    const first = system.ask("a", "gone.local")
    system.end("gone.local", false)
    system.ask("a", "gone.local")
    expect([first.seen.code, system.asked]).toEqual(["ENOTFOUND", ["gone.local", "gone.local"]])
  })

  it("looks up names of an owner that it has resolved before its others", () => {
    const system = makeSystem()
    system.ask("a", "nas.local")
    system.end("nas.local")
    for (let name = 0; name < 50; name++) system.ask("a", `dead-${name}.local`)
    system.ask("a", "nas.local")
    system.end("dead-0.local", false)
    expect([system.hasResolved("nas.local"), system.hasResolved("dead-0.local")]).toEqual([true, false])
    expect(system.asked.at(-1)).toBe("nas.local")
  })

  it("says of a name that waited for too long that it had no place, and not that it is unknown", () => {
    const system = makeSystem()
    const [running, , waiting] = ["first.local", "second.local", "third.local"].map((host) => system.ask("a", host, 9000))
    system.pass(9000)
    expect([running?.seen.code, waiting?.seen.code]).toEqual([undefined, noPlace])
    system.endAll()
    expect([running?.seen.code, system.running.size, system.timers.size]).toEqual([null, 0, 0])
  })

  it("keeps a bounded line, from which an owner that is refused has no less than a fair share", () => {
    const owner = fc.constantFrom("a", "b", "c")
    fc.assert(
      fc.property(fc.array(owner, { minLength: 1, maxLength: 60 }), fc.integer({ min: 0, max: 1000 }), (late, first) => {
        const system = makeSystem()
        const open = new Map<string, Set<{ code: string | null | undefined }>>()
        const ask = (name: string, host: string) => {
          const { seen } = system.ask(name, host)
          open.set(name, (open.get(name) ?? new Set()).add(seen))
          return seen
        }
        const waitingOf = (name: string) => [...open.get(name) ?? []].filter(({ code }) => code === undefined).length
        for (let name = 0; name < 1100; name++) ask(name < first ? "a" : "b", `${name}.local`)
        late.forEach((name, index) => {
          const seen = ask(name, `late-${index}.local`)
          const counts = ["a", "b", "c"].map(waitingOf)
          // Three of them are under way.
          expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1003)
          if (seen.code === noPlace) expect(Math.max(...counts)).toBeLessThanOrEqual(waitingOf(name) + 3)
        })
      }),
      { numRuns: 30 }
    )
  })

  it("answers everybody who has not left exactly once", () => {
    const step = fc.oneof(
      fc.record({ ask: fc.constantFrom("a", "b", "c"), host: fc.nat(8) }),
      fc.record({ leave: fc.nat() }),
      fc.record({ end: fc.nat(1), isFound: fc.boolean() }),
      fc.record({ pass: fc.nat(3000) })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const system = makeSystem()
        const looks: Array<ReturnType<typeof system.ask>> = []
        const left = new Set<object>()
        for (const one of steps) {
          if ("ask" in one) looks.push(system.ask(one.ask, `${one.host}.local`, 5000))
          else if ("pass" in one) system.pass(one.pass)
          else if ("end" in one) system.end([...system.running.keys()][one.end] ?? "", one.isFound)
          else {
            const look = looks[one.leave % Math.max(1, looks.length)]
            if (look === undefined || look.seen.code !== undefined) continue
            look.cancel()
            left.add(look)
          }
        }
        for (let round = 0; system.running.size > 0 && round < 500; round++) system.endAll()
        for (const look of looks) expect(look.seen.code === undefined).toBe(left.has(look))
        expect([system.running.size, system.timers.size]).toEqual([0, 0])
      })
    )
  })
})
