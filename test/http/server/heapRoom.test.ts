/** The part of a process's heap that stays in use. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { heapFinding, heapLook } from "../../../src/http/server/HeapRoom.ts"
import { until } from "../../support/time/Until.ts"

it("a heap that stays nearly full is degraded, and says what to do", () => {
  const most = 1000 * 2 ** 20
  expect(heapFinding(850 * 2 ** 20, most)).toEqual({ state: "ok", reason: null, details: { heldMb: 850, mostMb: 1000 } })
  expect(heapFinding(851 * 2 ** 20, most)).toMatchObject({
    state: "degraded",
    reason: expect.stringMatching(/^851 of 1000 MiB .*NODE_OPTIONS=--max-old-space-size/)
  })
})

it.scopedLive("what is in use is read after a collection of the whole heap", () =>
  Effect.gen(function*() {
    const look = yield* heapLook
    setFlagsFromString("--expose-gc")
    yield* Effect.sync(() => runInNewContext("gc")())
    const { details, state } = yield* until(look, (finding) => Number(finding.details?.["heldMb"]) > 0)
    expect(state).toBe("ok")
    expect(Number(details?.["heldMb"])).toBeLessThan(Number(details?.["mostMb"]))
  }))
