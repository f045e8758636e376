/** How PostgreSQL reads an array's text. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { arrayText } from "../../../src/store/postgres/ArrayText.ts"
import { EmptyDatabase } from "../../support/database/TestDatabase.ts"

/** PostgreSQL stores no NUL; writers of text remove it. */
const text = fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0"))
const awkward = fc.constantFrom(
  "",
  "null",
  "NULL",
  "{}",
  "{a,b}",
  "\"",
  "\\",
  "\\\"",
  " a ",
  "a,b",
  "'",
  "\n",
  "\t\"\\\u0001\u007f",
  "\u{1f600} \"\\",
  JSON.stringify({ text: "a \"b\" \\ \n \u{1f600}" }),
  "chk_01",
  "2026-11-20T13:00:00.000Z"
)

describe("an array's text", () => {
  layer(EmptyDatabase)((it) => {
    it.effect("is read as the original values", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const lists = fc.sample(fc.array(fc.oneof(text, awkward, fc.constant(null))), 50)
        for (const values of lists) {
          const [row] = yield* sql<{ readonly read: unknown }>`select ${arrayText(values)}::text[] as read`
          expect(row?.read).toEqual(values)
        }
      }))

    it.effect("carries numbers, booleans and JSON", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const json = JSON.stringify({ body: "a \"b\" \\ {c}", dnsMs: null })
        const [row] = yield* sql`
          select ${arrayText([1.5, null, -2])}::real[] as reals, ${arrayText([true, false, null])}::boolean[] as flags,
            ${arrayText([json, null])}::json[] as json, ${arrayText([])}::int[] as none`
        expect(row).toEqual({ reals: [1.5, null, -2], flags: [true, false, null], json: [JSON.parse(json), null], none: [] })
      }))
  })
})
