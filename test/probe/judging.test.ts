/** Judging off the event loop: the same verdicts, a hard deadline, and a quarantine for parts that overrun. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { randomBytes } from "node:crypto"
import { register } from "prom-client"
import type { Assertion } from "../../schema/monitor/Assertion.ts"
import { judgeHttp, readExpectations } from "../../src/domain/check/answer/HttpVerdict.ts"
import type { HttpFacts } from "../../src/domain/check/answer/HttpVerdict.ts"
import { parseExactJson } from "../../src/domain/tools/json/ExactJson.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import type { JobEnd } from "../../src/probe/judging/JudgePool.ts"
import { makeJudgePool } from "../../src/probe/judging/JudgePool.ts"
import { Judging } from "../../src/probe/judging/Judging.ts"
import { makeQuarantine, quarantineMs } from "../../src/probe/judging/Judging.ts"
import { Overloaded } from "../../src/probe/Overloaded.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { probing } from "../support/targets/LocalTargets.ts"

const letters = (length: number): string => Buffer.from(randomBytes(length).map((byte) => 97 + (byte & 1))).toString("latin1")
const hostile: Assertion = { source: "body", op: "matches", value: "a(?:a|b){250}[c-d]" }

const factsOf = (body: string): HttpFacts => ({
  status: 200,
  statusText: "OK",
  finalUrl: null,
  latencyMs: 1,
  header: (name) => (name === "x-kind" ? "large" : undefined),
  body: () => body,
  bodyComplete: true,
  json: () => parseExactJson(body),
  sslDays: null,
  expiresSoon: null,
  outdatedTls: null
})

const monitorOf = (assertions: ReadonlyArray<Assertion>, rest: { readonly keyword?: string } = {}) =>
  assignmentOf({ url: "http://a.test/", assertions, ...rest })

const judge = (assignment: ReturnType<typeof assignmentOf>, facts: HttpFacts) =>
  Effect.flatMap(
    Judging,
    (judging) =>
      Effect.async<{ readonly verdict: ReturnType<typeof judgeHttp>; readonly apart: boolean }, unknown>((resume) => {
        let apart = false
        const giveUp = judging.judge(
          assignment,
          readExpectations(assignment.target),
          facts,
          (verdict) => resume(Effect.map(verdict, (known) => ({ verdict: known, apart })))
        )
        apart = giveUp !== null
      })
  )

const overruns = Effect.promise(async () =>
  (await register.getSingleMetric("belltower_judging_overruns_total")!.get()).values.reduce((sum, { value }) => sum + value, 0)
)

const jobOf = (body: string, assertions: ReadonlyArray<Assertion>) => ({
  key: assertions.map(({ value }) => value).join(),
  target: monitorOf(assertions).target,
  facts: { status: 200, latencyMs: 1, headers: {}, body, bodyComplete: true, sslDays: null },
  parts: assertions.map((_, index) => index)
})

describe("judging", () => {
  it.scopedLive("gives the same verdict in a thread as inline", () =>
    Effect.gen(function*() {
      const body = JSON.stringify({ items: Array.from({ length: 20_000 }, (_, id) => ({ id, name: `item ${id}` })) })
      const monitor = monitorOf([
        { source: "json", path: "items[19999].id", op: "eq", value: 19_999 },
        { source: "json", path: "items[0].name", op: "matches", value: "^item \\d+$" },
        { source: "json", path: "items[20000]", op: "exists", severity: "degraded" },
        { source: "header", path: "X-Kind", op: "eq", value: "large" },
        { source: "body", op: "not_contains", value: "item 7\"" },
        { source: "body", op: "matches", value: "(" },
        { source: "status", op: "lt", value: 300 }
      ], { keyword: "item 4711" })
      const { apart, verdict } = yield* judge(monitor, factsOf(body))
      expect(apart).toBe(true)
      expect(verdict).toEqual(judgeHttp(readExpectations(monitor.target), factsOf(body)))
      expect(verdict.assertions.map(({ passed }) => passed)).toEqual([true, true, false, true, false, false, true])
    }).pipe(Effect.provide(probing())))

  it.scopedLive("judges small responses synchronously", () =>
    Effect.gen(function*() {
      const { apart, verdict } = yield* judge(monitorOf([hostile]), factsOf("ab"))
      expect([apart, verdict.cause]).toEqual([false, "assertion"])
    }).pipe(Effect.provide(probing())))

  it.scopedLive(
    "fails what needs too long, says so at each check, and does not try again before the monitor changes",
    () =>
      Effect.gen(function*() {
        const facts = factsOf(`${letters(1_000_000)}!`)
        const monitor = monitorOf([hostile, { source: "body", op: "matches", value: "!$" }, {
          source: "status",
          op: "eq",
          value: 200
        }])
        const before = yield* overruns
        const { verdict } = yield* judge(monitor, facts)
        expect(verdict).toMatchObject({ outcome: "down", cause: "assertion" })
        expect(verdict.error).toContain(
          "The pattern of assertion 0 needs more than 1 s on this answer; simplify it or match a shorter part"
        )
        expect(verdict.assertions.map(({ passed }) => passed)).toEqual([false, true, true])
        expect(yield* overruns).toBe(before + 1)
        expect((yield* judge(monitor, facts)).verdict).toEqual(verdict)
        expect(yield* overruns).toBe(before + 1)
        expect((yield* judge({ ...monitor, revision: 2 }, facts)).verdict).toEqual(verdict)
        expect(yield* overruns).toBe(before + 2)
      }).pipe(Effect.provide(probing()))
  )

  it.scopedLive("gives up on a response after three turns, and frees the thread for others", () =>
    Effect.gen(function*() {
      const facts = factsOf(letters(1_000_000))
      const patterns = Array.from({ length: 6 }, (_, index) => ({ ...hostile, value: `a(?:a|b){${250 + index}}[c-d]` }))
      const { verdict } = yield* judge(monitorOf(patterns), facts)
      expect(verdict.assertions.map(({ message }) => /needs more than 1 s/.test(message))).toEqual(patterns.map(() => true))
      expect((yield* judge(monitorOf([], { keyword: `${"x".repeat(250)}y${"x".repeat(249)}` }), facts)).verdict.cause).toBe(
        "keyword"
      )
    }).pipe(Effect.provide(probing())))

  it.scopedLive("ends JSON paths that select without end, in time or in memory, and judges the others", () =>
    Effect.gen(function*() {
      const nested = `${"{\"a\": [".repeat(60)}1${"]}".repeat(60)}`
      const monitor = monitorOf([
        { source: "json", path: `$${"..*".repeat(20)}`, op: "exists" },
        { source: "json", path: "$[?@..[?@..[?@..[?@..[?@..b]]]]]", op: "not_exists" },
        { source: "json", path: "$..[?search(@, '(a|b|ab)*c')]", op: "not_exists" },
        { source: "status", op: "eq", value: 200 }
      ])
      const { apart, verdict } = yield* judge(monitor, factsOf(nested))
      expect(apart).toBe(true)
      expect(verdict.error).toContain("Assertion 0 needs more than 1 s on this answer")
      expect(verdict.assertions.map(({ passed }) => passed)).toEqual([false, expect.any(Boolean), true, true])
    }).pipe(Effect.provide(probing())))

  it("retries after ten minutes", () => {
    let now = 0
    const quarantine = makeQuarantine(() => now)
    const monitor = monitorOf([hostile])
    quarantine.add(monitor, 0)
    expect([quarantine.has(monitor, 0), quarantine.has(monitor, 1), quarantine.has({ ...monitor }, 0)]).toEqual([
      true,
      false,
      false
    ])
    now = quarantineMs
    expect(quarantine.has(monitor, 0)).toBe(false)
  })
})

describe("the judging threads", () => {
  const poolOf = (deadlineMs: number) =>
    Effect.gen(function*() {
      const { deadlines } = yield* EgressGuard
      const pool = makeJudgePool({ threads: 1, deadlineMs, deadlines })
      yield* Effect.addFinalizer(() => Effect.sync(pool.close))
      const ends: Array<string> = []
      /** The outcome of a job, or none if the queue had no room. */
      const submit = (owner: string, body: string, assertions: ReadonlyArray<Assertion> = [hostile]) =>
        Effect.async<Option.Option<JobEnd>>((resume) => {
          const ended = (end: JobEnd) => {
            ends.push(owner)
            resume(Effect.succeed(Option.some(end)))
          }
          if (pool.submit(owner, jobOf(body, assertions), { found: () => {}, ended }) === null) {
            resume(Effect.succeed(Option.none()))
          }
        })
      return { submit, ends }
    })

  it.scopedLive("serve workspaces in turn: a workspace waits for one job of another, not for all", () =>
    Effect.gen(function*() {
      const { ends, submit } = yield* poolOf(300)
      const body = letters(1_000_000)
      const crowd = Effect.all(Array.from({ length: 4 }, () => submit("crowd", body)), { concurrency: "unbounded" })
      const found = yield* Effect.all([crowd, submit("neighbour", "short")], { concurrency: "unbounded" })
      expect(ends.indexOf("neighbour")).toBeLessThanOrEqual(1)
      expect(found[1]).toEqual(Option.some({ _tag: "Done" }))
      expect(found[0]).toEqual(found[0].map(() => Option.some({ _tag: "Overrun", part: 0 })))
    }).pipe(Effect.provide(probing())))

  it.scopedLive("limit the queue per workspace, and still have room for others", () =>
    Effect.gen(function*() {
      const { submit } = yield* poolOf(2000)
      const body = "x".repeat(4_000_000)
      const plain: ReadonlyArray<Assertion> = [{ source: "body", op: "exists" }]
      const crowd = Effect.all(Array.from({ length: 8 }, () => submit("crowd", body, plain)), { concurrency: "unbounded" })
      const [found, neighbour] = yield* Effect.all([crowd, submit("neighbour", body, plain)], { concurrency: "unbounded" })
      const refused = found.filter(Option.isNone).length
      expect(refused).toBeGreaterThanOrEqual(3)
      expect(refused).toBeLessThan(8)
      expect(Option.isSome(neighbour)).toBe(true)
      expect(new Overloaded({ resource: "judging", message: "x" })._tag).toBe("Overloaded")
    }).pipe(Effect.provide(probing())))
})
