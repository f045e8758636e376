import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { dampen, type News, type Recent, type Thread } from "../../../src/domain/subscriber/Damping.ts"

const minute = 60_000
const hour = 60 * minute

interface Written {
  readonly at: number
  readonly about: Thread
}

/** Feeds changes of one page in order of time, as the fan-out does, and returns what its subscribers get, and when. */
const tell = (changes: ReadonlyArray<{ readonly at: number; readonly about: Thread }>): ReadonlyArray<Written> => {
  let rows: ReadonlyArray<Recent> = []
  const written: Array<Written> = []
  const abouts = new Map<string, Thread>()
  changes.forEach(({ about, at }, index) => {
    const news: News = { eventId: `evt_${index}`, pageId: "pg_1", about, notifies: true }
    abouts.set(news.eventId, about)
    const { cancel, send } = dampen(rows.filter(({ dueAt }) => dueAt > at - hour), [news], at)
    rows = [
      ...rows.filter(({ eventId }) => !cancel.some((one) => one.eventId === eventId)),
      ...send.flatMap(({ counts, dueAt, news: { eventId, pageId }, opens }) =>
        counts === null ? [] : [{ eventId, pageId, dueAt, opens, thread: counts.thread, subject: counts.subject }]
      )
    ]
    written.push(...send.flatMap(({ counts, dueAt }) => (counts === null ? [{ at: dueAt, about }] : [])))
  })
  return written.concat(rows
    .flatMap(({ dueAt, eventId }) => {
      const about = abouts.get(eventId)
      return about === undefined ? [] : [{ at: dueAt, about }]
    }))
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
    const thread = { thread: `inc_${index}`, subject: "mon_1", byPerson: false }
    return [
      { at: from, about: { ...thread, opens: true, ends: false } },
      { at, about: { ...thread, opens: false, ends: true } }
    ]
  })
}

