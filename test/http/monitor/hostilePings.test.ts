/** A stranger's request to a ping's URL costs work in proportion to its size at most. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { HeartbeatInput } from "../../../schema/monitor/Heartbeat.ts"
import { fieldTypes } from "../../../src/domain/input/FieldTexts.ts"
import { reportOf } from "../../../src/http/monitor/PingReport.ts"
import { attacks, numbered } from "../../support/hostile/HostileInputs.ts"
import { callCounter } from "../../support/measure/WorkDone.ts"

const fields = [...fieldTypes(HeartbeatInput.ast).keys()]

const types = ["application/json", "application/x-www-form-urlencoded", "text/plain"]

/** A message sent as JSON, as a form and as text, and a query beside it. */
const bodies = (given: object): ReadonlyArray<string> => [
  JSON.stringify(given),
  new URLSearchParams(Object.entries(given).map(([name, value]) => [name, JSON.stringify(value)])).toString()
]

const report = (body: string, type: string, query: string | null = null) =>
  Effect.suspend(() => {
    const found = reportOf(null, query, { bytes: Buffer.from(body), whole: true, type, encoding: "" })
    return Effect.isEffect(found) ? found : Effect.succeed(found)
  })

describe("a ping", () => {
  it.scoped.each(Object.entries(attacks))(
    "costs work in proportion to the size of its body at most: %s",
    ([, attack]) =>
      Effect.gen(function*() {
        const callsOf = yield* callCounter
        const attacked = (size: number) =>
          Effect.forEach(bodies(attack(fields, size)), (body) => Effect.forEach(types, (type) => report(body, type)))
        yield* attacked(50)
        const small = yield* callsOf(attacked(500))
        const large = yield* callsOf(attacked(2_000))
        expect(large).toBeLessThan(5 * small)
      })
  )

  it.scoped("costs work in proportion to the size of its query at most", () =>
    Effect.gen(function*() {
      const callsOf = yield* callCounter
      // Node takes up to 16 KiB of headers and path.
      const attacked = (size: number) => report("", "text/plain", "status=up&a=".repeat(size))
      yield* attacked(50)
      const small = yield* callsOf(attacked(250))
      const large = yield* callsOf(attacked(1_000))
      expect(large).toBeLessThan(5 * small)
    }))

  it.scoped("with too many fields is kept as a message before they are parsed, and its known fields count", () =>
    Effect.gen(function*() {
      const calls = yield* callCounter
      // The least of three: what another file left behind may still be ending.
      const callsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.map(Effect.replicateEffect(calls(effect), 3), (counts) => Math.min(...counts))
      const form = "application/x-www-form-urlencoded"
      const many = numbered(40_000, () => 1)
      const [asJson, asForm] = bodies(many) as [string, string]
      for (const body of [asJson, asForm]) {
        expect(yield* callsOf(report(body, form))).toBeLessThan(5_000)
        expect(yield* report(body, form)).toMatchObject({ message: body.slice(0, 500) })
      }
      const known = `status=up&${asForm}&status=down&durationMs=12&message=disk+full`
      expect(yield* callsOf(report(known, form))).toBeLessThan(5_000)
      expect(yield* report(known, form)).toEqual({ status: "down", durationMs: 12, message: "disk full" })
      const knownJson = JSON.stringify({ status: "up", ...many, Status: "down", durationMs: 12, message: "disk full" })
      expect(yield* callsOf(report(knownJson, form))).toBeLessThan(5_000)
      expect(yield* report(knownJson, form)).toMatchObject({ status: "down", durationMs: 12, message: "disk full" })
    }))
})
