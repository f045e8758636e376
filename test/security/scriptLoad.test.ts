/**
 * Attacks by scripts on the worker and on other workspaces: by many at once, by calls without end, by a sandbox that is broken already and
 * says what it likes, and by hostile arguments of the functions that the host gives them.
 */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, Schema } from "effect"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { WorkspaceId } from "../../schema/Ids.ts"
import { makeId } from "../../src/domain/tools/Id.ts"
import { makeDeadlines } from "../../src/egress/Deadlines.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import { makeFairRuns } from "../../src/probe/FairRuns.ts"
import { Overloaded } from "../../src/probe/Overloaded.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { runScript, type ScriptEnd } from "../../src/probe/script/ScriptRun.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { httpTarget, probing } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"

const slow = 180_000

const lookAt = (code: string, rest: Parameters<typeof assignmentTo>[1] = {}) =>
  probeOnce(assignmentTo({ kind: "script", code, degradedAfterMs: null }, { timeoutMs: 20_000, ...rest }))

const evidenceAt = (code: string, rest?: Parameters<typeof assignmentTo>[1]) =>
  Effect.flatMap(
    lookAt(code, rest),
    (seen) => Effect.map(seen.evidence, (evidence) => ({ seen, script: evidence?.script ?? null }))
  )

const workspace = () => Schema.decodeSync(WorkspaceId)(makeId("ws", 1_700_000_000_000, randomBytes(10)))

describe("Many scripts at once", () => {
  it.scopedLive("each get the result of their own, beside others that break every limit", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => response.end(`echo ${request.headers["x-mark"]}`))
      const honest = Array.from({ length: 3 }, workspace).flatMap((workspaceId) =>
        Array.from({ length: 3 }, (_, at) => ({ workspaceId, mark: `mark-${workspaceId}-${at}` }))
      )
      const attacks = [
        "for (;;) {}",
        "const a = []; for (;;) a.push(new Uint8Array(1e6))",
        "globalThis.mark = 'stolen'; for (let i = 0; i < 1e5; i++) console.log('stolen ' + i)",
        "for (;;) await sleep(0)"
      ]
      const evil = workspace()
      const attacking = yield* Effect.fork(
        Effect.all(attacks.map((code) => lookAt(code, { workspaceId: evil })), { concurrency: "unbounded" })
      )
      const results = yield* Effect.all(
        honest.map(({ mark, workspaceId }) =>
          evidenceAt(
            `if (typeof globalThis.mark !== "undefined") throw new Error("the last script left something")
             globalThis.mark = ${JSON.stringify(mark)}
             const { body } = await http.get("${url}", { headers: { "x-mark": mark } })
             await sleep(20)
             console.log(mark, body)`,
            { workspaceId }
          )
        ),
        { concurrency: "unbounded" }
      )
      for (const [at, { script, seen }] of results.entries()) {
        const { mark } = honest[at] ?? { mark: "" }
        expect([mark, seen.outcome, seen.error]).toEqual([mark, "up", null])
        expect(script?.logs.map(({ text }) => text)).toEqual([`${mark} echo ${mark}`])
        expect(script?.requests).toHaveLength(1)
      }
      const ended = yield* Fiber.join(attacking)
      expect(ended.map(({ outcome }) => outcome)).toEqual(["down", "down", "up", "down"])
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("that call the host without end are stopped, and the worker goes on", () =>
    Effect.gen(function*() {
      const floods = [
        "for (let i = 0; i < 1e5; i++) sleep(1e6)",
        "for (;;) await step('s', () => {})",
        "for (let i = 0; i < 1e5; i++) http.get('http://127.0.0.1:9/').catch(() => {})"
      ]
      for (const code of floods) {
        const seen = yield* lookAt(code)
        expect([code, seen.outcome, seen.cause]).toEqual([code, "down", expect.stringMatching(/^(?:script_limit|timeout)$/)])
      }
      expect(yield* lookAt("assert(true)")).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing())), slow)
})

