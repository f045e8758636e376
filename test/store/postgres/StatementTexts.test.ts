/** A kept text is the one that the library makes of the same statement. */
import { Statement } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { makeStatementTexts } from "../../../src/store/postgres/StatementTexts.ts"

const sql = Statement.make(Effect.dieMessage("Nothing is run"), PgClient.makeCompiler(), [], undefined)

/** The parts of a statement that vary: parameters, fragments of one or several parts, lists, and what is written out of its values. */
const part = fc.oneof(
  fc.record({ kind: fc.constant("parameter" as const), value: fc.oneof(fc.string(), fc.integer(), fc.constant(null)) }),
  fc.record({ kind: fc.constant("literal" as const), value: fc.constantFrom("a", "b", "$1") }),
  fc.record({ kind: fc.constant("nested" as const), value: fc.string() }),
  fc.record({ kind: fc.constant("list" as const), value: fc.array(fc.integer(), { minLength: 1, maxLength: 3 }) })
)

const written = ({ kind, value }: { readonly kind: string; readonly value: unknown }): unknown => {
  if (kind === "literal") return sql.literal(String(value))
  if (kind === "nested") return sql`(b = ${value} or c = ${value})`
  return Array.isArray(value) ? sql.in(value) : value
}

describe("the text of a statement", () => {
  it("is the library's, whatever its template made before", () => {
    fc.assert(fc.property(fc.array(fc.tuple(part, part), { minLength: 1, maxLength: 20 }), (uses) => {
      const stepFrom = makeStatementTexts()
      const template = Object.assign(["select ", " where ", " limit 1"], { raw: ["select ", " where ", " limit 1"] })
      for (const [one, other] of uses) {
        const make = () => sql(template, written(one), written(other))
        const [text, values] = make().compile()
        expect(stepFrom(template, make())).toEqual({ text, values })
      }
    }))
  })
})
