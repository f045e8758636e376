/** Laws of plans: keys, differences, and what the terminal and the environment do to them. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import * as fc from "fast-check"
import { instant } from "../../../schema/Fields.ts"
import { PlanId } from "../../../schema/Ids.ts"
import type { Plan } from "../../../schema/plan/Plan.ts"
import { entryIssues } from "../../../src/domain/plan/DocumentIssues.ts"
import { fieldChanges, shownChanges, withoutEmpty } from "../../../src/domain/plan/FieldChanges.ts"
import { fillIn } from "../../../src/domain/plan/FillIn.ts"
import { planLines } from "../../../src/domain/plan/PlanText.ts"
import { thingKeys } from "../../../src/domain/plan/ThingKeys.ts"

const things = fc.uniqueArray(
  fc.record({
    id: fc.stringMatching(/^mon_[a-z0-9]{26}$/),
    name: fc.oneof(fc.constantFrom("Shop", "shop", "Shop 2", "API", "日本"), fc.string({ maxLength: 12 }))
  }),
  { selector: ({ id }) => id.slice(-6), maxLength: 12 }
)

describe("the issues of an entry", () => {
  it("name each field once, with all that it may be", () => {
    const Entry = Schema.Struct({
      type: Schema.Literal("email", "webhook", "slack"),
      name: Schema.String,
      port: Schema.NullOr(Schema.Int)
    })
    const found = Schema.decodeUnknownEither(Entry, { errors: "all", onExcessProperty: "error" })({
      type: "pigeon",
      port: "x",
      nmae: 1
    })
    const issues = entryIssues(Either.getOrThrow(Either.flip(found)))
    expect(issues).toHaveLength(4)
    expect(issues).toEqual(expect.arrayContaining([
      { path: "nmae", message: "Unknown field; did you mean name?" },
      { path: "type", message: "Expected one of \"email\", \"webhook\", \"slack\", got the text \"pigeon\"" },
      { path: "name", message: "Required" },
      { path: "port", message: "Expected a whole number or null, got the text \"x\"" }
    ]))
  })
})

describe("the keys of things", () => {
  it("name each thing, each by another key, and find it again", () => {
    fc.assert(fc.property(things, fc.nat(12), (all, linkedCount) => {
      const linked = new Map(all.slice(0, linkedCount).map(({ id }, at) => [id, `key-${at}`]))
      const { idOf, keyOf } = thingKeys(all, linked)
      const keys = all.map(({ id }) => keyOf.get(id) ?? "")
      expect(new Set(keys).size).toBe(all.length)
      expect(keys.map((key) => idOf.get(key))).toEqual(all.map(({ id }) => id))
      for (const [id, key] of linked) expect(keyOf.get(id)).toBe(key)
      for (const key of keys) expect(key).toMatch(/^[a-z0-9][a-z0-9_.-]{0,62}$/)
    }))
  })

  it("stay with their things when others of other names come and go", () => {
    fc.assert(fc.property(things, things, (some, others) => {
      const names = new Set(some.map(({ name }) => name.toLowerCase()))
      const strangers = others.filter(({ id, name }) =>
        !names.has(name.toLowerCase()) && /^[a-z]+$/.test(name) && !some.some((one) => one.id === id)
      )
      const alone = some.filter(({ name }) => /^[a-z]+$/.test(name))
      const before = thingKeys(alone, new Map())
      const after = thingKeys([...alone, ...strangers], new Map())
      for (const { id } of alone) expect(after.keyOf.get(id)).toBe(before.keyOf.get(id))
    }))
  })
})

const fields = fc.dictionary(fc.constantFrom("a", "b", "url", "headers", "body"), fc.jsonValue({ maxDepth: 2 }))

describe("the differences of two states", () => {
  it("are none for what means the same", () => {
    fc.assert(fc.property(fields, (state) => {
      expect(fieldChanges(state, JSON.parse(JSON.stringify(state)))).toEqual([])
      expect(fieldChanges(state, withoutEmpty(state))).toEqual([])
    }))
  })

  it("are none for a field that is called as a method of all objects is", () => {
    expect(fieldChanges({ headers: { toString: null } }, { headers: {} })).toEqual([])
    expect(fieldChanges({}, { constructor: "x" })).toEqual([{ path: "constructor", from: undefined, to: "x" }])
  })

  it("are some for what does not", () => {
    fc.assert(fc.property(fields, fields, (one, other) => {
      const isSame = JSON.stringify(sorted(withoutEmpty(one))) === JSON.stringify(sorted(withoutEmpty(other)))
      expect(fieldChanges(one, other).length === 0).toBe(isSame)
    }))
  })

  it("are one for an object that becomes something else", () => {
    expect(fieldChanges({ headers: {} }, { headers: " " })).toEqual([{ path: "headers", from: undefined, to: " " }])
    expect(fieldChanges({ headers: { a: "b" } }, { headers: 1 })).toHaveLength(1)
  })

  it("show no secret", () => {
    const shown = JSON.stringify(shownChanges(fieldChanges(
      { url: "https://user:hunter22@a.example/", headers: { authorization: "Bearer abc" }, token: "old-token" },
      {
        url: "https://a.example/?api_key=s3cr3t-value",
        headers: { authorization: "Bearer def", accept: "text/html" },
        token: "new-token"
      }
    )))
    for (const secret of ["hunter22", "abc", "def", "old-token", "new-token", "s3cr3t-value"]) expect(shown).not.toContain(secret)
    expect(shown).toContain("text/html")
  })
})

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, sorted(inner)]))
    : value

describe("a file filled in from the environment", () => {
  it("has each value in its place, names what is missing, and keeps what is escaped", () => {
    const { missing, value } = fillIn(
      { url: "https://${HOST}/x", list: ["${TOKEN}", 3, null], code: "`$${name}`" },
      { HOST: "a.example", TOKEN: "t${HOST}" }
    )
    expect([value, missing]).toEqual([{ url: "https://a.example/x", list: ["t${HOST}", 3, null], code: "`${name}`" }, []])
    expect(fillIn(["${A} ${B} ${A}"], { B: "" }).missing).toEqual(["A", "B"])
  })
})

describe("a plan in a terminal", () => {
  const plan: Plan = {
    id: PlanId.make("plan_1"),
    expiresAt: instant(0),
    appliedAt: null,
    create: 0,
    update: 1,
    delete: 0,
    unchanged: 2,
    changes: [{
      action: "update",
      kind: "monitor",
      key: "shop",
      id: "mon_1",
      name: "Shop\u001b[2J",
      fields: [{ path: "intervalSec", from: 60, to: 30 }]
    }],
    notes: []
  }

  it("says each change in a line, in colours only where they are wanted", () => {
    expect(planLines(plan, false)).toEqual([
      "~ monitor shop  Shop [2J",
      "    intervalSec: 60 -> 30",
      "0 to create, 1 to change, 0 to delete, 2 unchanged"
    ])
    expect(planLines(plan, true)[1]).toBe("    intervalSec: \u001b[31m60\u001b[0m -> \u001b[32m30\u001b[0m")
  })
})
