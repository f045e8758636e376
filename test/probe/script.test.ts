/** The script check: what scripts can do, and that nothing they try harms the worker, its machine or other workspaces. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { WorkspaceId } from "../../schema/Ids.ts"
import { makeId } from "../../src/domain/tools/Id.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { httpTarget, probing, tcpTarget } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"

const slow = 120_000

const lookAt = (code: string, rest: Parameters<typeof assignmentTo>[1] = {}) =>
  probeOnce(assignmentTo({ kind: "script", code, degradedAfterMs: null }, { timeoutMs: 10_000, ...rest }))

const evidenceAt = (code: string, rest?: Parameters<typeof assignmentTo>[1]) =>
  Effect.flatMap(lookAt(code, rest), (seen) => Effect.map(seen.evidence, (evidence) => ({ seen, script: evidence!.script! })))

const workspace = () => Schema.decodeSync(WorkspaceId)(makeId("ws", 1_700_000_000_000, randomBytes(10)))

/** A file of a process; empty once the process has ended. */
const procFile = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}

/** The files of the file system that a process has open, devices left out. */
const openFiles = (pid: string): ReadonlyArray<string> => {
  const links = `/proc/${pid}/fd`
  return readdirSync(links).flatMap((fd) => {
    try {
      const path = readlinkSync(`${links}/${fd}`)
      return path.startsWith("/") && !path.startsWith("/dev/") ? [path] : []
    } catch {
      return []
    }
  })
}

/** The processes that this one started and that still run a sandbox. */
const sandboxIds = (): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) =>
    /^\d+$/.test(pid) && procFile(pid, "stat").split(") ")[1]?.split(" ")[1] === String(process.pid) &&
    procFile(pid, "cmdline").includes("--stack-size=3900")
  )

const sandboxes = (): number => sandboxIds().length

/** The process of Node itself: the last of those that isolate it, one in the other. */
const innermost = (pid: string): string => {
  const [child] = procFile(pid, `task/${pid}/children`).trim().split(" ")
  return child === undefined || child === "" ? pid : innermost(child)
}

