import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { Language } from "../../../schema/page/Page.ts"
import { durationText } from "../../../src/domain/Duration.ts"
import { secondsOf, translateNote } from "../../../src/domain/incident/AutomaticNotes.ts"
import { wordsIn } from "../../../src/domain/page/Languages.ts"
import { en } from "../../../src/domain/words/en.ts"
import { makeFormats } from "../../../src/pages/Formats.ts"

const languageOf = (language: Language) => ({ words: wordsIn(language), duration: makeFormats(language, "UTC").duration })
const languages = fc.constantFrom(...Language.literals)
const names = fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 })

describe("The note of an automatic incident", () => {
  it.prop("can be translated into any language, whatever names it contains", [languages, names], ([language, name]) => {
    const noteLanguage = languageOf(language)
    for (const kind of ["investigating", "affectedToo", "recoveredAlone"] as const) {
      expect(translateNote(en[kind](name), noteLanguage)).toBe(noteLanguage.words[kind](name))
    }
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
