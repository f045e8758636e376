/** The chart of a monitor as the server draws it: lines with gaps, a goal, marks that lead on, and ticks at whole times. */
import { h } from "preact"
import { renderToString } from "preact-render-to-string"
import { describe, expect, it } from "vitest"
import { Chart } from "../../src/dashboard/chart/Chart.tsx"
import { type ChartData, type Choice, firstChoice, type Mark, stacks, timesIn } from "../../src/dashboard/chart/ChartData.ts"
import { linePath, timeTicks, topOf } from "../../src/dashboard/chart/ChartScale.ts"

const day = 86_400
const from = Date.UTC(2026, 10, 24, 21) / 1000

const point = (at: number, p50: number | null, failures = 0) => [at, p50, p50 === null ? null : p50 * 2, failures, 1, 2, 3, 4, 5]

const data: ChartData = {
  id: "mon_1",
  range: "24h",
  locale: "en-GB",
  zone: "Europe/Berlin",
  from,
  to: from + day,
  bucketSec: 1800,
  goalMs: 300,
  regions: [
    { region: "eu", points: [0, 1, 2, 9, 10].map((at) => point(from + at * 1800, 100 + at)) },
    { region: "us", points: [point(from, 200), point(from + 1800, null, 2)] }
  ],
  states: [{ tone: "good", word: "Up", from, to: from + 1800 }, {
    tone: "bad",
    word: "Down",
    from: from + 1800,
    to: from + 3600
  }],
  marks: []
}

const drawn = (given: ChartData, change: Partial<Choice> = {}) =>
  renderToString(h(Chart, { data: given, choice: { ...firstChoice(given), ...change }, actions: null }))

const mark = (kind: Mark["kind"], at: number, name: string): Mark => ({ kind, name, from: at, to: at, href: `/app/${name}` })

describe("the chart", () => {
  it("breaks a line where a bucket is missing, and draws a value that stands alone as a dot", () => {
    const drawing = { part: data, bucketSec: 1800, top: 400, height: 200 }
    const [eu, us] = data.regions
    expect((eu === undefined ? "" : linePath(drawing, eu, 1)).match(/M/g)).toHaveLength(2)
    expect(us === undefined ? "" : linePath(drawing, us, 1)).toBe("M0 100h0")
  })

  it("shows each region with its newest value, what failed, and above what it is degraded", () => {
    const text = drawn(data)
    expect(text).toMatch(/eu.*?110 ms/)
    expect(text).toContain("Degraded above")
    expect(text).toContain("300 ms")
    expect(text).toMatch(/Failed checks.*?<b>2<\/b>/)
    expect(text).toMatch(/aria-label="Latency and states over time: down once\./)
    expect(text).toContain("class=\"goal\"")
    // A goal far above all latencies would flatten them.
    expect(drawn({ ...data, goalMs: 30_000 })).not.toContain("class=\"goal\"")
  })

  it("leaves out regions that are off, and scales to the others", () => {
    const text = drawn(data, { hidden: ["us"] })
    expect(text).toMatch(/us.*?<b>off<\/b>/)
    expect(text).not.toContain("line c1")
    const slow = { ...data, goalMs: null, regions: [...data.regions, { region: "ap", points: [point(from, 2000)] }] }
    expect(topOf(slow, firstChoice(data))).toBeGreaterThan(2000)
    expect(topOf(slow, { ...firstChoice(data), hidden: ["ap", "us"] })).toBeLessThan(300)
  })

  it("says what a value was a week before", () => {
    const before = [{ region: "eu", points: [point(from + 10 * 1800, 80)] }]
    const text = drawn(data, { compares: true, before })
    expect(text).toContain("was 80 ms")
    expect(text).toContain("line before c0")
  })

  it("stacks the phases on each other, as the mean of the regions", () => {
    expect(stacks([{ region: "eu", points: [point(from, 9)] }, { region: "us", points: [[from, 9, 9, 0, 3, 2, 3, 4, 5]] }]))
      .toEqual([[from, 2, 4, 7, 11, 16]])
    expect(drawn(data, { mode: "phases" })).toMatch(/First byte.*?4 ms/)
  })

  it("leads from each mark to what it is about, and from marks that would overlap to their list", () => {
    const near = drawn({ ...data, marks: [mark("incident", from + 9000, "inc"), mark("deploy", from + 9060, "dep")] })
    expect(near).toMatch(/href="#happened" aria-label="2 events from/)
    const apart = drawn({ ...data, marks: [mark("incident", from + 9000, "inc"), mark("maintenance", from + 60_000, "win")] })
    expect(apart).toMatch(/href="\/app\/inc" aria-label="Incident: inc, /)
    expect(apart).toMatch(/href="\/app\/win" aria-label="Maintenance: win, /)
  })

  it("needs no latencies to show states and marks", () => {
    const text = drawn({ ...data, regions: [], marks: [mark("incident", from + 9000, "inc")] })
    expect(text).toContain("States over time: down once")
    expect(text).toContain("href=\"/app/inc\"")
    expect(text).not.toContain("Median")
  })

  it("has ticks at whole times of the zone's clock, with the day in place of midnight", () => {
    const texts = (part: { readonly from: number; readonly to: number }, zone: string) =>
      timeTicks(part, "en-GB", zone).map(({ text }) => text)
    expect(texts({ from, to: from + 5 * 3600 }, "Europe/Berlin")).toEqual(["22:00", "23:00", "25 Nov", "1:00", "2:00", "3:00"])
    expect(texts({ from, to: from + 4 * day }, "Europe/Berlin")).toEqual([
      "25 Nov",
      "12:00",
      "26 Nov",
      "12:00",
      "27 Nov",
      "12:00",
      "28 Nov",
      "12:00"
    ])
    // The clock goes back an hour at 3:00 on the 25th: days of 25 hours still begin at midnight.
    const october = Date.UTC(2026, 9, 23, 22) / 1000
    expect(
      timeTicks({ from: october, to: october + 4 * day }, "en-GB", "Europe/Berlin").filter(({ isDay }) => isDay).map(({ at }) =>
        new Date(at * 1000).toISOString()
      )
    ).toEqual([
      "2026-10-23T22:00:00.000Z",
      "2026-10-24T22:00:00.000Z",
      "2026-10-25T23:00:00.000Z",
      "2026-10-26T23:00:00.000Z"
    ])
  })

  it("reads the times of all regions once", () => {
    expect(timesIn(data, { from, to: from + 3600 })).toEqual([from, from + 1800, from + 3600])
  })
})
