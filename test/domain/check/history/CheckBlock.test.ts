/** Blocks give back exactly what they were made of, and rollups add up to what their checks say. */
import { FastCheck as fc } from "effect"
import { deflateRawSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { Cause, Outcome } from "../../../../schema/check/Check.ts"
import { RegionId } from "../../../../schema/check/Region.ts"
import { CheckId, MonitorId } from "../../../../schema/Ids.ts"
import { decodeBlock, encodeBlock, foreignBytes } from "../../../../src/domain/check/history/CheckBlock.ts"
import { makeCheckId, monitorTag } from "../../../../src/domain/check/history/CheckKey.ts"
import {
  dayMs,
  decodeRollup,
  encodeRollup,
  halfHour,
  mergeRollups,
  rollupOf
} from "../../../../src/domain/check/history/CheckRollup.ts"
import { mergeTallies, statsOf } from "../../../../src/domain/check/history/CheckTally.ts"
import { newestFirst, type StoredCheck } from "../../../../src/domain/check/history/StoredCheck.ts"
import { makeId } from "../../../../src/domain/tools/Id.ts"

const monitorId = MonitorId.make("mon_01k9x2m4q8e7s9v3bthn5wza6c")
const tag = monitorTag(monitorId)
const day = Math.floor(1_790_000_000_000 / dayMs) * dayMs

const number = fc.oneof(
  fc.integer({ min: 0, max: 1_200_000 }).map((tenths) => tenths / 10),
  fc.integer({ min: 0, max: 1_000_000 }),
  fc.double({ min: 0, max: 1e9, noNaN: true })
)
const nullable = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })
const random = fc.uint8Array({ minLength: 10, maxLength: 10 })
const at = fc.integer({ min: day, max: day + dayMs - 1 })
type IdKind = "tagged" | "foreign" | "text"

const checkOf = (kind: fc.Arbitrary<IdKind>): fc.Arbitrary<StoredCheck> =>
  fc.record({
    kind,
    random,
    at,
    region: fc.constantFrom("main", "eu-west", "us").map((id) => RegionId.make(id)),
    outcome: fc.constantFrom(...Outcome.literals),
    counted: fc.boolean(),
    statusCode: nullable(fc.integer({ min: 100, max: 599 })),
    latencyMs: nullable(number),
    error: nullable(fc.string({ unit: "grapheme" })),
    cause: nullable(fc.constantFrom(...Cause.literals)),
    timings: nullable(fc.record({
      dnsMs: nullable(number),
      connectMs: nullable(number),
      tlsMs: nullable(number),
      firstByteMs: nullable(number),
      totalMs: number
    })),
    hasEvidence: fc.boolean(),
    omitted: nullable(fc.constantFrom("quota", "chk_01k9x2m4q8e7s9v3bthn5wza6c"))
  }).map(({ kind, random, ...check }) => ({
    ...check,
    id: kind === "tagged"
      ? makeCheckId(monitorId, check.at, random)
      : CheckId.make(kind === "foreign" ? makeId("chk", check.at, random) : `chk_${random.join("")}`)
  }))

const checks = fc.oneof(
  fc.array(checkOf(fc.constant("tagged")), { minLength: 1, maxLength: 60 }),
  fc.array(checkOf(fc.constant("foreign")), { minLength: 1, maxLength: 60 }),
  fc.array(checkOf(fc.constantFrom<IdKind>("tagged", "foreign", "text")), { minLength: 1, maxLength: 60 })
)

const sorted = (some: ReadonlyArray<StoredCheck>) => [...some].sort(newestFirst)

describe("a block", () => {
  it("gives back its checks, whatever their ids and figures are", () => {
    fc.assert(fc.property(checks, (some) => {
      const block = encodeBlock(some, tag)
      expect(sorted(decodeBlock(block, tag))).toEqual(sorted(some))
    }))
  })

  it("contains the bytes by which a check without its monitor's tag is found", () => {
    fc.assert(fc.property(fc.array(checkOf(fc.constant("foreign")), { minLength: 1 }), (some) => {
      const { form, ids } = encodeBlock(some, tag)
      fc.pre(form === "foreign")
      for (const { id } of some) expect(Buffer.from(ids).includes(Buffer.from(foreignBytes(id) ?? []))).toBe(true)
    }))
  })

  it("takes less than 30 bytes a check for an hour of usual checks", () => {
    const tenths = (most: number) => Math.floor(Math.random() * most * 10) / 10
    const hour = Array.from({ length: 60 }, (_, index): StoredCheck => {
      const time = day + index * 60_000 + Math.floor(Math.random() * 200)
      const latencyMs = 80 + tenths(60)
      return {
        id: makeCheckId(monitorId, time, crypto.getRandomValues(new Uint8Array(10))),
        at: time,
        region: RegionId.make("main"),
        outcome: "up",
        counted: true,
        statusCode: 200,
        latencyMs,
        error: null,
        cause: null,
        timings: {
          dnsMs: tenths(5),
          connectMs: 10 + tenths(5),
          tlsMs: 20 + tenths(5),
          firstByteMs: 70 + tenths(10),
          totalMs: latencyMs
        },
        hasEvidence: false,
        omitted: null
      }
    })
    const { columns, ids } = encodeBlock(hour, tag)
    expect((ids.length + deflateRawSync(columns).length) / 60).toBeLessThan(30)
  })
})

describe("a rollup", () => {
  it("survives being written", () => {
    fc.assert(fc.property(checks, (some) => {
      const rollup = rollupOf(some)
      expect(decodeRollup(encodeRollup(rollup, day), day)).toEqual(rollup)
    }))
  })

  it("made in parts equals the one made of all checks, in half hours and in days", () => {
    fc.assert(fc.property(checks, checks, (one, other) => {
      const whole = rollupOf([...one, ...other])
      expect(mergeRollups([rollupOf(one), rollupOf(other)], halfHour)).toEqual(whole)
      expect(mergeRollups([rollupOf(other), rollupOf(one)], dayMs)).toEqual(mergeRollups([whole], dayMs))
    }))
  })

  it("has percentiles that are exact to 1 %", () => {
    const latency = fc.integer({ min: 1, max: 1_200_000 }).map((tenths) => tenths / 10)
    fc.assert(fc.property(fc.array(latency, { minLength: 1, maxLength: 200 }), (latencies) => {
      const some = latencies.map((latencyMs) => ({
        at: day,
        region: RegionId.make("main"),
        counted: true,
        outcome: "up" as const,
        latencyMs
      }))
      const [tallies] = rollupOf(some.map((check) => ({
        ...check,
        id: CheckId.make("chk_1"),
        statusCode: null,
        error: null,
        cause: null,
        timings: null,
        hasEvidence: false,
        omitted: null
      }))).values()
      const { checks: count, p50, p95 } = statsOf(mergeTallies([...tallies?.values() ?? []]))
      const ordered = [...latencies].sort((a, b) => a - b)
      const exact = (rank: number) => ordered[Math.floor(rank * (ordered.length - 1))] ?? 0
      expect(count).toBe(latencies.length)
      for (const [found, wanted] of [[p50, exact(0.5)], [p95, exact(0.95)]] as const) {
        expect(Math.abs((found ?? 0) - wanted)).toBeLessThanOrEqual(wanted * 0.0101 + 0.051)
      }
    }))
  })
})
