/** What a job's pings say about its runs: starts, ends, exit codes and logs, as Healthchecks documents them. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { JobRuns } from "../../../src/store/monitor/JobRuns.ts"
import { PingKeys } from "../../../src/store/monitor/PingKeys.ts"
import { newHeartbeat, PingServer } from "../../support/program/PingServer.ts"
import { call } from "../../support/program/TestServer.ts"

const everything = { state: null, search: null, before: null, limit: 100 }

/** A heartbeat whose pings are answered with 200, its runs, and the logs of each. */
const newJob = Effect.gen(function*() {
  const job = yield* newHeartbeat
  const store = yield* JobRuns
  const runs = Effect.flatMap(
    store.page(job.workspaceId, job.id, everything),
    (found) =>
      Effect.forEach(found, (run) => Effect.map(store.logs(job.workspaceId, job.id, run.id), (logs) => ({ ...run, logs })))
  )
  const ping = (suffix: string, init: RequestInit = {}) =>
    Effect.flatMap(call(`${job.path}${suffix}`, init), (response) => {
      expect([suffix, response.status]).toEqual([suffix, 200])
      return Effect.promise(() => response.text())
    })
  return { ...job, runs, ping }
})

const output = (body: string): RequestInit => ({ method: "POST", body })

layer(PingServer, { excludeTestServices: true })((it) => {
  it.effect("a start opens a run, and a plain ping ends it with its duration", () =>
    Effect.gen(function*() {
      const { checks, ping, runs } = yield* newJob
      yield* ping("/start")
      expect(yield* runs).toMatchObject([{ state: "running", endedAt: null, durationMs: null, exitCode: null }])
      expect(yield* checks).toEqual([])
      yield* ping("")
      const [run] = yield* runs
      expect(run).toMatchObject({ state: "up", error: null, exitCode: null, durationMs: expect.any(Number) })
      expect(yield* checks).toEqual([["up", null, run?.durationMs]])
      yield* ping("")
      expect(yield* runs).toHaveLength(1)
    }))

  it.effect.each(
    [
      ["/0", "up", 0, null],
      ["/00", "up", 0, null],
      ["/1", "down", 1, "The job exited with code 1"],
      ["/255", "down", 255, "The job exited with code 255"],
      ["/256", "down", 256, "The job exited with code 256"],
      ["/-1", "down", -1, "The job exited with code -1"],
      ["/3221225786", "down", -1073741510, "The job exited with code -1073741510"],
      ["/99999999999999999999", "down", null, "The job reported a failure"],
      ["/fail", "down", null, "The job reported a failure"],
      ["/FAIL/", "down", null, "The job reported a failure"]
    ] as const
  )("a run that ends with %s is %s", ([suffix, state, exitCode, error]) =>
    Effect.gen(function*() {
      const { checks, ping, runs } = yield* newJob
      yield* ping("/start")
      yield* ping(suffix)
      expect(yield* runs).toMatchObject([{ state, exitCode, error, durationMs: expect.any(Number) }])
      expect(yield* checks).toEqual([[state, error, expect.any(Number)]])
    }))

  it.effect.each([
    "/",
    "/ok",
    "/2.5",
    "/start%20now",
    "/a/b/c",
    "/%E4%F6",
    "?",
    "?rid",
    "?rid=&x=%",
    "?create=1",
    "//",
    `/${"x".repeat(3000)}`,
    `/${"%20".repeat(60)}?rid=1`
  ])(
    "a ping whose address ends with %s counts as a success",
    (suffix) =>
      Effect.gen(function*() {
        const { checks, ping } = yield* newJob
        yield* ping(suffix)
        yield* ping(suffix, output("a line"))
        expect(yield* checks).toEqual([["up", null, null], ["up", null, null]])
      })
  )

  it.effect("run ids tell overlapping runs apart", () =>
    Effect.gen(function*() {
      const { ping, runs } = yield* newJob
      yield* ping("/start?rid=one")
      yield* ping("/start?RID=two")
      yield* ping("/log?rid=one", output("half of it"))
      yield* ping("/7?rid=one")
      expect(yield* runs).toMatchObject([
        { rid: "two", state: "running", logs: [] },
        { rid: "one", state: "down", exitCode: 7, logs: [{ signal: "log", text: "half of it" }] }
      ])
      yield* ping("?rid=two")
      expect((yield* runs).map(({ state }) => state)).toEqual(["up", "down"])
    }))

  it.effect("the end of a run that nobody started is a run of its own, and ends no other", () =>
    Effect.gen(function*() {
      const { ping, runs } = yield* newJob
      yield* ping("/start")
      yield* ping("?rid=other")
      expect(yield* runs).toMatchObject([
        { rid: "other", state: "up", startedAt: null, durationMs: null },
        { rid: null, state: "running" }
      ])
    }))

  it.effect("a job that starts again has lost the run before", () =>
    Effect.gen(function*() {
      const { checks, ping, runs } = yield* newJob
      yield* ping("/start")
      yield* ping("/start")
      yield* ping("/0")
      expect((yield* runs).map(({ state }) => state)).toEqual(["up", "lost"])
      expect(yield* checks).toHaveLength(1)
    }))

  it.effect("a log changes nothing, and is kept with the open run or by itself", () =>
    Effect.gen(function*() {
      const { checks, ping, runs } = yield* newJob
      yield* ping("/log", output("by itself"))
      yield* ping("/log")
      yield* ping("/start", output("begins"))
      yield* ping("/log", output("goes on"))
      yield* ping("", output("is done"))
      expect(yield* runs).toMatchObject([
        {
          state: "up",
          logBytes: 20,
          logs: [{ signal: "start", text: "begins" }, { signal: "log", text: "goes on" }, { signal: "end", text: "is done" }]
        },
        { state: "logged", logBytes: 9, logs: [{ text: "by itself" }] }
      ])
      expect(yield* checks).toHaveLength(1)
    }))

  it.effect("bodies are kept to 100 kB, in whole characters, without the token, and answers say so", () =>
    Effect.gen(function*() {
      const { path, ping, runs, token } = yield* newJob
      const answer = yield* call(path, output("ok"))
      expect(answer.headers.get("ping-body-limit")).toBe("100000")
      expect((yield* call(path)).headers.get("ping-body-limit")).toBe("100000")
      yield* ping("/fail", output(`+ curl https://belltower.test/hb/${token}/fail\n\0\ud800`))
      yield* ping("", output(`x${"ö".repeat(60_000)}`))
      const [long, failed, ok] = yield* runs
      expect([long?.logBytes, Buffer.byteLength(long?.logs[0]?.text ?? "")]).toEqual([120_001, 99_999])
      expect(failed?.logs[0]?.text).not.toContain(token)
      expect(ok?.logs[0]?.text).toBe("ok")
    }))

  it.effect.each(["", "/0"])("output is kept exactly as it was printed (%s)", (suffix) =>
    Effect.gen(function*() {
      const { checks, ping, runs } = yield* newJob
      const printed = ["{\"a\",NULL}", "back\\slash \\N", "gr\u00f6\u00dfe \u{1f600}", "NULL", "a\r\nb", "nul \0 in it"]
      yield* Effect.forEach(printed, (text) => ping(suffix, output(text)))
      const kept = (yield* runs).toReversed()
      expect(kept.map(({ logs: [log] }) => log?.text)).toEqual(printed.map((text) => text.replace("\0", "\uFFFD")))
      expect(kept.map(({ logBytes }) => logBytes)).toEqual(printed.map((text) => Buffer.byteLength(text)))
      expect(kept.map(({ endedAt, state }) => [state, endedAt !== null])).toEqual(printed.map(() => ["up", true]))
      expect(yield* checks).toHaveLength(printed.length)
    }))

  it.effect("small outputs share the bound of a day with large ones", () =>
    Effect.gen(function*() {
      const { ping, runs } = yield* newJob
      yield* Effect.forEach(Array.from({ length: 7 }), () => ping("", output("x".repeat(99_000))))
      yield* Effect.forEach(Array.from({ length: 10 }), () => ping("", output("y".repeat(10_000))))
      const kept = (yield* runs).map(({ logs: [log] }) => log?.text?.length ?? 0)
      expect(kept).toEqual([...Array(1).fill(0), ...Array(9).fill(10_000), ...Array(7).fill(99_000)])
    }))

  it.effect("a job's logs of a day are bounded, and failures have room of their own", () =>
    Effect.gen(function*() {
      const { ping, runs } = yield* newJob
      const large = output("x".repeat(99_000))
      yield* Effect.forEach(Array.from({ length: 9 }), () => ping("", large))
      expect((yield* runs).map(({ logs: [log] }) => log?.text === null)).toEqual([true, true, ...Array(7).fill(false)])
      yield* ping("/1", large)
      const [failed] = yield* runs
      expect([failed?.logs[0]?.text?.length, failed?.logBytes]).toEqual([99_000, 99_000])
    }))

  it.effect("a ping key and the slug of a name reach the heartbeat, and make it where that is allowed", () =>
    Effect.gen(function*() {
      const { checks, id, runs, workspaceId } = yield* newJob
      const keys = yield* PingKeys
      const manage = yield* ManageMonitors
      const answerTo = (key: string, path: string) => Effect.map(call(`/ping/${key}/${path}`), ({ status }) => status)
      yield* manage.update(workspaceId, id, { name: "Nightly  Backup (EU) – größe" })
      const { key } = yield* keys.replace(workspaceId, false)
      const slug = "nightly-backup-eu-gr-e"
      for (const suffix of ["", "/start", "/3", "?rid=x", "/log"]) expect(yield* answerTo(key, slug + suffix)).toBe(200)
      expect(yield* checks).toHaveLength(3)
      expect(yield* runs).toMatchObject([{ rid: "x" }, { exitCode: 3, durationMs: expect.any(Number) }])
      expect(yield* answerTo(key, "weekly?create=1")).toBe(404)
      expect([yield* answerTo(key, ""), yield* answerTo("x".repeat(22), slug)]).toEqual([404, 404])
      const { key: other } = yield* keys.replace(workspaceId, true)
      expect([yield* answerTo(key, slug), yield* answerTo(other, slug), yield* answerTo(other, "weekly")]).toEqual([
        404,
        200,
        404
      ])
      const made = yield* Effect.all(Array.from({ length: 5 }, () => answerTo(other, "Weekly/start?create=1")), {
        concurrency: "unbounded"
      })
      expect(made).toEqual(Array(5).fill(200))
      expect(yield* keys.hashesOf(workspaceId, "weekly")).toHaveLength(1)
      yield* manage.create(workspaceId, { name: "WEEKLY", periodSec: 60 })
      expect(yield* answerTo(other, "weekly")).toBe(409)
    }))

  it.effect("a job that reports its own duration has a run", () =>
    Effect.gen(function*() {
      const { checks, ping, runs } = yield* newJob
      yield* ping("?durationMs=1500")
      expect(yield* runs).toMatchObject([{ state: "up", durationMs: 1500 }])
      expect(yield* checks).toEqual([["up", null, 1500]])
    }))

  it.effect("the addresses of Healthchecks take the same pings, and answer OK", () =>
    Effect.gen(function*() {
      const { checks, runs, token } = yield* newJob
      for (const suffix of ["/start", "", "/1", "/log", "/fail", "?rid=x"]) {
        for (const method of ["GET", "POST", "HEAD"]) {
          const response = yield* call(`/ping/${token}${suffix}`, { method })
          const text = yield* Effect.promise(() => response.text())
          expect([suffix, method, response.status, text]).toEqual([suffix, method, 200, method === "HEAD" ? "" : "OK"])
          expect(response.headers.get("access-control-allow-origin")).toBe("*")
        }
      }
      expect(yield* checks).toHaveLength(12)
      expect((yield* runs).length).toBeGreaterThan(9)
      expect((yield* call(`/ping/${"x".repeat(24)}/start`)).status).toBe(404)
      expect((yield* call(`/ping/${token}`, { method: "PUT" })).status).toBe(405)
    }))
})
