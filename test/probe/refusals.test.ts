/** A probe that the system refuses processes: each kind that needs one is not checked, and the worker beats on. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer, Queue } from "effect"
import childProcess from "node:child_process"
import { EventEmitter } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ProbeTarget } from "../../schema/monitor/kinds.ts"
import { ChromiumPath } from "../../src/probe/browser/Chromium.ts"
import { makeHelperIds } from "../../src/probe/isolation/HelperIds.ts"
import { findIsolation } from "../../src/probe/isolation/Isolation.ts"
import { PingProgram, Pings } from "../../src/probe/Pings.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { startProcess } from "../../src/probe/StartProcess.ts"
import { makeWorkerLife } from "../../src/probe/WorkerLife.ts"
import { assignmentTo, region } from "../support/probe/Assignments.ts"
import { makeWorkerBus, workerStart } from "../support/probe/WorkerBus.ts"
import { probing, tcpTarget } from "../support/targets/LocalTargets.ts"
import { makeManualClock } from "../support/time/ManualClock.ts"

const realSpawn = childProcess.spawn

const refuse = (code: string): EventEmitter => {
  const error = Object.assign(new Error(`spawn ${code}`), { code })
  if (code === "EPERM" || code === "ENOMEM") throw error
  // As Node does without free descriptors: there is no stdio.
  const child = new EventEmitter()
  setImmediate(() => child.emit("error", error))
  return child
}

/** Replaces what modules import as `spawn`. */
const setSpawn = (spawn: unknown): void => {
  Reflect.set(childProcess, "spawn", spawn)
  syncBuiltinESMExports()
}

/** The system throws, or emits an error later. */
const refusing = (code: string) =>
  Effect.acquireRelease(Effect.sync(() => setSpawn(() => refuse(code))), () => Effect.sync(() => setSpawn(realSpawn)))

const codes = ["EPERM", "ENOMEM", "ENOENT", "EACCES", "EAGAIN", "EMFILE"]
const viewport = { width: 800, height: 600 }
const kinds: ReadonlyArray<ProbeTarget> = [
  { kind: "ping", host: "127.0.0.1", degradedAfterMs: null },
  { kind: "script", code: "log('here')", degradedAfterMs: null },
  { kind: "browser", code: "log('here')", degradedAfterMs: null, viewport }
]

describe("a probe that may not start processes", () => {
  for (const code of codes) {
    it.scopedLive(`makes no checks that need one and says why, where the system answers ${code}`, () =>
      Effect.gen(function*() {
        yield* refusing(code)
        expect(startProcess("true", [], {})).toBeNull()
        const bare = [{ name: "none", node: process.execPath, command: () => [] }]
        const found = findIsolation({ kind: "scripts", confinements: bare, ids: makeHelperIds("scripts"), needsLoopback: false })
        expect(Either.isLeft(yield* found)).toBe(true)
        for (const target of kinds) {
          const seen = yield* probeOnce(assignmentTo(target, { timeoutMs: 1000 }))
          expect(seen, target.kind).toMatchObject({
            cause: "internal_error",
            error: expect.stringMatching(/^The check was not made: /)
          })
        }
        expect(yield* Effect.flatMap(Pings, ({ isAvailable }) => isAvailable)).toBe(false)
      }).pipe(Effect.provide(
        Layer.provideMerge(Layer.fresh(probing()), Layer.succeed(ChromiumPath, "/usr/bin/chromium"))
      )))

    it.scopedLive(`beats and checks everything else, where the system answers ${code}`, () =>
      Effect.gen(function*() {
        yield* refusing(code)
        const bus = yield* makeWorkerBus
        yield* bus.work({ region, workerId: "w1", canaries: [] })
        yield* bus.own(0)
        const port = yield* tcpTarget(() => {})
        const host = "127.0.0.1"
        const tcp = { kind: "tcp", host, port, tls: false, degradedAfterMs: null, sslExpiryDays: null, assertions: [] } as const
        yield* bus.assign(
          assignmentTo({ kind: "ping", host, degradedAfterMs: null }, { changedAt: workerStart }),
          assignmentTo(tcp, { changedAt: workerStart, intervalSec: 86_400 })
        )
        yield* bus.pass(25)
        const beats = yield* Queue.takeN(bus.beats, 3)
        expect([...beats].map(({ hasPing, healthy }) => [hasPing, healthy])).toEqual(Array(3).fill([false, true]))
        expect(yield* Queue.take(bus.results)).toMatchObject({ outcome: "up" })
        expect(yield* Queue.size(bus.results)).toBe(0)
      }).pipe(Effect.provide(Layer.fresh(probing()))))
  }

  it.scopedLive("has ping as soon as it may start it, and counts no check before", () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "belltower-ping-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const path = join(folder, "ping")
      const time = makeManualClock(workerStart)
      const pings = Layer.fresh(probing()).pipe(Layer.provide(Layer.succeed(PingProgram, path)))
      yield* Effect.gen(function*() {
        const { isAvailable } = yield* Pings
        expect(yield* isAvailable).toBe(false)
        writeFileSync(
          path,
          "#!/bin/sh\necho '64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=1 ms'\n" +
            "echo '1 packets transmitted, 1 received, 0% packet loss, time 0ms'\n"
        )
        chmodSync(path, 0o755)
        expect(yield* isAvailable).toBe(false)
        yield* time.jump(61_000)
        expect(yield* isAvailable).toBe(true)
      }).pipe(Effect.provide(pings), Effect.withClock({ ...time.clock, sleep: () => Effect.never }))
    }))
})

describe("the readiness of a probe", () => {
  it.scopedLive("ends when its worker has not beaten for 30 s, whatever the time of the machine is set to", () =>
    Effect.gen(function*() {
      const time = makeManualClock(workerStart)
      const life = makeWorkerLife()
      life.joined()
      const isReady = Effect.map(Effect.withClock(life.fault, time.clock), (fault) => fault === null)
      expect(yield* isReady).toBe(false)
      yield* Effect.withClock(life.beat, time.clock)
      expect(yield* isReady).toBe(true)
      yield* time.pass(30)
      expect(yield* isReady).toBe(true)
      yield* time.pass(1)
      expect(yield* isReady).toBe(false)
      yield* Effect.withClock(life.beat, time.clock)
      expect(yield* isReady).toBe(true)
    }))
})
