/**
 * Islands whose reads break off while the answer arrives: the chart and the choices keep what they have, and the browser reports no error.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import { readBefore } from "../../src/dashboard/islands/ChartReads.ts"
import { recordAt } from "../../src/dashboard/islands/Search.ts"

const { fetch } = globalThis

/** An answer that begins, and breaks off as one does whose request was aborted. */
const breaksOff = () =>
  Promise.resolve(
    new Response(
      new ReadableStream({
        start: (stream) => {
          stream.enqueue(new TextEncoder().encode("{"))
          stream.error(new DOMException("signal is aborted without reason", "AbortError"))
        }
      }),
      { headers: { "content-type": "application/json" } }
    )
  )

// A page without a view: calls name no workspace.
beforeEach(() => {
  vi.stubGlobal("document", { getElementById: () => null })
})

afterEach(() => {
  vi.unstubAllGlobals()
  globalThis.fetch = fetch
})

describe("A read that breaks off", () => {
  it("gives a chart no points of the week before", async () => {
    globalThis.fetch = breaksOff
    const data = { id: "mon_1", from: 0, to: 3600, bucketSec: 60 }
    expect(await Reflect.apply(readBefore, null, [data, { from: 0, to: 3600 }, new AbortController().signal])).toBeNull()
  })

  it("gives a choice no record", async () => {
    globalThis.fetch = breaksOff
    expect(await recordAt("/monitors")).toBeUndefined()
  })
})
