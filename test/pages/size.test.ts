/** How much a visitor downloads: the whole page is one document, without images. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import { gzipSync } from "node:zlib"
import { instant } from "../../schema/Fields.ts"
import { ComponentId, MonitorId } from "../../schema/Ids.ts"
import type { MeasuredResponses } from "../../src/domain/check/history/ResponseSeries.ts"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { htmlForm } from "../../src/pages/PageForm.ts"
import { renderForm } from "../../src/pages/PageView.ts"
import { baseUrl, now, snapshotOf } from "./Fixtures.ts"

const day = 86_400_000
const today = DateTime.toEpochMillis(now)

/** Days that differ between components, as those of a troubled quarter do. */
const troubled = (seed: number) =>
  Array.from({ length: 90 }, (_, at) => today - (90 - at) * day).flatMap((from, at) => {
    const down = (seed * 7919 + at * 104_729) % 100_000
    return [
      { state: (at + seed) % 6 === 3 ? "down" as const : "up" as const, startedAt: from, endedAt: from + 3_000_000 + down * 20 },
      {
        state: (at * seed) % 11 === 5 ? "degraded" as const : "up" as const,
        startedAt: from + 3_000_000 + down * 20,
        endedAt: from + day
      }
    ]
  })

const measured = (seed: number): MeasuredResponses => ({
  p50: 100 + seed,
  p95: 300 + seed,
  series: {
    range: "24h",
    bucketSec: 1800,
    data: Array.from({ length: 48 }, (_, at) => ({
      at: instant(today - (48 - at) * 1_800_000),
      p50: 80 + (seed * 31 + at * 17) % 97,
      p95: 200 + (seed * 53 + at * 29) % 301,
      count: 30
    }))
  }
})

const names = Array.from({ length: 30 }, (_, index) => `Service number ${index + 1}`)

describe("A page of 30 components", () => {
  const snapshot = snapshotOf(names, {
    spans: new Map(names.map((_, index) => [MonitorId.make(`mon_${index}`), troubled(index + 1)])),
    responses: new Map(names.map((_, index) => [ComponentId.make(`cmp_${index}`), measured(index + 1)]))
  })
  const { body } = runSteps(renderForm(snapshot, htmlForm(snapshot, "en", false), baseUrl))

  it("takes at most 50 KB on the wire, with 90 troubled days and a chart each", () => {
    expect(gzipSync(body).length).toBeLessThan(50_000)
  })

  it("loads nothing else", () => {
    const html = body.toString("utf8")
    const loaded = [...html.matchAll(/<(?:script|img|iframe|source|video|audio|object|embed)[^>]* (?:src|srcset|data)=/g)]
    expect(loaded).toEqual([])
    expect([...html.matchAll(/<link rel="(stylesheet|preload|modulepreload)"/g)]).toEqual([])
    expect(html).not.toMatch(/@import|url\((?!"data:)/)
  })

  it("draws each measured bucket inside its chart, and a gap as a gap, whatever was measured", () => {
    const bucket = fc.option(
      fc.tuple(fc.double({ min: 0.1, max: 60_000, noNaN: true }), fc.double({ min: 1, max: 10, noNaN: true })),
      {
        nil: null
      }
    )
    fc.assert(
      fc.property(fc.array(bucket, { minLength: 48, maxLength: 48 }), (buckets) => {
        const data = buckets.map((one, at) => ({
          at: instant(today + at * 1_800_000),
          p50: one === null ? null : one[0],
          p95: one === null ? null : one[0] * one[1],
          count: one === null ? 0 : 3
        }))
        const any = data.some(({ p50 }) => p50 !== null)
        const shown = snapshotOf(["API"], {
          responses: new Map([[ComponentId.make("cmp_0"), {
            p50: any ? 100 : null,
            p95: any ? 200 : null,
            series: { range: "24h" as const, bucketSec: 1800, data }
          }]])
        })
        const html = runSteps(renderForm(shown, htmlForm(shown, "en", false), baseUrl)).body.toString("utf8")
        const lines = [...html.matchAll(/class="line50" d="([^"]+)"/g)].map(([, path]) => path ?? "")
        const runs = data.filter(({ p50 }, at) => p50 !== null && (data[at - 1]?.p50 ?? null) === null).length
        expect(lines).toHaveLength(runs)
        const heights = [...html.matchAll(/class="(?:line50|band)" d="([^"]+)"/g)].flatMap(([, path = ""]) =>
          [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, , y]) => Number(y))
        )
        expect(heights.every((y) => y >= 0 && y <= 40)).toBe(true)
      }),
      { numRuns: 30 }
    )
  })
})
