import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { dampen, type News, type Recent, type Thread } from "../../../src/domain/subscriber/Damping.ts"

const minute = 60_000
const hour = 60 * minute

interface Told {
  readonly at: number
  readonly about: Thread
}

/** Feeds changes of one page in order of time, as the fan-out does, and returns what its subscribers are told, and when. */
const tell = (changes: ReadonlyArray<{ readonly at: number; readonly about: Thread }>): ReadonlyArray<Told> => {
  let rows: ReadonlyArray<Recent> = []
  const abouts = new Map<string, Thread>()
  changes.forEach(({ about, at }, index) => {
    const news: News = { eventId: `evt_${index}`, pageId: "pg_1", about }
    abouts.set(news.eventId, about)
    const { cancel, send } = dampen(rows.filter(({ dueAt }) => dueAt > at - hour), [news], at)
    rows = [
      ...rows.filter(({ eventId }) => !cancel.some((one) => one.eventId === eventId)),
      ...send.map(({ dueAt, news: { eventId, pageId }, opens }) => ({
        eventId,
        pageId,
        dueAt,
        opens,
        thread: about.thread,
        subject: about.subject
      }))
    ]
  })
  return rows
    .flatMap(({ dueAt, eventId }) => {
      const about = abouts.get(eventId)
      return about === undefined ? [] : [{ at: dueAt, about }]
    })
    .sort((a, b) => a.at - b.at)
}

/** Outages of one monitor: each begins after a pause and lasts for a while, in minutes. */
const outages = fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 90 })), {
  minLength: 1,
  maxLength: 60
})

const changesOf = (all: ReadonlyArray<readonly [pause: number, length: number]>) => {
  let at = 0
  return all.flatMap(([pause, length], index) => {
    const from = at + pause * minute
    at = from + length * minute
    const thread = { thread: `inc_${index}`, subject: "mon_1" }
    return [
      { at: from, about: { ...thread, opens: true, ends: false } },
      { at, about: { ...thread, opens: false, ends: true } }
    ]
  })
}

describe("something that flaps", () => {
  it("is told at most a few times an hour, and never twice or only in half", () => {
    fc.assert(
      fc.property(outages, (all) => {
        const told = tell(changesOf(all))
        for (const { about, at } of told) {
          if (!about.opens) continue
          const within = told.filter((one) => one.about.opens && one.at > at - hour && one.at <= at)
          // Three go out freely; of the others, each waited for ten minutes.
          expect(within.length).toBeLessThanOrEqual(3 + 6)
        }
        const threads = new Set(told.map(({ about }) => about.thread))
        for (const thread of threads) {
          // Who hears that it ended has heard before that it began.
          expect(told.filter(({ about }) => about.thread === thread).map(({ about }) => about.opens)).toEqual([true, false])
        }
      }),
      { numRuns: 300 }
    )
  })

  it("is told within ten minutes if it lasts, and immediately if it is rare", () => {
    fc.assert(
      fc.property(outages, (all) => {
        const changes = changesOf(all)
        const told = tell(changes)
        for (const { about, at } of changes) {
          const end = changes.find((one) => one.about.thread === about.thread && one.about.ends)
          const lasting = (end?.at ?? 0) - at
          const found = told.find((one) => one.about.thread === about.thread && one.about.opens === about.opens)
          if (about.opens && lasting > 10 * minute) expect((found?.at ?? Infinity) - at).toBeLessThanOrEqual(10 * minute)
          if (about.ends && found !== undefined) expect(found.at).toBe(at)
          const before = changes.filter((one) => one.about.opens && one.at <= at && one.at > at - hour)
          if (about.opens && before.length <= 3) expect(found?.at).toBe(at)
        }
      }),
      { numRuns: 300 }
    )
  })

  it("shows webhooks the last status of a component in the end, however often it changes", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 200 }), (pauses) => {
        let at = 0
        const changes = pauses.map((pause) => {
          at += pause * minute
          return { at, about: { thread: "cmp_1", subject: "cmp_1", opens: false, ends: false } }
        })
        const told = tell(changes)
        expect(told.at(-1)?.at).toBeGreaterThanOrEqual(at)
        expect(told.at(-1)?.at).toBeLessThanOrEqual(at + 10 * minute)
        for (const { at: when } of told) {
          expect(told.filter((one) => one.at > when - hour && one.at <= when).length).toBeLessThanOrEqual(6 + 6)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("never holds back what a person wrote", () => {
    const news = Array.from({ length: 50 }, (_, index): News => ({ eventId: `evt_${index}`, pageId: "pg_1", about: null }))
    const { cancel, send } = dampen([], news, 1_000)
    expect([send.length, cancel.length, send.every(({ dueAt }) => dueAt === 1_000)]).toEqual([50, 0, true])
  })
})
