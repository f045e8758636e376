/** When a monitor is overdue: only after a full waiting time with the watchdog running and a healthy region. */
import { describe, expect, it } from "@effect/vitest"
import { RegionId } from "../../../schema/check/Region.ts"
import { makeOverdueWatch, makeRation, makeSweep, type Watched } from "../../../src/domain/monitor/OverdueWatch.ts"

const [eu, us] = ["eu", "us"].map((id) => RegionId.make(id)) as [RegionId, RegionId]
const start = Date.parse("2026-11-20T08:00:00Z")
const look = 30_000
/** 2.5 intervals, the timeout, and a minute. */
const patience = 150_000 + 10_000 + 60_000

const monitor = (more: Partial<Watched<string>> = {}): Watched<string> => ({
  id: "a",
  regions: [eu],
  pacing: { intervalSec: 60, timeoutMs: 10_000 },
  heardAt: start,
  changedAt: start - 86_400_000,
  ...more
})

/** When an unchanged monitor is found overdue or unseen, seconds after the start; null if never within an hour. */
const found = (one: Watched<string>, sound: (at: number) => ReadonlyArray<RegionId> = () => [eu, us]) => {
  const watch = makeOverdueWatch<string>(start)
  const first: { overdue: number | null; unseen: number | null } = { overdue: null, unseen: null }
  for (let at = start; at <= start + 3_600_000; at += look) {
    const { overdue, unseen } = watch.judge([one], new Set(sound(at - start)), at)
    if (overdue.length > 0) first.overdue ??= (at - start) / 1000
    if (unseen.length > 0) first.unseen ??= (at - start) / 1000
  }
  return first
}
const nextLook = (ms: number) => (Math.floor(ms / look) + 1) * look / 1000

describe("OverdueWatch", () => {
  it("finds a monitor that was never checked, or no longer is, after its waiting time and a minute", () => {
    const expected = { overdue: nextLook(patience), unseen: null }
    expect(found(monitor())).toEqual(expected)
    expect(found(monitor({ heardAt: null, changedAt: start }))).toEqual(expected)
  })

  it("restarts every waiting time when the watch begins: after an outage all monitors are late", () => {
    expect(found(monitor({ heardAt: start - 86_400_000 })).overdue).toBe(nextLook(patience))
  })

  it("restarts the waiting time of an edited monitor", () => {
    expect(found(monitor({ changedAt: start + 600_000 })).overdue).toBe(nextLook(600_000 + patience))
  })

  it("counts a monitor separately while none of its regions is healthy, and restarts its time when one is", () => {
    const back = 900_000
    expect(found(monitor(), (at) => at < back ? [us] : [eu, us])).toEqual({
      overdue: nextLook(back + patience),
      unseen: nextLook(patience)
    })
  })

  it("finds a monitor of two regions when the region that was healthy throughout has not checked it", () => {
    expect(found(monitor({ regions: [eu, us] }), () => [us])).toEqual({ overdue: nextLook(patience), unseen: null })
  })

  it("restarts after a standstill and after the clock was set", () => {
    for (const jump of [-7_200_000, 7_200_000]) {
      const watch = makeOverdueWatch<string>(start)
      const judge = (at: number) => watch.judge([monitor()], new Set([eu]), at).overdue.length
      for (let at = start; at <= start + patience; at += look) expect(judge(at)).toBe(0)
      const back = start + patience + jump
      for (let at = back; at <= back + patience; at += look) expect(judge(at)).toBe(0)
      expect(judge(back + patience + look)).toBe(1)
    }
  })

  it("finds the same in sweeps of several steps as in one", () => {
    const all = Array.from({ length: 6 }, (_, id) => monitor({ id: `${id}`, regions: id < 4 ? [us] : [eu] }))
    const watch = makeOverdueWatch<string>(start)
    const sweep = makeSweep<Watched<string>>()
    let seen = { overdue: 0, unseen: 0 }
    for (let at = start, step = 0; at <= start + patience + 3 * look; at += look, step++) {
      const part = all.slice(2 * (step % 3), 2 * (step % 3) + 2)
      const { overdue, unseen } = sweep(watch.judge(part, new Set([eu]), at, step % 3 === 2), step % 3 === 2)
      seen = { overdue: overdue.length, unseen: unseen.length }
    }
    expect(seen).toEqual({ overdue: 2, unseen: 4 })
  })

  it("treats a monitor as checked by a clock that is wrong, however many steps the sweep over all takes", () => {
    const watch = makeOverdueWatch<string>(start)
    const judge = (at: number, heardAt: number, step: number) =>
      watch.judge(step % 3 === 0 ? [monitor({ heardAt: heardAt - 3_600_000 })] : [], new Set([eu]), at, step % 3 === 2).overdue
        .length
    for (let at = start, step = 0; at < start + 1_800_000; at += look, step++) expect(judge(at, at - at % 60_000, step)).toBe(0)
  })

  it("treats a monitor as checked while its probe's clock is wrong", () => {
    for (const skew of [-3_600_000, 3_600_000]) {
      const watch = makeOverdueWatch<string>(start)
      const judge = (at: number, heardAt: number) =>
        watch.judge([monitor({ heardAt: heardAt + skew })], new Set([eu]), at).overdue.length
      let at = start
      for (; at < start + 1_800_000; at += look) expect(judge(at, at - at % 60_000)).toBe(0)
      // That minute's run saw its last check.
      const last = at - 60_000
      for (; at <= last + patience; at += look) expect(judge(at, last)).toBe(0)
      expect(judge(at, last)).toBe(1)
    }
  })

  it("reports each at most once in five minutes, a few at a time, and forgets none", () => {
    const ration = makeRation<number>(300_000, 10)
    const ids = Array.from({ length: 150 }, (_, id) => id)
    const times = new Map<number, Array<number>>()
    for (let at = 0; at < 3_600_000; at += look) {
      const chosen = ration(ids, at)
      expect(chosen.size).toBeLessThanOrEqual(10)
      for (const id of chosen) times.set(id, [...(times.get(id) ?? []), at])
    }
    expect(times.size).toBe(ids.length)
    for (const list of times.values()) {
      for (const [index, at] of list.entries()) if (index > 0) expect(at - list[index - 1]!).toBeGreaterThanOrEqual(300_000)
    }
  })
})
