/** Refusals in the words of a form: beside its fields, all together, and in plain words where it has no such field. */
import { describe, expect, it } from "@effect/vitest"
import { inForm, problemsOf } from "../../src/dashboard/frame/FormProblems.ts"
import { Refused } from "../../src/dashboard/frame/Refused.ts"
import type { ShownField } from "../../src/dashboard/frame/Visit.ts"

const refused = (message: string, issues: Refused["issues"] = []) =>
  new Refused({ operation: "x", status: 422, code: "validation_failed", message, hint: null, issues, retryAfterSec: null })

const field = (name: string, label: string, more: Partial<ShownField> = {}): ShownField => ({
  name,
  label,
  id: `f-${name}`,
  required: false,
  isEmpty: false,
  unit: null,
  ...more
})

const fields = [
  field("name", "Name", { required: true, isEmpty: true }),
  field("intervalSec", "Check every"),
  field("url", "Webhook URL"),
  field("levels.0.targets.0", "Page"),
  field("levels.3.targets.0", "Page"),
  field("timeoutMs", "Timeout")
]

const shown = (given: Refused) => problemsOf(given, fields).map(({ field, text }) => [field?.name ?? null, text])

describe("What is wrong with a form", () => {
  it("names all fields, in their order, with the required ones that are empty", () => {
    const given = refused("2 fields are invalid: timeoutMs, intervalSec", [
      { path: "timeoutMs", message: "`timeoutMs` must be at most `intervalSec`" },
      { path: "intervalSec", message: "Expected a whole number from 10 to 86400, got -7" }
    ])
    expect(shown(given)).toEqual([
      ["name", "This field is required."],
      ["intervalSec", "Enter a whole number from 10 to 86400."],
      ["timeoutMs", "“Timeout” must be at most “Check every”."]
    ])
  })

  it("says limits of durations as durations", () => {
    const issue = (message: string) => refused("1 field is invalid", [{ path: "waitSec", message }])
    const said = (message: string) => problemsOf(issue(message), [field("waitSec", "Wait", { unit: 1000 })])[0]?.text
    expect(said("Expected a whole number from 10 to 86400, got \"soon\"")).toBe("Enter a duration from 10 s to 1 day.")
    expect(said("Expected a number, got \"soon\"")).toBe("Enter a duration, such as 30 s or 5 min.")
    expect(said("At most 5400")).toBe("Enter 1 h 30 min or less.")
  })

  it("is found where the message alone names the field", () => {
    expect(shown(refused("url is required for slack channels"))[1]).toEqual(["url", "This field is required."])
    expect(shown(refused("url: Address is private"))[1]).toEqual(["url", "Address is private."])
  })

  it("keeps the names of formats", () => {
    const given = refused("1 field is invalid", [{ path: "url", message: "This is no iCalendar text" }])
    expect(shown(given)).toContainEqual(["url", "This is no iCalendar text."])
  })

  it("stands in plain words where the form has no such field", () => {
    const given = refused("The field failureRate.of is invalid", [{ path: "failureRate.ofRounds", message: "Required" }])
    expect(shown(given).at(-1)).toEqual([null, "Failure rate, of rounds: This field is required."])
  })

  it("leads to the row that has it, also where rows before it are empty", () => {
    const sent = [["levels.0.targets.0:target", "user/a"], ["levels.3.afterMinutes:number", "5"]] as const
    const given = inForm(
      refused("The field levels.1.targets is invalid", [{ path: "levels.1.targets", message: "Required" }]),
      sent
    )
    expect(given.issues).toEqual([{ path: "levels.3.targets", message: "Required" }])
    expect(shown(given)).toContainEqual(["levels.3.targets.0", "This field is required."])
  })

  it("keeps addresses and ordinary words as they are", () => {
    const given = refused("The host shop.example.com has no name or url", [{
      path: "url",
      message: "Nobody answers at shop.example.com by name"
    }])
    expect(shown(given)[1]).toEqual(["url", "Nobody answers at shop.example.com by name."])
  })
})
