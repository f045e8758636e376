/** Assertions of http monitors on the answers of a real server. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Assertion } from "../../schema/monitor/Assertion.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { httpTarget, probing } from "../support/targets/LocalTargets.ts"

const document = `{
  "version": "1.10",
  "commit": "0e123456",
  "id": 9007199254740993,
  "price": 0.30,
  "tags": ["1.10", 9007199254740993, "prod"],
  "checks": [
    {"name": "db", "ok": true, "ms": 12, "critical": true},
    {"name": "cache", "ok": false, "ms": 340, "critical": false},
    {"name": "queue", "ok": true, "ms": 7.5, "critical": true}
  ]
}`

const target = httpTarget((request, response) => {
  response.setHeader("x-version", "1.10")
  response.setHeader("x-commit", "0e123456")
  response.end(request.url === "/list" ? "[{\"id\": 1}, {\"id\": 2}]" : document)
})

const json = (path: string, op: Assertion["op"], value?: Assertion["value"]): Assertion => ({
  source: "json",
  path,
  op,
  ...(value === undefined ? {} : { value })
})

describe("assertions on an answer", () => {
  it.scopedLive("hold or fail by what its texts and numbers are", () =>
    Effect.gen(function*() {
      const url = yield* target
      const cases: ReadonlyArray<readonly [Assertion, boolean]> = [
        [json("version", "eq", "1.1"), false],
        [json("version", "neq", "1.1"), true],
        [json("commit", "eq", "0e654321"), false],
        [json("id", "eq", "9007199254740992"), false],
        [json("id", "eq", 9007199254740992), false],
        [json("id", "gt", 9007199254740992), true],
        [json("id", "lte", "9007199254740993"), true],
        [json("price", "eq", "0.3"), true],
        [json("price", "matches", "^0\\.30$"), true],
        [json("tags", "contains", "1.1"), false],
        [json("tags", "contains", 9007199254740992), false],
        [json("tags", "not_contains", "prod"), false],
        [{ source: "header", path: "X-Version", op: "eq", value: "1.1" }, false],
        [{ source: "header", path: "X-Commit", op: "eq", value: "0e1" }, false],
        [{ source: "header", path: "X-Version", op: "gte", value: "1.1" }, true],
        [{ source: "body", op: "contains", value: "9007199254740993" }, true],
        [{ source: "status", op: "eq", value: "200" }, true]
      ]
      const { evidence } = yield* probeOnce(assignmentOf({ url, assertions: cases.map(([assertion]) => assertion) }))
      const seen = yield* evidence
      expect(seen?.assertions.map(({ index, passed }) => [cases[index]?.[0], passed])).toEqual(cases)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("read what JSON paths select", () =>
    Effect.gen(function*() {
      const url = yield* target
      const cases: ReadonlyArray<readonly [Assertion, boolean]> = [
        [json("checks[-1].name", "eq", "queue"), true],
        [json("$.checks[*].ok", "eq", true), false],
        [json("$.checks[?@.critical == true].ok", "eq", true), true],
        [json("$.checks[?@.critical].ok", "eq", true), false],
        [json("$.checks[?@.critical == true && @.ms < 10].name", "eq", "queue"), true],
        [json("$.checks[0:2].ms", "lt", 400), true],
        [json("$..ms", "lt", 300), false],
        [json("$.checks[?@.name == 'none']", "exists"), false],
        [json("$.checks[?match(@.name, 'd.')].ms", "eq", 12), true],
        [json("$.checks[?length(@.name) > 4].name", "not_contains", "db"), true],
        [json("$[?count(@.*) == 3][0].name", "eq", "db"), true],
        [json("checks.length", "eq", 3), true],
        [json("$['checks'][1]['name', 'ms']", "exists"), true]
      ]
      const { evidence } = yield* probeOnce(assignmentOf({ url, assertions: cases.map(([assertion]) => assertion) }))
      const seen = yield* evidence
      expect(seen?.assertions.map(({ index, passed }) => [cases[index]?.[0], passed])).toEqual(cases)
      expect(yield* probeOnce(assignmentOf({ url, assertions: [json("$.checks[*].ok", "eq", true)] }))).toMatchObject({
        outcome: "down",
        cause: "assertion",
        error: "Expected each of the 3 values of JSON $.checks[*].ok to equal true, but value 2 is false"
      })
      expect(yield* probeOnce(assignmentOf({ url: `${url}/list`, assertions: [json("$[?@.id == 2].id", "eq", "2")] })))
        .toMatchObject({
          outcome: "up"
        })
    }).pipe(Effect.provide(probing())))
})