describe("something that flaps", () => {
  it("is sent at most a few times an hour, and never twice or only in half", () => {
    fc.assert(
      fc.property(outages, (all) => {
        const written = tell(changesOf(all))
        for (const { about, at } of written) {
          if (!about.opens) continue
          const within = written.filter((one) => one.about.opens && one.at > at - hour && one.at <= at)
          // Three go out freely; of the others, each waited for ten minutes.
          expect(within.length).toBeLessThanOrEqual(3 + 6)
        }
        const threads = new Set(written.map(({ about }) => about.thread))
        for (const thread of threads) {
          // Who hears that it ended has heard before that it began.
          expect(written.filter(({ about }) => about.thread === thread).map(({ about }) => about.opens)).toEqual([true, false])
        }
      }),
      { numRuns: 300 }
    )
  })

  it("is sent within ten minutes if it lasts, and immediately if it is rare", () => {
    fc.assert(
      fc.property(outages, (all) => {
        const changes = changesOf(all)
        const written = tell(changes)
        for (const { about, at } of changes) {
          const end = changes.find((one) => one.about.thread === about.thread && one.about.ends)
          const lasting = (end?.at ?? 0) - at
          const found = written.find((one) => one.about.thread === about.thread && one.about.opens === about.opens)
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
          return { at, about: { thread: "cmp_1", subject: "cmp_1", opens: false, ends: false, byPerson: false } }
        })
        const written = tell(changes)
        expect(written.at(-1)?.at).toBeGreaterThanOrEqual(at)
        expect(written.at(-1)?.at).toBeLessThanOrEqual(at + 10 * minute)
        for (const { at: when } of written) {
          expect(written.filter((one) => one.at > when - hour && one.at <= when).length).toBeLessThanOrEqual(6 + 6)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("never holds back what a person wrote", () => {
    const news = Array.from(
      { length: 50 },
      (_, index): News => ({ eventId: `evt_${index}`, pageId: "pg_1", about: null, notifies: true })
    )
    const { cancel, send } = dampen([], news, 1_000)
    expect([send.length, cancel.length, send.every(({ dueAt }) => dueAt === 1_000)]).toEqual([50, 0, true])
  })

  it("is sent with every word of a person immediately and once, and after that with its end", () => {
    /** The minutes at which people write about each outage, of which some are over by then. */
    const words = fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }), { minLength: 60, maxLength: 60 })
    fc.assert(
      fc.property(outages, words, (all, minutes) => {
        const changes = changesOf(all)
        const posts = changes.flatMap(({ about, at }, index) => {
          const end = changes[index + 1]?.at ?? 0
          return about.opens
            ? (minutes[index / 2] ?? []).map((after) => at + after * minute).filter((when) => when < end).map((when) => ({
              at: when,
              about: { ...about, opens: false, byPerson: true }
            }))
            : []
        })
        const written = tell([...changes, ...posts].sort((a, b) => a.at - b.at))
        expect(written.filter(({ about }) => about.byPerson)).toEqual(posts.sort((a, b) => a.at - b.at))
        for (const { about } of changes.filter((one) => one.about.opens)) {
          const ofThread = written.filter((one) => one.about.thread === about.thread)
          const ends = ofThread.filter((one) => one.about.ends)
          // Who has heard of it hears its end, once and last.
          expect(ends.length).toBe(ofThread.length === 0 ? 0 : 1)
          expect(ofThread.at(-1)?.about.ends ?? true).toBe(true)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("ends what waits when a person ends it without telling anybody", () => {
    const thread = { thread: "inc_1", subject: "mon_1", opens: false, ends: false, byPerson: true }
    const recent: ReadonlyArray<Recent> = [{
      thread: "inc_1",
      subject: "mon_1",
      opens: true,
      eventId: "evt_1",
      pageId: "pg_1",
      dueAt: 2_000
    }]
    const silent = { eventId: "evt_2", pageId: "pg_1", notifies: false }
    expect(dampen(recent, [{ ...silent, about: thread }], 1_000)).toEqual({ send: [], cancel: [] })
    expect(dampen(recent, [{ ...silent, about: { ...thread, ends: true } }], 1_000)).toEqual({ send: [], cancel: recent })
  })
})

/** News of few pages, incidents and monitors, so that they meet. */
const place = {
  pageId: fc.constantFrom("pg_1", "pg_2"),
  thread: fc.constantFrom("inc_1", "inc_2", "inc_3"),
  subject: fc.constantFrom("mon_1", "mon_2")
}
const now = 3 * hour

const known = fc.array(
  fc.record({ ...place, opens: fc.boolean(), dueAt: fc.constantFrom(now - minute, now, now + minute, now + 2 * minute) }),
  {
    maxLength: 12
  }
)
const coming = fc.array(
  fc.record({ ...place, opens: fc.boolean(), ends: fc.boolean(), byPerson: fc.boolean(), notifies: fc.boolean() }),
  { maxLength: 12 }
)

/** The decision about each of the news, as the rules say it: by a look at all that is known. */
const asTheRulesSay = (recent: ReadonlyArray<Recent>, all: ReadonlyArray<News>) => {
  let rows = recent
  const cancel: Array<Recent> = []
  const sent: Array<Recent> = []
  for (const { about, eventId, notifies, pageId } of all) {
    if (about === null || !(notifies || about.byPerson && about.ends)) continue
    const waiting = rows.filter((one) => one.pageId === pageId && one.thread === about.thread && one.dueAt > now)
    const left = rows.filter((one) => !waiting.includes(one))
    const unsent = waiting.some(({ opens }) => opens)
    rows = left
    cancel.push(...waiting)
    if (about.byPerson) {
      if (notifies) sent.push({ eventId, pageId, thread: about.thread, subject: about.subject, opens: false, dueAt: now })
      continue
    }
    if (about.ends && unsent) continue
    const opens = about.opens || unsent
    const written = left.filter((one) =>
      one.pageId === pageId && one.opens === opens && (opens ? one.subject === about.subject : one.thread === about.thread)
    )
    const isFree = waiting.length === 0 && written.length < (opens ? 3 : 6)
    const dueAt = about.ends || isFree ? now : Math.min(now + 10 * minute, ...waiting.map((one) => one.dueAt))
    const { subject, thread } = about
    sent.push({ eventId, pageId, thread, subject, opens, dueAt })
    rows = [...rows, { eventId, pageId, thread, subject, opens, dueAt }]
  }
  return { sent: sent.filter((one) => !cancel.includes(one) && !cancel.some(({ eventId }) => eventId === one.eventId)), cancel }
}

describe("news beside many broadcasts of the last hour", () => {
  it("are decided as a look at each of them would decide", () => {
    fc.assert(fc.property(known, coming, (before, after) => {
      const recent = before.map((one, index): Recent => ({ ...one, eventId: `evt_a${index}` }))
      const all = after.map(({ byPerson, ends, notifies, opens, pageId, subject, thread }, index): News => ({
        eventId: `evt_b${index}`,
        pageId,
        notifies,
        about: { thread, subject, opens: opens && !ends, ends, byPerson }
      }))
      const { cancel, send } = dampen(recent, all, now)
      const expected = asTheRulesSay(recent, all)
      expect(send.map(({ dueAt, news, opens }) => [news.eventId, opens, dueAt])).toEqual(
        expected.sent.map(({ dueAt, eventId, opens }) => [eventId, opens, dueAt])
      )
      expect(cancel.map(({ eventId }) => eventId).sort()).toEqual(expected.cancel.map(({ eventId }) => eventId).sort())
    }))
  })

  it("cost as many looks as there are news and broadcasts, not their product", () => {
    let looks = 0
    const recent = Array.from({ length: 1000 }, (_, index): Recent => ({
      eventId: `evt_a${index}`,
      get pageId() {
        looks++
        return `pg_${index % 20}`
      },
      thread: `inc_${index}`,
      subject: `mon_${index}`,
      opens: true,
      dueAt: now - minute
    }))
    const all = Array.from({ length: 2000 }, (_, index): News => ({
      eventId: `evt_b${Math.floor(index / 20)}`,
      pageId: `pg_${index % 20}`,
      notifies: true,
      about: {
        thread: `inc_b${Math.floor(index / 20)}`,
        subject: `mon_b${Math.floor(index / 20)}`,
        opens: true,
        ends: false,
        byPerson: false
      }
    }))
    expect(dampen(recent, all, now).send.length).toBe(2000)
    expect(looks).toBeLessThanOrEqual(recent.length * 4)
  })
})
