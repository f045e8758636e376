import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { Language } from "../../../schema/page/Page.ts"
import { abandonedNote, abandonReasons } from "../../../src/domain/incident/AutomaticIncident.ts"
import { secondsOf, translateNote } from "../../../src/domain/incident/AutomaticNotes.ts"
import { failures } from "../../../src/domain/incident/ComponentOutage.ts"
import { durationInLanguage, wordsIn } from "../../../src/domain/page/Languages.ts"
import { durationText } from "../../../src/domain/tools/time/Duration.ts"
import { en } from "../../../src/domain/words/en.ts"

const languageOf = (language: Language) => ({ words: wordsIn(language), duration: durationInLanguage(language) })
const languages = fc.constantFrom(...Language.literals)
const names = fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 })

describe("The note of an automatic incident", () => {
  it.prop("can be translated into any language, whatever names it contains", [languages, names], ([language, name]) => {
    const noteLanguage = languageOf(language)
    for (const kind of ["investigating", "affectedToo", "recoveredAlone"] as const) {
      expect(translateNote(en[kind](name), noteLanguage)).toBe(noteLanguage.words[kind](name))
    }
    for (const status of failures) {
      expect(translateNote(en.fails[status](name), noteLanguage)).toBe(noteLanguage.words.fails[status](name))
    }
  })

  it("about a component that fails in another way has every language, too", () => {
    const noteOf = (language: Language) =>
      failures.map((status) => translateNote(en.fails[status]("Queue"), languageOf(language)))
    expect(noteOf("en")).toEqual(["Queue is degraded.", "Queue is partly down.", "Queue is down."])
    expect(noteOf("de")).toEqual([
      "Queue funktioniert nur eingeschränkt.",
      "Queue ist teilweise ausgefallen.",
      "Queue ist ausgefallen."
    ])
    const texts = Language.literals.flatMap(noteOf)
    expect(new Set(texts).size).toBe(texts.length)
  })

  it.prop(
    "formats the outage duration in the target language",
    [languages, names, fc.integer({ min: 0, max: 10_000_000 })],
    ([language, name, seconds]) => {
      const noteLanguage = languageOf(language)
      const lasted = durationText(seconds)
      expect(durationText(secondsOf(lasted))).toBe(lasted)
      expect(translateNote(en.recovered(name, lasted), noteLanguage)).toBe(
        noteLanguage.words.recovered(name, noteLanguage.duration(secondsOf(lasted)))
      )
    }
  )

  it("about maintenance or an incident without components has every language, too", () => {
    const german = languageOf("de")
    expect(translateNote(en.maintenanceStarted, german)).toBe("Die Wartung hat begonnen.")
    expect(translateNote(en.maintenanceCompleted, german)).toBe("Die Wartung ist abgeschlossen.")
    expect(translateNote(en.resolvedAfter("1 hour 2 minutes"), german)).toBe("Behoben nach 1 Std. 2 Min.")
  })

  it.prop(
    "says in the visitor's language that monitoring ended, and not what the team did",
    [languages, names, fc.constantFrom(...abandonReasons), fc.integer({ min: 1, max: 10_000_000 })],
    ([language, name, reason, seconds]) => {
      const noteLanguage = languageOf(language)
      const lasted = durationText(seconds)
      expect(translateNote(abandonedNote(name, reason, lasted), noteLanguage)).toBe(
        noteLanguage.words.monitoringEnded(name, noteLanguage.duration(secondsOf(lasted)))
      )
    }
  )

  it("is none if a person wrote it", () => {
    for (
      const note of ["The API recovered after we restarted it.", "We are investigating a problem with DNS. More at noon", ""]
    ) {
      expect(translateNote(note, languageOf("de"))).toBeNull()
    }
    expect(translateNote("Checkout recovered after 1 hour 2 minutes.", languageOf("de"))).toBe(
      "Checkout: nach 1 Std. 2 Min. behoben."
    )
  })
})
