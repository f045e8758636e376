/** Places in traces as text, the samplers, and the metrics of OTLP. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { Counter, Gauge, Histogram, Registry, Summary } from "prom-client"
import { readTraceparent, traceparentOf } from "../../src/domain/tools/TraceParent.ts"
import { otlpMetrics } from "../../src/telemetry/OtlpMetrics.ts"
import { makeSampler, samplerNames } from "../../src/telemetry/Sampler.ts"

const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text))
const places = fc.record({ traceId: hex(32), spanId: hex(16), sampled: fc.boolean() })

describe("a traceparent", () => {
  it("is read as it was written", () =>
    fc.assert(fc.property(places, (place) => {
      expect(readTraceparent(traceparentOf(place))).toEqual(place)
    })))

  it("of another form is none", () => {
    const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"]
    const wrong = [
      "",
      "x".repeat(10_000),
      `00-${trace}-${span}`,
      `00-${trace.toUpperCase()}-${span}-01`,
      `00-${"0".repeat(32)}-${span}-01`,
      `00-${trace}-${"0".repeat(16)}-01`,
      `ff-${trace}-${span}-01`,
      `00-${trace}-${span}-01-more`,
      `00-${trace}-${span}-01\n`,
      ` 00-${trace}-${span}-01`
    ]
    expect(wrong.filter((text) => readTraceparent(text) !== null)).toEqual([])
    // Of a later version.
    expect(readTraceparent(`01-${trace}-${span}-09-more`)).toEqual({ traceId: trace, spanId: span, sampled: true })
  })
})

describe("a sampler", () => {
  it("that is based on the parent decides as the parent did, and else by its part", () =>
    fc.assert(
      fc.property(fc.constantFrom(...samplerNames), fc.double({ min: 0, max: 1, noNaN: true }), places, (name, draw, place) => {
        const ratio = 0.25
        const isSampled = makeSampler({ name, ratio }, () => draw)
        if (name.startsWith("parentbased")) expect(isSampled(place)).toBe(place.sampled)
        if (name.endsWith("always_on")) expect(isSampled(null)).toBe(true)
        if (name.endsWith("always_off")) expect(isSampled(null)).toBe(false)
        if (name.endsWith("traceidratio")) expect(isSampled(null)).toBe(draw < ratio)
        // All processes decide the same about a trace.
        expect(isSampled(place)).toBe(makeSampler({ name, ratio }, () => 1 - draw)(place))
      })
    ))
})

it("the metrics of the process keep their values in OTLP", async () => {
  const registers = [new Registry()]
  const [register] = registers
  new Counter({ name: "things_total", help: "Things", labelNames: ["kind"], registers }).inc({ kind: "a" }, 3)
  new Gauge({ name: "depth", help: "Depth", registers }).set(2.5)
  const seconds = new Histogram({ name: "seconds", help: "Time", labelNames: ["of"], buckets: [1, 2], registers })
  for (const value of [0.5, 0.7, 1.5, 9]) seconds.observe({ of: "b" }, value)
  new Summary({ name: "sizes", help: "Sizes", percentiles: [0.5], registers }).observe(4)

  const metrics = otlpMetrics(await register!.getMetricsAsJSON(), { from: "1", to: "2" })
  const times = { startTimeUnixNano: "1", timeUnixNano: "2" }
  const label = (key: string, stringValue: string) => [{ key, value: { stringValue } }]
  expect(metrics).toEqual([
    {
      name: "things_total",
      description: "Things",
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [{ attributes: label("kind", "a"), ...times, asDouble: 3 }]
      }
    },
    { name: "depth", description: "Depth", gauge: { dataPoints: [{ attributes: [], ...times, asDouble: 2.5 }] } },
    {
      name: "seconds",
      description: "Time",
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [{
          attributes: label("of", "b"),
          ...times,
          count: "4",
          sum: 11.7,
          explicitBounds: [1, 2],
          bucketCounts: ["2", "1", "1"]
        }]
      }
    },
    {
      name: "sizes",
      description: "Sizes",
      summary: {
        dataPoints: [{ attributes: [], ...times, count: "1", sum: 4, quantileValues: [{ quantile: 0.5, value: 4 }] }]
      }
    }
  ])
})
