import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import { formBody, listText } from "../../src/dashboard/frame/FormBody.ts"

describe("The fields of a form", () => {
  it("become the arguments of a call: paths, numbers, lists, pairs, and what clears a value", () => {
    expect(formBody([
      ["_form", "x"],
      ["name", "Shop"],
      ["intervalSec:number", "60"],
      ["quietHours.days:numbers", ""],
      ["quietHours.days:numbers", "0"],
      ["quietHours.days:numbers", "4"],
      ["emails:list", "a@x.com, b@x.com\nc@x.com"],
      ["headers:pairs", "authorization: Bearer a:b\nx"],
      ["theme.mode:text?", ""],
      ["note", ""]
    ])).toEqual({
      name: "Shop",
      intervalSec: 60,
      quietHours: { days: [0, 4] },
      emails: ["a@x.com", "b@x.com", "c@x.com"],
      headers: { authorization: "Bearer a:b", x: "" },
      theme: { mode: null }
    })
  })

  it("give the texts of a list back, also those with a comma", () => {
    const texts = ["Acme, Inc.", "Acme", "5\" disk", "a b"]
    expect(listText(texts)).toBe(`"Acme, Inc.", Acme, 5" disk, a b`)
    expect(formBody([["terms:list", listText(texts)]])).toEqual({ terms: texts })
    expect(formBody([["terms:list", ` "x" ,, y\n"z, w"`]])).toEqual({ terms: ["x", "y", "z, w"] })
  })

  it("close the gaps of removed rows, and leave rows out that are empty", () => {
    expect(formBody([
      ["levels.0.afterMinutes:number", "0"],
      ["levels.0.targets.0:target", ""],
      ["levels.0.targets.1:target", "schedule/sch_1"],
      ["levels.3.afterMinutes:number", "10"],
      ["levels.3.targets.0:target", "user/usr_1"],
      ["levels.4.afterMinutes:number", ""],
      ["levels.4.targets.0:target", ""]
    ])).toEqual({
      levels: [
        { afterMinutes: 0, targets: [{ type: "schedule", id: "sch_1" }] },
        { afterMinutes: 10, targets: [{ type: "user", id: "usr_1" }] }
      ]
    })
  })

  it("read a local time in its zone, also where clocks change", () => {
    const at = (zone: string, text: string) => formBody([[`start:moment@${zone}`, text]])["start"]
    expect(at("Europe/Athens", "2026-11-22T09:30")).toBe("2026-11-22T07:30:00.000Z")
    // 02:30 does not exist on this day; 03:30 summer time is the same moment as 02:30 winter time.
    expect(at("Europe/Berlin", "2026-03-29T02:30")).toBe("2026-03-29T01:30:00.000Z")
    // 02:30 happens twice; the first counts.
    expect(at("Europe/Berlin", "2026-10-25T02:30")).toBe("2026-10-25T00:30:00.000Z")
    expect(at("UTC", "soon")).toBe("soon")
  })

  it("give each moment back that a field shows", () => {
    const instant = fc.date({ min: new Date("2000-01-01"), max: new Date("2060-01-01"), noInvalidDate: true })
    fc.assert(fc.property(instant, fc.constantFrom("UTC", "Europe/Athens", "America/St_Johns", "Pacific/Apia"), (date, zone) => {
      const minute = new Date(Math.floor(date.getTime() / 60_000) * 60_000)
      const shown = DateTime.formatIsoOffset(DateTime.unsafeMakeZoned(minute, { timeZone: zone })).slice(0, 16)
      const read = new Date(String(formBody([[`start:moment@${zone}`, shown]])["start"]))
      // Of two moments that a clock shows alike, the first is given back.
      expect([0, 3_600_000]).toContain(minute.getTime() - read.getTime())
    }))
  })
})
