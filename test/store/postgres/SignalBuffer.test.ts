/** Waiting notifications: no repeats, bounded bytes, nothing lost without an empty payload that says so. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { makeSignalBuffer } from "../../../src/store/postgres/Signals.ts"

const signal = fc.constantFrom("events", "alarms", "pages")
const payload = fc.oneof(
  fc.constantFrom("", "ws_1", "ws_2"),
  fc.integer({ min: 1, max: 7_999 }).map((length) => "x".repeat(length))
)

describe("the buffer of notifications", () => {
  it("holds each payload once, and nothing after it was emptied", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ signal, payload }), { maxLength: 60 }), (added) => {
        const buffer = makeSignalBuffer()
        for (const one of added) buffer.add(one.signal, one.payload)
        const key = (one: { readonly signal: string; readonly payload: string }) => `${one.signal} ${one.payload}`
        const taken = buffer.takeAll().map(key)
        assert.sameMembers(taken, [...new Set(added.map(key))])
        assert.deepStrictEqual(buffer.takeAll(), [])
      })
    )
  })

  it("replaces more than 1 MiB of one signal by one empty payload, and keeps the other signals", () => {
    const buffer = makeSignalBuffer()
    buffer.add("events", "ws_1")
    for (let at = 0; at < 400; at++) buffer.add("checks", String(at).padStart(5_000, "x"))
    assert.deepStrictEqual(buffer.takeAll(), [{ signal: "events", payload: "ws_1" }, { signal: "checks", payload: "" }])
    buffer.add("checks", "again")
    assert.deepStrictEqual(buffer.takeAll(), [{ signal: "checks", payload: "again" }])
  })
})