const lineOf = (room: { readonly total: number; readonly perOwner: number }, longestWaitMs = 30_000) =>
  Effect.gen(function*() {
    const ends = new Map<string, (end: string) => void>()
    const run = yield* makeFairRuns<string, string>({
      deadlines: yield* makeDeadlines,
      slots: 2,
      room,
      longestWaitMs,
      overloaded: new Overloaded({ resource: "scripts", message: "full" }),
      prepare: Effect.succeed(true),
      begin: (job, end) => {
        ends.set(job, end)
        return () => {}
      }
    })
    const results = new Map<string, string>()
    const start = (owner: string, job: string) =>
      run(owner, job, (end) => void results.set(job, end instanceof Overloaded ? end.message : end))
    // The first run prepares.
    start("first", "first")
    yield* until(Effect.sync(() => ends.has("first")), (begun) => begun)
    return { ends, results, start }
  })

describe("The line of scripts and browsers", () => {
  it.scopedLive("is open to a workspace with few, however full others have made it: those with most make place", () =>
    Effect.gen(function*() {
      const { ends, results, start } = yield* lineOf({ total: 4, perOwner: 2 })
      for (const owner of ["evil1", "evil2"]) for (const at of [0, 1, 2]) start(owner, `${owner}-${at}`)
      start("quiet", "quiet-0")
      expect(results.get("quiet-0")).toBeUndefined()
      expect([...results.values()].filter((result) => result === "full").length).toBeGreaterThan(0)
      // It is served before the second of those who came first.
      for (const name of ["first", "evil1-0", "evil2-0"]) ends.get(name)?.("done")
      expect(ends.has("quiet-0")).toBe(true)
      ends.get("quiet-0")?.("done")
      expect(results.get("quiet-0")).toBe("done")
      // A workspace that has as many as the others displaces nobody.
      for (const at of [3, 4, 5, 6, 7, 8]) start("evil1", `evil1-${at}`)
      expect(results.get("evil1-8")).toBe("full")
    }))

  it.scopedLive("keeps no place for runs that were given up, or that waited too long", () =>
    Effect.gen(function*() {
      const { ends, results, start } = yield* lineOf({ total: 2, perOwner: 2 }, 200)
      start("other", "running")
      for (let at = 0; at < 20; at++) start("impatient", `left-${at}`)()
      start("impatient", "late-0")
      start("impatient", "late-1")
      yield* until(Effect.sync(() => results.get("late-1")), (result) => result === "full")
      start("impatient", "next")
      ends.get("first")?.("done")
      ends.get("running")?.("done")
      expect([ends.has("next"), ends.has("late-0"), ends.has("left-3")]).toEqual([true, false, false])
    }), 20_000)
})

/** Runs a program in the place of the sandbox: the worst that a script can do that has broken out of QuickJS. */
const runBroken = (program: string, timeoutMs = 5000) =>
  Effect.gen(function*() {
    const guard = yield* EgressGuard
    const done = yield* Deferred.make<ScriptEnd>()
    let calls = 0
    const child = spawn(process.execPath, ["-"], { stdio: ["pipe", "ignore", "ignore", "pipe"] })
    child.stdin?.end(program)
    const job = { code: "", env: "{}", timeoutMs, guard, tls: { verify: true } }
    runScript(child, job as Parameters<typeof runScript>[1], () => Date.now(), (end) => {
      calls++
      Deferred.unsafeDone(done, Effect.succeed(end))
    })
    const end = yield* Deferred.await(done)
    yield* until(Effect.sync(() => child.exitCode ?? child.signalCode), (ended) => ended !== null)
    return { end, calls, signal: child.signalCode }
  })

const says = (lines: ReadonlyArray<unknown>, rest = "") =>
  `const pipe = new (require("node:net").Socket)({ fd: 3 }); pipe.write(${
    JSON.stringify(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""))
  }); ${rest}; setInterval(() => {}, 1000)`

const ready = { t: "ready" }
const passed = { t: "done", end: "passed", message: null }

