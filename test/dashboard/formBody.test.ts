/** The fields of a form as the arguments of an operation, and calls as text to copy. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { execFileSync } from "node:child_process"
import { completed, formBody, type Json } from "../../src/dashboard/frame/FormBody.ts"
import { type CallShape, snippetsOf } from "../../src/dashboard/frame/Snippets.ts"

describe("a form's fields", () => {
  it("become JSON by their types and paths", () => {
    expect(formBody([
      ["_back", "/app"],
      ["name", "Shop"],
      ["intervalSec:number", "30"],
      ["timeoutMs:number", "soon"],
      ["paused:boolean", "false"],
      ["paused:boolean", "true"],
      ["tags:list", "a, b,\nc"],
      ["emails:lines", "a@example.com\nb@example.com, c"],
      ["headers:pairs", "accept: text/html\nx-empty"],
      ["regions:all", ""],
      ["regions:all", "eu"],
      ["regions:all", "us"],
      ["assertions.3.op", "eq"],
      ["assertions.1.op", "lt"],
      ["theme.accent", "#123456"]
    ])).toEqual({
      name: "Shop",
      intervalSec: 30,
      timeoutMs: "soon",
      paused: true,
      tags: ["a", "b", "c"],
      emails: ["a@example.com", "b@example.com, c"],
      headers: { accept: "text/html", "x-empty": "" },
      regions: ["eu", "us"],
      assertions: [{ op: "lt" }, { op: "eq" }],
      theme: { accent: "#123456" }
    })
  })

  it("take durations as people write them, in the unit of the argument", () => {
    expect(formBody([
      ["intervalSec:seconds", "5 min"],
      ["timeoutMs:millis", "10 s"],
      ["degradedAfterMs:millis?", ""],
      ["confirmAfterSec:seconds?", "0"],
      ["repeatAfterMinutes:minutes", "1h 30m"],
      ["reminderMinutes:minuteList", "30, 2 h"],
      ["graceSec:seconds", "soon"],
      ["periodSec:seconds", ""]
    ])).toEqual({
      intervalSec: 300,
      timeoutMs: 10_000,
      degradedAfterMs: null,
      confirmAfterSec: 0,
      repeatAfterMinutes: 90,
      reminderMinutes: [30, 120],
      graceSec: "soon"
    })
    expect([completed("intervalSec:seconds", "90"), completed("timeoutMs:millis", "soon")]).toEqual(["1 min 30 s", "soon"])
  })

  it("that are empty are left out, cleared or empty, as their type says", () => {
    expect(formBody([
      ["description", ""],
      ["limit:number", " "],
      ["groupId:text?", ""],
      ["ttl:number?", ""],
      ["tags:list", ""],
      ["headers:pairs", "\n"],
      ["regions:all", ""],
      ["code:raw", ""]
    ])).toEqual({ groupId: null, ttl: null, tags: [], headers: {}, regions: [], code: "" })
  })

  it("cannot reach a prototype", () => {
    const body = formBody([["__proto__.polluted", "yes"], ["constructor.prototype.polluted", "yes"]])
    expect(Object.getPrototypeOf({})).not.toHaveProperty("polluted")
    expect(Object.keys(body)).toEqual(["constructor"])
  })

  it("of one level survive any text", () => {
    FastCheck.assert(FastCheck.property(
      FastCheck.dictionary(
        FastCheck.stringMatching(/^[a-z]{1,8}$/),
        FastCheck.string().filter((text) => text.trim() !== "" && !text.includes("\r"))
      ),
      (fields) => {
        expect(formBody(Object.entries(fields))).toEqual({ ...fields })
      }
    ))
  })
})

const shape: CallShape = {
  id: "update_monitor",
  method: "PATCH",
  path: "/api/v1/monitors/:id",
  query: ["checks"],
  isTool: true
}

/** The arguments that a shell would pass to curl. */
const wordsOf = (command: string): ReadonlyArray<string> =>
  execFileSync("sh", ["-c", `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; BELLTOWER_API_KEY=key\n${command}`], {
    encoding: "utf8"
  }).split("\0")

describe("a call as text", () => {
  it("is the same call for a shell, in TypeScript and as a tool, whatever its arguments contain", () => {
    const values: ReadonlyArray<Json> = ["it's", "$(id)", "`id`", "\"", "\\", "a\nb", "ü"]
    for (const value of values) {
      const given = { id: "mon_1", checks: 5, name: value }
      const { curl, mcp, typescript } = snippetsOf("https://bell.test", shape, given)
      const words = wordsOf(curl)
      expect(words.slice(0, 3)).toEqual(["-X", "PATCH", "https://bell.test/api/v1/monitors/mon_1?checks=5"])
      expect(JSON.parse(words[words.indexOf("-d") + 1] ?? "")).toEqual({ name: value })
      expect(JSON.parse(mcp).params).toEqual({ name: "update_monitor", arguments: given })
      expect(typescript).toContain(JSON.stringify(value))
    }
  })

  it("names the parameters that are still missing", () => {
    expect(snippetsOf("https://bell.test", { ...shape, method: "GET" }, {}).curl).toContain("/monitors/{id}'")
  })
})
