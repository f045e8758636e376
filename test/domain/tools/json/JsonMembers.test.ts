import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { jsonMembers } from "../../../../src/domain/tools/json/JsonMembers.ts"
import { runSteps } from "../../../../src/domain/tools/Steps.ts"

const membersOf = (text: string) => runSteps(jsonMembers(text, ["status", "message"]))

describe("the members of a JSON text that is cut", () => {
  it("are those of its top level whose value is whole", () => {
    expect(membersOf("{ \"a\": {\"status\": 1, \"b\": [\",\", \"}\"]}, \"Status\" : \"down\", \"message\":\"x\\\",\\\"y\""))
      .toEqual([["Status", "down"]])
    expect(membersOf("{\"message\":[1,{\"status\":2}],\"status\":null}")).toEqual([["message", [1, { status: 2 }]], [
      "status",
      null
    ]])
    for (const text of ["", "{", "[", "}", "{\"status\"", "{\"status\":", "{\"status\":\"", "]]}}", "{\"status\":do,"]) {
      expect([text, membersOf(text)]).toEqual([text, []])
    }
  })

  it("are those of the whole text, wherever it is cut behind them", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), fc.nat(), (status, other, last, length) => {
        const start = `{"other":${JSON.stringify(other)},"status":${JSON.stringify(status)},`
        const text = `${start}"last":${JSON.stringify(last)}}`
        expect(membersOf(text.slice(0, start.length + length))).toEqual(membersOf(text))
        expect(membersOf(text)).toEqual([["status", JSON.parse(JSON.stringify(status))]])
      })
    )
  })
})
