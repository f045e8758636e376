/** The ping check against this machine, which answers; where no ping program is installed, against its absence. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PingProgram, Pings } from "../../src/probe/Pings.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { probing } from "../support/targets/LocalTargets.ts"

const lookAt = (host: string, degradedAfterMs: number | null = null) =>
  probeOnce(assignmentTo({ kind: "ping", host, degradedAfterMs }, { timeoutMs: 1000 }))

describe("a ping check", () => {
  it.scopedLive("measures the reply of a host, or says that this probe cannot send", () =>
    Effect.gen(function*() {
      const { isAvailable } = yield* Pings
      const seen = yield* lookAt("127.0.0.1")
      if (yield* isAvailable) {
        expect(seen).toMatchObject({ outcome: "up", error: null, reached: "127.0.0.1", latencyMs: expect.any(Number) })
        expect((yield* seen.evidence)!).toMatchObject({ remoteAddress: "127.0.0.1", request: { url: "icmp://127.0.0.1" } })
        expect(yield* lookAt("localhost")).toMatchObject({ outcome: "up" })
      } else {
        expect(seen).toMatchObject({
          outcome: "down",
          cause: "internal_error",
          error: expect.stringMatching(/^The check was not made: this probe cannot send ICMP/)
        })
      }
    }).pipe(Effect.provide(probing())))

  it.scopedLive("says that a name has no address", () =>
    Effect.gen(function*() {
      expect(yield* lookAt("nowhere.example")).toMatchObject({ outcome: "down", cause: "dns_error" })
    }).pipe(Effect.provide(probing({ resolve: (_, done) => done("ENOTFOUND", []) }))))

  /** The probe asks itself with this deadline, s; the checks here have a shorter one. */
  const isOwn = "case \"$*\" in *'-w 2 '*) echo '1 packets transmitted, 1 received, 0% packet loss, time 0ms'; exit 0;; esac"

  /** A program that prints this and ends with this code, and may send unless `mayNot`. */
  const program = (code: number, output: string, mayNot = false) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "belltower-ping-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
      ),
      (folder) => {
        const path = join(folder, "ping")
        writeFileSync(path, `#!/bin/sh\n${mayNot ? "" : isOwn}\ncat <<'END'\n${output}\nEND\nexit ${code}\n`)
        chmodSync(path, 0o755)
        return Layer.fresh(probing()).pipe(Layer.provide(Layer.succeed(PingProgram, path)))
      }
    )
  const totals = (sent: number, received: number) => `${sent} packets transmitted, ${received} received, 0% packet loss, time 0ms`

  it.scopedLive("says how often it asked, or what a router answered", () =>
    Effect.gen(function*() {
      const slow = yield* program(0, `64 bytes from 127.0.0.1: icmp_seq=2 ttl=64 time=250 ms\n${totals(2, 1)}`)
      expect(yield* Effect.provide(lookAt("127.0.0.1", 100), slow)).toMatchObject({
        outcome: "degraded",
        cause: "slow",
        latencyMs: 250
      })
      const silent = yield* program(1, totals(3, 0))
      expect(yield* Effect.provide(lookAt("127.0.0.1"), silent)).toMatchObject({
        outcome: "down",
        cause: "timeout",
        error: "No reply from 127.0.0.1 to 3 pings within 1000 ms",
        latencyMs: null
      })
      const lost = yield* program(1, `From 127.0.0.2 icmp_seq=1 Destination Host Unreachable\n${totals(1, 0)}`)
      expect(yield* Effect.provide(lookAt("127.0.0.1"), lost)).toMatchObject({
        cause: "connect_error",
        error: "No reply from 127.0.0.1: Destination Host Unreachable"
      })
      const forbidden = yield* program(2, "ping: socket: Operation not permitted", true)
      expect(yield* Effect.provide(lookAt("127.0.0.1"), forbidden)).toMatchObject({ outcome: "down", cause: "internal_error" })
      expect(yield* Effect.provide(Effect.flatMap(Pings, ({ isAvailable }) => isAvailable), forbidden)).toBe(false)
    }))
})
