/** A machine that cannot isolate helpers completely: required isolation refuses them, and otherwise they run. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Queue, type Scope } from "effect"
import childProcess from "node:child_process"
import { syncBuiltinESMExports } from "node:module"
import type { ProbeTarget } from "../../schema/monitor/kinds.ts"
import { Browsers } from "../../src/probe/browser/Browsers.ts"
import { ChromiumPath } from "../../src/probe/browser/Chromium.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { Scripts } from "../../src/probe/script/Scripts.ts"
import { isIsolationRequired } from "../../src/settings/IsolationWish.ts"
import { readSettings } from "../../src/settings/Settings.ts"
import { assignmentTo, region } from "../support/probe/Assignments.ts"
import { makeWorkerBus, workerStart } from "../support/probe/WorkerBus.ts"
import { probing } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"

const realSpawn = childProcess.spawn

const setSpawn = (spawn: unknown): void => {
  Reflect.set(childProcess, "spawn", spawn)
  syncBuiltinESMExports()
}

/** As in a container: the system refuses new namespaces, and with them every command that begins with them. */
const withoutNamespaces = Effect.acquireRelease(
  Effect.sync(() =>
    setSpawn((command: string, args: ReadonlyArray<string>, options: object) =>
      [command, ...args].includes("unshare") ? realSpawn("false", [], options) : realSpawn(command, [...args], options)
    )
  ),
  () => Effect.sync(() => setSpawn(realSpawn))
)

const viewport = { width: 800, height: 600 }
const script: ProbeTarget = { kind: "script", code: "assert(true)", degradedAfterMs: null }
const browser: ProbeTarget = { kind: "browser", code: "assert(true)", degradedAfterMs: null, viewport }

const reason =
  /^The check was not made: this probe cannot isolate scripts, which would share .*its processes, its files,? and its network with it\. Allow the probe to make namespaces \(docs\/operations\.md, Isolation\); or set BELLTOWER_ISOLATION=best/

/** On a probe that starts without namespaces. */
const onProbe = <A, E>(
  isRequired: boolean,
  use: Effect.Effect<A, E, Scope.Scope | Layer.Layer.Success<ReturnType<typeof probing>>>
) =>
  Effect.zipRight(
    withoutNamespaces,
    Effect.provide(
      use,
      Layer.provideMerge(Layer.fresh(probing({ isolation: { isRequired } })), Layer.succeed(ChromiumPath, "/usr/bin/chromium"))
    )
  )

describe.skipIf(process.platform !== "linux")("a probe that cannot isolate", () => {
  it.scopedLive("refuses scripts and browsers with the reason where isolation is required", () =>
    onProbe(
      true,
      Effect.gen(function*() {
        for (const target of [script, browser]) {
          expect(yield* probeOnce(assignmentTo(target, { timeoutMs: 5000 })), target.kind).toMatchObject({
            outcome: "down",
            cause: "internal_error",
            error: expect.stringMatching(reason)
          })
        }
        expect((yield* Scripts).isAvailable()).toBe(false)
        expect((yield* Browsers).isAvailable()).toBe(false)
      })
    ))

  it.scopedLive("runs scripts in the strongest way that is left otherwise", () =>
    onProbe(
      false,
      Effect.gen(function*() {
        expect(yield* probeOnce(assignmentTo(script, { timeoutMs: 10_000 }))).toMatchObject({ outcome: "up" })
        expect((yield* Scripts).isAvailable()).toBe(true)
      })
    ))

  it.scopedLive("says so in its beats, and its results show the reason and count for nothing", () =>
    onProbe(
      true,
      Effect.gen(function*() {
        const bus = yield* makeWorkerBus
        yield* bus.work({ region, workerId: "w1", canaries: [] })
        yield* bus.own(0)
        const { isAvailable } = yield* Scripts
        yield* until(Effect.sync(isAvailable), (available) => !available)
        yield* bus.assign(assignmentTo(script, { changedAt: workerStart, intervalSec: 10 }))
        yield* bus.pass(11)
        expect(yield* Queue.take(bus.results)).toMatchObject({
          trusted: false,
          outcome: "down",
          cause: "internal_error",
          error: expect.stringMatching(reason)
        })
        const beats = yield* Queue.takeAll(bus.beats)
        expect([...beats].at(-1)).toMatchObject({ hasScripts: false, hasBrowser: false, healthy: true })
      })
    ))
})

describe("isolation is required", () => {
  const required = (environment: Readonly<Record<string, string>>, baseUrl: string) =>
    Effect.map(
      readSettings("all", { DATABASE_URL: "postgresql://localhost/x", ...environment }),
      (settings) => isIsolationRequired(settings, baseUrl)
    )

  it.effect("at a public address and with Kafka, unless a setting says otherwise", () =>
    Effect.gen(function*() {
      const kafka = { KAFKA_BROKERS: "127.0.0.1:9092" }
      expect(yield* required({}, "http://localhost:8080")).toBe(false)
      expect(yield* required({}, "http://10.0.0.7:8080")).toBe(false)
      expect(yield* required({}, "https://status.example.com")).toBe(true)
      expect(yield* required(kafka, "http://localhost:8080")).toBe(true)
      expect(yield* required({ ...kafka, BELLTOWER_ISOLATION: "best" }, "https://status.example.com")).toBe(false)
      expect(yield* required({ BELLTOWER_ISOLATION: "required" }, "http://localhost:8080")).toBe(true)
      const wrong = yield* Effect.option(required({ BELLTOWER_ISOLATION: "none" }, "http://localhost:8080"))
      expect(Option.isNone(wrong)).toBe(true)
    }))
})
