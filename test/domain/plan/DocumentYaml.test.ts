/** The YAML of a document, which is written entry by entry. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { parse } from "yaml"
import { documentYaml } from "../../../src/domain/plan/DocumentYaml.ts"
import { partOf } from "../../../src/domain/plan/PartOfDocument.ts"
import { runSteps } from "../../../src/domain/tools/Steps.ts"

const text = fc.oneof(
  fc.string({ unit: "grapheme-ascii" }),
  fc.constantFrom("yes", "1e3", "a\nb\n\n", " x", "#", "- a", "", "[hidden]")
)

/** Any value of an entry; -0 is written as 0. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie("any"), { maxKeys: 3 })
  )
})).any

describe("the YAML of a document", () => {
  it("says what the document says", () => {
    const section = fc.array(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value, { minKeys: 1, maxKeys: 4 }), {
      maxLength: 50
    })
    fc.assert(fc.property(fc.dictionary(fc.constantFrom("monitors", "pages", "channels"), section), (sections) => {
      const document = { version: 1, ...sections }
      expect(parse(runSteps(documentYaml(document)))).toEqual(document)
    }))
  })

  it("has an entry on lines of its own, which a search finds by its key or name", () => {
    const levels = [{ afterMinutes: 0, targets: [] }]
    const policies = [{ key: "ops", name: "Ops", levels }, { key: "night", name: "After hours", levels }]
    const found = partOf({ version: 1, policies, monitors: [] }, "HOURS")
    expect(found).toEqual({ version: 1, policies: [policies[1]] })
    expect(runSteps(documentYaml({ version: 1, monitors: [], policies: [{ key: "ops" }, { key: "night" }] }))).toBe(
      "version: 1\nmonitors: []\npolicies:\n- key: ops\n- key: night\n"
    )
  })
})
