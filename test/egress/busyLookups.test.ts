/** Checks and deliveries while one workspace keeps the system's resolver busy with names that nobody knows. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { WorkspaceId } from "../../schema/Ids.ts"
import type { Deadlines } from "../../src/egress/Deadlines.ts"
import { guardFor } from "../../src/egress/EgressGuard.ts"
import { makeSystemResolver } from "../../src/egress/Resolver.ts"
import { noPlace, type SystemLookup } from "../../src/egress/SystemLookups.ts"
import { Overloaded } from "../../src/probe/Overloaded.ts"
import { type ProbeExit, tools } from "../../src/probe/Probe.ts"
import { startProbe } from "../../src/probe/probes.ts"
import { localDns } from "../support/network/LocalDns.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { httpTarget, probing } from "../support/targets/LocalTargets.ts"

const loopback = [{ address: "127.0.0.1", family: 4 }]

/** Knows one name, and is silent about others. */
const knowing = (name: string): SystemLookup => (host, done) => {
  if (host === name) done(null, loopback)
}

const look = Effect.fn("look")(function*(workspace: string, url: string, timeoutMs: number) {
  const own = yield* tools
  const workspaceId = WorkspaceId.make(`ws_${workspace.padStart(26, "0")}`)
  const assignment = assignmentOf({ url }, { workspaceId, timeoutMs })
  return yield* Effect.async<ProbeExit>((resume) =>
    Effect.sync(startProbe(assignment, own, (seen) => resume(Effect.succeed(seen))))
  )
})

describe("while a workspace asks for thousands of local names", () => {
  it.scopedLive("another's local target is up, and checks without a place for their lookup are skipped, not failed", () =>
    Effect.gen(function*() {
      const url = (yield* httpTarget((_, response) => response.end("fine"))).replace("127.0.0.1", "nas.local")
      const storm = yield* Effect.fork(
        Effect.all(Array.from({ length: 200 }, (_, name) => look("STRM", `http://${name}.local/`, 500)), {
          concurrency: "unbounded"
        })
      )
      yield* Effect.yieldNow()
      const quiet = yield* look("QET", url, 10_000)
      expect(Either.getOrThrow(quiet)).toMatchObject({ outcome: "up" })
      const [first, second, ...others] = yield* storm
      // Two were looked up, without an answer.
      for (const asked of [first!, second!]) {
        expect(Either.getOrThrow(asked)).toMatchObject({ cause: "dns_error", outcome: "down" })
      }
      for (const seen of others) {
        expect(Either.getOrThrow(Either.flip(seen))).toBeInstanceOf(Overloaded)
        expect(Either.getOrThrow(Either.flip(seen))).toMatchObject({ resource: "lookups" })
      }
    }).pipe(Effect.provide(probing({ systemLookup: knowing("nas.local") }))))

  it.scopedLive("its own deliveries without a place say so, and others' names are still resolved", () =>
    Effect.gen(function*() {
      const { guard } = yield* tools
      const storm = guardFor(guard, { owner: "storm" })
      const failures: Array<string> = []
      const cancels = Array.from({ length: 1100 }, (_, name) =>
        storm.addressesOf(`${name}.local`, (failure) => failures.push(failure?.message ?? "")))
      // Two are under way and 1,000 wait.
      expect(failures).toEqual(Array.from(
        { length: 98 },
        (_, index) =>
          `${1002 + index}.local was not looked up: too many lookups of local and unknown names wait. Use longer intervals.`
      ))
      const found = yield* Effect.async<ReadonlyArray<unknown>>((resume) => {
        guardFor(guard, { owner: "quiet" }).addressesOf("nas.local", (_, addresses) =>
          resume(Effect.succeed(addresses)))
      })
      expect(found).toEqual(loopback)
      for (const cancel of cancels) cancel()
    }).pipe(Effect.provide(probing({ systemLookup: knowing("nas.local") }))))
})

describe("a name that DNS denies", () => {
  /** All waiting is over immediately. */
  const impatient: Deadlines = {
    after: (_, run) => {
      const timer = setImmediate(run)
      return () => clearImmediate(timer)
    }
  }
  const denying = localDns(() => ({ rcode: "NXDOMAIN" }))

  const codeOf = (resolve: ReturnType<typeof makeSystemResolver>, host: string) =>
    Effect.async<string | null>((resume) => {
      void resolve(host, "a", (failure) => resume(Effect.succeed(failure)))
    })

  it.scopedLive("is unknown without a place at the system's resolver, and has no place if that has resolved it before", () =>
    Effect.gen(function*() {
      const servers = [`127.0.0.1:${yield* denying}`]
      const resolve = makeSystemResolver(impatient, { servers, lookup: knowing("db.corp.example") })
      expect(yield* codeOf(resolve, "db.corp.example")).toBeNull()
      for (const stuck of ["one.local", "two.local"]) void resolve(stuck, "a", () => {})
      expect(yield* codeOf(resolve, "expired.example")).toBe("ENOTFOUND")
      expect(yield* codeOf(resolve, "db.corp.example")).toBe(noPlace)
    }))

  it.scopedLive("is asked of the system's resolver no more once its look is cancelled", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const servers = [`127.0.0.1:${yield* denying}`]
      const resolve = makeSystemResolver(impatient, {
        servers,
        lookup: (host, done) => {
          asked.push(host)
          done("ENOTFOUND", [])
        }
      })
      expect(resolve("gone.example", "a", () => {})()).toBe(false)
      expect(yield* codeOf(resolve, "other.example")).toBe("ENOTFOUND")
      expect(asked).toEqual(["other.example"])
    }))
})

describe("a process that has no file descriptor for a lookup", () => {
  it.scopedLive("skips the check, and blames no name", () =>
    Effect.gen(function*() {
      const seen = yield* look("F", "http://nas.local/", 10_000)
      expect(Either.getOrThrow(Either.flip(seen))).toMatchObject({ resource: "files" })
      const { guard } = yield* tools
      const failure = yield* Effect.async<unknown>((resume) =>
        void guard.addressesOf("nas.local", (one) => resume(Effect.succeed(one)))
      )
      expect(failure).toMatchObject({ cause: "internal_error", message: expect.stringMatching(/^nas\.local was not looked up/) })
    }).pipe(Effect.provide(probing({ systemLookup: (_, done) => done("EMFILE", []) }))))
})
