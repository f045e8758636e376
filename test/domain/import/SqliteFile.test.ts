/** Reading SQLite files: what SQLite wrote, and what nobody should have sent. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import * as fc from "fast-check"
import { isSqlite, sqliteTables } from "../../../src/domain/import/kuma/SqliteFile.ts"
import { kumaFile } from "../../support/services/KumaFile.ts"

const rowsOf = (bytes: Buffer, table: string) =>
  Either.match(sqliteTables(bytes, [table]), {
    onLeft: (why) => why,
    onRight: (tables) => tables.get(table) ?? []
  })

describe("an SQLite file", () => {
  it("gives the rows of a table over several pages, with the columns that were added later", () => {
    const rows = rowsOf(kumaFile, "monitor")
    expect(isSqlite(kumaFile)).toBe(true)
    expect(rows).toHaveLength(67)
    expect(rows[0]).toMatchObject({
      id: 1,
      name: "Site 1",
      interval: 60,
      maxretries: 2,
      active: 1,
      url: "https://site-1.acme.example/"
    })
    // Rows from before a column was added do not hold it.
    expect(rows[0]).toMatchObject({ parent: null, timeout: null })
    expect(rows[60]).toMatchObject({ id: 61, name: "Überwachung ✓", timeout: 24.5, active: 0 })
  })

  it("gives texts that overflow their page, and names in any quotes", () => {
    const rows = rowsOf(kumaFile, "monitor")
    expect(JSON.parse(String(typeof rows === "string" ? null : rows[60]?.["headers"]))).toEqual({ "x-long": "a".repeat(3500) })
    expect(rowsOf(kumaFile, "group")).toEqual([{ id: 1, name: "Core", status_page_id: 1, weight: 1 }])
  })

  it("has no rows for views and tables that do not exist", () => {
    expect(rowsOf(kumaFile, "endless")).toEqual([])
    expect(rowsOf(kumaFile, "nothing")).toEqual([])
  })

  it("is refused, and read to an end, whatever was changed in it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(kumaFile.length - 1), fc.nat(255)), { minLength: 1, maxLength: 40 }),
        fc.nat(kumaFile.length),
        (changes, length) => {
          const bytes = Buffer.from(kumaFile.subarray(0, length))
          for (const [at, value] of changes) if (at < length) bytes[at] = value
          const rows = rowsOf(bytes, "monitor")
          expect(typeof rows === "string" || rows.length <= 100_000).toBe(true)
        }
      ),
      { numRuns: 300 }
    )
  })

  it("is refused if its pages lead round in a circle", () => {
    const bytes = Buffer.from(kumaFile)
    // Every page of two or more says that it is inside the tree, and that page 2 is below it.
    for (let page = 1; page < bytes.length / 1024; page++) {
      bytes[page * 1024] = 0x05
      bytes.writeUInt32BE(2, page * 1024 + 8)
      bytes.writeUInt16BE(0, page * 1024 + 3)
    }
    expect(rowsOf(bytes, "notification")).toBe("The file is not a complete SQLite database")
  })
})
