/** Which migrations a version runs on a database, and on which databases it refuses to start. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { type AppliedMigration, type KnownMigration, planMigrations } from "../../../src/domain/health/MigrationPlan.ts"

const name = (number: number) => `${String(number).padStart(4, "0")}_m${number}`
const known = (...numbers: ReadonlyArray<number>): ReadonlyArray<KnownMigration> =>
  numbers.map((number) => ({ name: name(number), checksum: `sum of ${number}` }))
const applied = (appliedBy: number, ...numbers: ReadonlyArray<number>): ReadonlyArray<AppliedMigration> =>
  known(...numbers).map((one) => ({ ...one, appliedBy: name(appliedBy) }))

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 9999 }), { maxLength: 30 })

describe("the plan of migrations", () => {
  it("runs all that are missing in the order of their numbers, whatever the newest applied one is", () => {
    fc.assert(fc.property(numbers, numbers, (had, others) => {
      const all = [...new Set([...had, ...others])]
      const plan = planMigrations(known(...all), applied(1, ...had))
      const missing = all.filter((number) => !had.includes(number)).sort((a, b) => a - b)
      expect(plan).toEqual({ _tag: "Proceed", pending: missing.map(name), warning: null })
    }))
  })

  it("refuses a migration that has changed", () => {
    fc.assert(fc.property(numbers.filter((all) => all.length > 0), (all) => {
      const [first, ...rest] = applied(1, ...all)
      const plan = planMigrations(known(...all), [{ ...first!, checksum: "of other statements" }, ...rest])
      expect(plan).toMatchObject({ _tag: "Refuse", message: expect.stringContaining(first!.name) })
    }))
  })

  it("lets the version before run, with a warning, until the upgrade after the next", () => {
    const before = applied(2, 1, 2)
    expect(planMigrations(known(1, 2), [...before, ...applied(4, 3, 4)])).toMatchObject({
      _tag: "Proceed",
      pending: [],
      warning: expect.stringMatching(/newer version.*0003_m3, 0004_m4/)
    })
    // Also if a migration of the newer version has a lower number.
    expect(planMigrations(known(1, 3), [...applied(3, 1, 3), ...applied(4, 2, 4)])).toMatchObject({ _tag: "Proceed" })
    expect(planMigrations(known(1, 2), [...before, ...applied(3, 3), ...applied(4, 4)])).toMatchObject({
      _tag: "Refuse",
      message: expect.stringContaining("migrated by a newer version")
    })
  })

  it("refuses a database that a newer version created", () => {
    expect(planMigrations(known(1, 2), applied(3, 1, 2, 3))).toMatchObject({
      _tag: "Refuse",
      message: expect.stringMatching(/newer version.*0003_m3.*Install that version/)
    })
  })

  it("refuses a database that lacks some of its migrations and has others", () => {
    expect(planMigrations(known(1, 2, 4), [...applied(2, 1, 2), ...applied(3, 3)])).toMatchObject({ _tag: "Refuse" })
  })
})