describe("A sandbox that a script has taken over", () => {
  it.scopedLive("is heard once, within its limits, and ends with its run", () =>
    Effect.gen(function*() {
      const forged = [
        ready,
        ready,
        { t: "log", level: "log", text: "x".repeat(900_000) },
        ...Array.from({ length: 500 }, () => ({ t: "step", name: "s", ms: -1, error: null })),
        { t: "page", id: 1, action: "goto", args: "[\"http://127.0.0.1/\"]" },
        { t: "sleep", id: -1, ms: -1e308 },
        { t: "sleep", id: 2, ms: 1e308 },
        passed,
        passed,
        { t: "log", level: "log", text: "after the end" },
        { t: "done", end: "error", message: "again" }
      ]
      const { calls, end, signal } = yield* runBroken(says(forged))
      expect([calls, end.end, signal]).toEqual([1, "passed", "SIGKILL"])
      expect(end.evidence.logs.map(({ text }) => text.length)).toEqual([16_384])
      expect(end.evidence.steps).toHaveLength(100)
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("is stopped if it breaks the protocol, or sends too much", () =>
    Effect.gen(function*() {
      const broken = [
        "not json",
        { t: "done", end: "passed" },
        { t: "reply", id: 1, ok: true, value: "1" },
        { t: "http", id: 1.5, method: "GET", url: "http://a.test/", headers: {}, body: null, followRedirects: true },
        { t: "log", level: "fatal", text: "x" },
        { t: "done", end: "up", message: null },
        "[".repeat(200_000)
      ]
      for (const line of broken) {
        const { calls, end } = yield* runBroken(says([ready, line]))
        expect([line, calls, end.end, end.message]).toEqual([
          line,
          1,
          "crashed",
          "The sandbox broke its protocol and was stopped"
        ])
      }
      const calls = Array.from({ length: 10_001 }, (_, id) => ({ t: "sleep", id, ms: 1e6 }))
      const { end: many } = yield* runBroken(says([ready, ...calls, passed]))
      expect([many.end, many.message]).toEqual(["limit", "The script made more than 10000 calls and was stopped"])
      const { end } = yield* runBroken(
        says([ready], "const more = () => { while (pipe.write('x'.repeat(65536))); }; pipe.on('drain', more); more()")
      )
      expect([end.end, end.message]).toEqual(["limit", "The script sent too much and was stopped"])
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("smuggles no second request, and reaches nothing that the guard closes", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const url = yield* httpTarget((request, response) => {
        seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
        response.end("x")
      })
      const http = (id: number, more: object) => ({
        t: "http",
        id,
        method: "POST",
        url: `${url}/a`,
        headers: {},
        body: "0\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n",
        followRedirects: true,
        ...more
      })
      const calls = [
        http(1, {
          headers: { "Transfer-Encoding": "chunked", "Content-Length": "0", Connection: "upgrade", Upgrade: "h2c", Expect: "x" }
        }),
        http(2, { headers: { "x-a": "b\r\n\r\nGET /smuggled HTTP/1.1" } }),
        http(3, { headers: { "x\r\ny": "z" } }),
        http(4, { method: "GET /smuggled HTTP/1.1\r\nx: y\r\n\r\nGET" }),
        http(5, { method: "CONNECT" }),
        http(6, { url: `${url}/b HTTP/1.1\r\nx-smuggled: 1\r\n\r\nGET /smuggled` }),
        http(7, { url: "file:///etc/passwd" }),
        http(8, { url: "http://10.0.0.1/" }),
        http(9, { body: "x".repeat(200_000) })
      ]
      const wait = "let got = 0; pipe.on('data', (b) => { got += String(b).split('\\n').length - 1; if (got >= 10) pipe.write('" +
        `${JSON.stringify(passed)}\\n') })`
      const { end } = yield* runBroken(says([ready, ...calls], wait))
      expect(end.end).toBe("passed")
      expect(seen.filter((line) => /smuggled/.test(line.split(" {")[0] ?? ""))).toEqual([
        expect.stringMatching(/^POST \/b%20HTTP/)
      ])
      expect(seen.join()).not.toMatch(/"(?:transfer-encoding|upgrade|expect|x-smuggled|x-a)"/)
      expect(end.evidence.requests.find(({ url: asked }) => asked.includes("10.0.0.1"))?.cause).toBe("blocked_target")
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("that takes no answers does not fill the memory of the worker with them", () =>
    Effect.gen(function*() {
      // Each is seven times as long in the messages to the sandbox.
      const body = Buffer.alloc(1_048_576, 1)
      const url = yield* httpTarget((_, response) => response.end(body))
      const calls = Array.from({ length: 50 }, (_, id) => ({
        t: "http",
        id,
        method: "GET",
        url,
        headers: {},
        body: null,
        followRedirects: true
      }))
      const { end } = yield* runBroken(says([ready, ...calls]), 60_000)
      expect([end.end, end.message]).toEqual(["limit", "The script does not take its answers and was stopped"])
    }).pipe(Effect.provide(probing())), slow)
})

describe("A function of the host with hostile arguments", () => {
  it.scopedLive("harms its own script at most", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end("fine"))
      const hostile = [
        "http(Symbol('x'))",
        "http({ toString() { throw 1 } })",
        "http('http://[::1')",
        "http('x'.repeat(1e6))",
        "http('${url}'.replace('http', 'HtTp\\t'))",
        "http.get('${url}', { headers: { get a() { throw 1 } } })",
        "http.get('${url}', { headers: new Proxy({}, { ownKeys() { throw 1 } }) })",
        "http.get('${url}', { headers: Object.fromEntries(Array.from({ length: 20000 }, (_, i) => ['h' + i, 'v'])) })",
        "http.get('${url}', null)",
        "http.post('${url}', { body: { toString() { return 'x'.repeat(3e6) } } })",
        "http.post('${url}', { json: (() => { const a = {}; a.a = a; return a })() })",
        "http.post('${url}', { json: 10n })",
        "http('${url}', { method: { toString() { return 'TRACE' } } })",
        "http('${url}', { method: '__proto__' })",
        "sleep({ valueOf() { throw 1 } })",
        "sleep(NaN)",
        "sleep(-Infinity)",
        "step()",
        "step(null, null)",
        "step({ toString() { throw 1 } }, () => {})",
        "step('x'.repeat(1e6), () => { throw { get message() { throw 1 } } })",
        "console.log(new Proxy({}, { get() { throw 1 } }))",
        "console.log({ toJSON() { return this } })",
        "console.log('\\ud800', '\\u0000')",
        "assert.match('a', { source: 1 })",
        "assert.equal({ toJSON() { throw 1 } }, {})",
        "assert(false, { toString() { return '\\u0000'.repeat(1e6) } })",
        "env.monitorId = 'mon_other'",
        "Object.assign(http, { get: 1 })"
      ]
      const tried = hostile.map((call) => `await (async () => { try { await (${call.replaceAll("${url}", url)}) } catch {} })()`)
      const { script, seen } = yield* evidenceAt(
        `${tried.join("\n")}\nconsole.log("alive", env.monitorId.slice(0, 4), typeof http.get)`
      )
      expect([seen.outcome, seen.error]).toEqual(["up", null])
      expect(script?.logs.at(-1)?.text).toBe("alive mon_ function")
      const throwing = [
        "throw new Proxy(new Error('x'), { get() { throw 1 } })",
        "throw { get message() { throw 1 }, toString() { throw 2 } }",
        "const e = new Error('x'); e.step = { toString() { throw 1 } }; throw e",
        "Object.defineProperty(Error.prototype, 'stack', { get() { throw 1 } }); throw new Error('x')",
        "Promise.prototype.then = () => { throw 1 }; await 1",
        "const e = new Error('x'.repeat(1e6)); e.name = 'y'.repeat(1e6); throw e",
        "throw undefined"
      ]
      for (const code of throwing) {
        const failed = yield* lookAt(code)
        expect([code, failed.outcome, failed.cause]).toEqual([code, "down", expect.stringMatching(/^script_(?:error|limit)$/)])
        expect((failed.error ?? "").length).toBeLessThan(3000)
        expect(failed.error).not.toMatch(/broke its (?:protocol|sandbox)/)
      }
      expect(Either.isRight(yield* Effect.either(lookAt("assert(true)")))).toBe(true)
    }).pipe(Effect.provide(probing())), slow)
})