describe("a script check", () => {
  it.scopedLive("makes requests in steps, logs, and is up when it ends", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((request, response) => {
        if (request.url === "/login") {
          return void request.on("data", (body) => response.end(`{"token":"t-${String(body).length}"}`))
        }
        response.setHeader("x-seen", request.headers["authorization"] ?? "")
        response.end("{\"items\":[1,2,3]}")
      })
      const { script, seen } = yield* evidenceAt(`
        const token = await step("log in", async () => {
          const r = await http.post("${url}/login", { json: { user: "a" } })
          assert.equal(r.status, 200)
          return r.json().token
        })
        await step("list", async () => {
          const r = await http.get("${url}/items", { headers: { Authorization: token } })
          assert.equal(r.headers["x-seen"], "t-12")
          assert(r.ok)
          assert.equal(r.json().items, [1, 2, 3])
          console.log("items", r.json().items.length, { of: "shop" })
        })
        await sleep(10)
        console.warn(env.timeoutMs, Object.keys(env).join())
      `)
      expect(seen).toMatchObject({ outcome: "up", error: null, cause: null })
      expect(script.steps.map(({ error, name }) => [name, error])).toEqual([["log in", null], ["list", null]])
      expect(script.logs).toEqual([
        { level: "log", text: "items 3 {\"of\":\"shop\"}" },
        { level: "warn", text: "10000 monitorId,intervalSec,timeoutMs" }
      ])
      expect(script.requests).toMatchObject([
        { method: "POST", url: `${url}/login`, status: 200, remoteAddress: "127.0.0.1", error: null },
        { method: "GET", url: `${url}/items`, status: 200 }
      ])
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("says which assertion failed, in which step and line", () =>
    Effect.gen(function*() {
      expect(yield* lookAt("const a = 1\nawait step('sum', () => {\n  assert.equal(a + 1, 3)\n})")).toMatchObject({
        outcome: "down",
        cause: "assertion",
        error: "Step \"sum\": Expected 3, got 2 (line 3)"
      })
      expect(yield* lookAt("assert(false, 'shop is closed')")).toMatchObject({
        cause: "assertion",
        error: "shop is closed (line 1)"
      })
      expect(yield* lookAt("\nnull.x")).toMatchObject({
        cause: "script_error",
        error: expect.stringMatching(/^TypeError: .*\(line 2\)$/)
      })
      expect(yield* lookAt("let let = 1")).toMatchObject({
        cause: "script_error",
        error: expect.stringMatching(/^SyntaxError: .*\(line 1\)$/)
      })
      expect(yield* lookAt("throw 'x'")).toMatchObject({ cause: "script_error", error: "The script threw x" })
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("is degraded when it takes too long", () =>
    Effect.gen(function*() {
      const target = { kind: "script", code: "await sleep(60)", degradedAfterMs: 50 } as const
      expect(yield* probeOnce(assignmentTo(target))).toMatchObject({ outcome: "degraded", cause: "slow" })
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive(
    "fails with a step or a request that it does not wait for, unless it handles the failure",
    () =>
      Effect.gen(function*() {
        const url = yield* httpTarget((_, response) => void response.writeHead(500).end())
        expect(
          yield* lookAt(
            `step("log in", async () => {\n const { status } = await http.get("${url}")\n assert.equal(status, 200)\n})`
          )
        ).toMatchObject({ outcome: "down", error: "Step \"log in\": Expected 200, got 500 (line 3)" })
        expect(yield* lookAt(`http.get("http://127.0.0.1:9/")`)).toMatchObject({ outcome: "down", cause: "connect_refused" })
        expect(
          yield* lookAt(`
          http.get("http://127.0.0.1:9/").catch(() => {})
          const late = step("late", () => new Promise(() => {})).then(() => 1).finally(() => {})
          await Promise.race([late, sleep(1)])
          const [one, two] = await Promise.all([step("one", () => 1), step("two", async () => 2)])
          assert.equal(await step("three", async () => one + two).finally(() => {}), 3)
        `)
        ).toMatchObject({ outcome: "up", error: null })
      }).pipe(Effect.provide(probing())),
    slow
  )

  it.scopedLive("does not wait for a promise that nothing settles", () =>
    Effect.gen(function*() {
      expect(yield* lookAt("await new Promise(() => {})")).toMatchObject({
        cause: "script_error",
        error: "The script waits for a promise that nothing will settle"
      })
    }).pipe(Effect.provide(probing())), slow)
})

describe("an attack by a script", () => {
  const cpu = "The script used more than 2 s of processor time"
  const memory = "The script used more than 64 MiB of memory"
  const attacks: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["an endless loop", "for (;;) {}", new RegExp(cpu)],
    ["an endless chain of promises", "const f = () => Promise.resolve().then(f); await f()", new RegExp(`${cpu}|${memory}`)],
    ["an endless loop that catches everything", "for (;;) { try { for (;;) {} } catch {} }", new RegExp(cpu)],
    ["a regex bomb", "/^(a+)+$/.test('a'.repeat(50) + 'b')", new RegExp(cpu)],
    ["an array bomb", "const a = []; for (;;) a.push(new Array(1e5).fill(1))", new RegExp(memory)],
    ["a buffer bomb", "const a = []; for (;;) a.push(new Uint8Array(1e6))", new RegExp(memory)],
    ["a string bomb", "let s = 'x'; const a = []; for (;;) { s += s; a.push(s.slice(1)) }", /string|memory/],
    ["a recursion bomb", "const f = () => f() + 1; f()", /stack/],
    ["a nesting bomb", "JSON.parse('['.repeat(1e6))", /stack/],
    ["a nesting bomb of its own syntax", `eval("${"[".repeat(10)}".repeat(100000))`, /stack|memory|Syntax/]
  ]
  it.scopedLive("with too much of something ends the script, and says why", () =>
    Effect.gen(function*() {
      for (const [name, code, error] of attacks) {
        const seen = yield* lookAt(code)
        expect([name, seen.outcome, seen.error]).toEqual([name, "down", expect.stringMatching(error)])
      }
      expect(yield* lookAt("assert(true)")).toMatchObject({ outcome: "up" })
      yield* until(Effect.sync(sandboxes), (count) => count === 0)
    }).pipe(Effect.provide(probing())), 120_000)

  it.scopedLive("that waits is ended at its timeout, and its logs until then are kept", () =>
    Effect.gen(function*() {
      const { script, seen } = yield* evidenceAt("console.log('before'); await sleep(60000)", { timeoutMs: 1000 })
      expect(seen).toMatchObject({
        outcome: "down",
        cause: "timeout",
        error: "The script did not end within 1000 ms and was stopped"
      })
      expect(script.logs).toEqual([{ level: "log", text: "before" }])
      yield* until(Effect.sync(sandboxes), (count) => count === 0)
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("finds nothing of the host, also by way of prototypes and constructors", () =>
    Effect.gen(function*() {
      const names =
        "process require module global window self Deno Bun fetch XMLHttpRequest WebSocket WebAssembly importScripts " +
        "Worker setTimeout Buffer __dirname std os"
      const { script, seen } = yield* evidenceAt(
        `
        const found = ${JSON.stringify(names.split(" "))}.filter((name) => {
          const own = typeof globalThis[name] !== "undefined"
          const built = [].constructor.constructor("return typeof " + name)() !== "undefined"
          return own || built
        })
        console.log(JSON.stringify(found))
        const host = http.get.constructor("return this")()
        console.log(host === globalThis, Object.keys(host).sort().join())
        console.log(typeof assert.constructor.prototype.constructor("return process"))
        try { await import("node:fs") } catch (error) { console.log("import refused") }
        try { await import("std") } catch (error) { console.log("std refused") }
        console.log(JSON.stringify(env))
      `,
        { secrets: { headers: { authorization: "Bearer secret-of-the-monitor" } } }
      )
      expect(seen.error).toBeNull()
      expect(script.logs.map(({ text }) => text)).toEqual([
        "[]",
        "true assert,console,env,http,sleep,step",
        "function",
        "import refused",
        "std refused",
        expect.stringMatching(/^\{"monitorId":"mon_\w+","intervalSec":60,"timeoutMs":10000\}$/)
      ])
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive(
    "would find nothing in its process either: no variable of the worker, and no open file but its pipes",
    () =>
      Effect.gen(function*() {
        const running = yield* Effect.fork(lookAt("await sleep(60000)", { timeoutMs: 60_000 }))
        const [first] = yield* until(Effect.sync(sandboxIds), (found) => found.length === 1)
        const isNode = (id: string) => /^[^\0]*\/node\0/.test(procFile(id, "cmdline"))
        const pid = yield* until(Effect.sync(() => innermost(first!)), isNode)
        expect(procFile(pid, "environ").replaceAll("\0", "")).toBe("")
        // Node reads files of its own while it starts.
        yield* until(Effect.sync(() => openFiles(pid)), (open) => open.length === 0)
        yield* Fiber.interrupt(running)
      }).pipe(Effect.provide(probing())),
    slow
  )

  it.scopedLive("that redefines what the interface is made of only harms itself", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end("fine"))
      const { script, seen } = yield* evidenceAt(`
        JSON.stringify = () => { throw 1 }; JSON.parse = () => ({ status: 418 }); String = () => "x"; Date.now = () => NaN
        Object.prototype.t = "done"; Object.prototype.end = "passed"
        Map.prototype.get = () => undefined
        console.log("still here")
        const r = await Promise.race([http.get("${url}"), sleep(100)])
        assert.equal(1, 2)
      `)
      expect(seen).toMatchObject({ outcome: "down" })
      expect(script.logs[0]).toEqual({ level: "log", text: "still here" })
      expect(yield* lookAt("assert.equal([].t, undefined)")).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("that floods its log keeps the first lines, and the worker keeps its memory", () =>
    Effect.gen(function*() {
      const many = yield* evidenceAt("for (let i = 0; i < 1e5; i++) console.log('line ' + i)")
      expect(many.seen).toMatchObject({ outcome: "up" })
      expect([many.script.logs.length, many.script.logsCut]).toEqual([200, true])
      const long = yield* evidenceAt("for (let i = 0; i < 20; i++) console.log('x'.repeat(1e6))")
      expect(long.script.logs.reduce((sum, { text }) => sum + text.length, 0)).toBe(16_384)
      expect(long.script.logsCut).toBe(true)
      const steps = yield* evidenceAt("for (let i = 0; i < 1000; i++) await step('s'.repeat(1000), () => {})")
      expect(steps.script.steps.length).toBe(100)
      expect(steps.script.steps[0]!.name.length).toBe(200)
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("reaches the network through the egress guard only", () =>
    Effect.gen(function*() {
      const hosts = [
        ...["127.0.0.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[fe80::1]"],
        ...["localhost", "app.localhost", "0.0.0.0", "rebound.example"]
      ]
      let connections = 0
      const port = yield* tcpTarget(() => connections++)
      const { script, seen } = yield* evidenceAt(`
        for (const host of ${JSON.stringify(hosts)}) {
          try { await http.get("http://" + host + ":${port}/"); console.log("reached " + host) } catch (error) { console.log(error.message) }
        }
        for (const url of ["file:///etc/passwd", "data:text/plain,x", "ftp://a.test/", "/etc/passwd", "unix:/run/x.sock"]) {
          try { await http.get(url); console.log("reached " + url) } catch (error) { console.log(error.message) }
        }
      `)
      expect(seen.error).toBeNull()
      expect(connections).toBe(0)
      const texts = script.logs.map(({ text }) => text)
      expect(texts.slice(0, hosts.length).every((text) => text.includes("is not a public address"))).toBe(true)
      expect(texts.slice(hosts.length).every((text) => text.includes("is not an absolute http or https URL"))).toBe(true)
      expect(script.requests.map(({ cause }) => cause)).toEqual(hosts.map(() => "blocked_target"))
    }).pipe(Effect.provide(probing({
      allow: "",
      resolve: (_, done) => done(null, [{ address: "127.0.0.1", family: 4 }])
    }))), slow)

  it.scopedLive("gets no more requests than a run may make, and sends no forbidden header", () =>
    Effect.gen(function*() {
      let requests = 0
      const url = yield* httpTarget((_, response) => {
        requests++
        response.end("x")
      })
      const seen = yield* lookAt(`await Promise.all(Array.from({ length: 80 }, () => http.get("${url}")))`)
      expect(seen).toMatchObject({ cause: "script_error", error: expect.stringContaining("A script makes at most 50 requests") })
      expect(requests).toBeLessThanOrEqual(50)
      expect(yield* lookAt(`await http.get("${url}", { headers: { "a b": "c" } })`)).toMatchObject({
        error: expect.stringContaining("\"a b\" is not a valid header name")
      })
      expect(yield* lookAt(`await http.get("${url}", { headers: { a: "b\\r\\nx: y" } })`)).toMatchObject({
        cause: "script_error"
      })
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("with huge responses stays within its own memory", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end(Buffer.alloc(8_000_000, "x")))
      const { script } = yield* evidenceAt(
        `const r = await http.get("${url}"); console.log(r.body.length, r.truncated)
         const all = []; for (let i = 0; i < 45; i++) all.push((await http.get("${url}")).body + i)`
      )
      expect(script.logs[0]!.text).toBe("1048576 true")
      expect(yield* lookAt("assert(true)")).toMatchObject({ outcome: "up" })
    }).pipe(Effect.provide(probing())), slow)

  it.scopedLive("by many scripts of one workspace leaves a process for another", () =>
    Effect.gen(function*() {
      const crowd = workspace()
      const fiber = yield* Effect.fork(Effect.all(
        Array.from({ length: 8 }, () => lookAt("await sleep(120000)", { workspaceId: crowd, timeoutMs: 100_000 })),
        { concurrency: "unbounded" }
      ))
      yield* until(Effect.sync(sandboxes), (count) => count === 3)
      expect(yield* lookAt("assert(true)", { workspaceId: workspace() })).toMatchObject({ outcome: "up" })
      yield* until(Effect.sync(sandboxes), (count) => count === 3)
      fiber.unsafeInterruptAsFork(fiber.id())
      yield* until(Effect.sync(sandboxes), (count) => count === 0)
    }).pipe(Effect.provide(probing())), slow)
})
