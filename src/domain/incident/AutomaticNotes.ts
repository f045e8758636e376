/** Translates the notes that the service writes, which are stored in English, into the visitor's language. */
import { durationText } from "../Duration.ts"
import { en } from "../words/en.ts"
import type { Words } from "../words/Words.ts"

export interface NoteLanguage {
  readonly words: Words
  /** Formats a duration in seconds. */
  readonly duration: (seconds: number) => string
}

const blank = "\0"

/** Matches an English sentence with any names; each blank becomes a group. */
const matching = (sentence: string): RegExp =>
  new RegExp(`^${sentence.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(blank, "(.+)")}$`, "s")

const unitSeconds: Readonly<Record<string, number>> = { day: 86_400, hour: 3_600, minute: 60, second: 1 }

/** Parses a text of `durationText` back into seconds. */
export const secondsOf = (text: string): number =>
  [...text.matchAll(/(\d{1,9}) (day|hour|minute|second)/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (unitSeconds[unit] ?? 0),
    0
  )

/** True only for a duration in the format of `durationText`; otherwise a note that a person wrote could be translated. */
const isDuration = (text: string): boolean => durationText(secondsOf(text)) === text

type Translate = (language: NoteLanguage, first: string, second: string) => string | null

const notes: ReadonlyArray<readonly [RegExp, Translate]> = [
  [
    matching(en.recovered(blank, blank)),
    ({ duration, words }, names, lasted) => isDuration(lasted) ? words.recovered(names, duration(secondsOf(lasted))) : null
  ],
  [matching(en.investigating(blank)), ({ words }, names) => words.investigating(names)],
  [matching(en.investigatingAlone), ({ words }) => words.investigatingAlone],
  [matching(en.affectedToo(blank)), ({ words }, name) => words.affectedToo(name)],
  [matching(en.recoveredAlone(blank)), ({ words }, name) => words.recoveredAlone(name)],
  [
    matching(en.resolvedAfter(blank)),
    ({ duration, words }, lasted) => isDuration(lasted) ? words.resolvedAfter(duration(secondsOf(lasted))) : null
  ],
  [
    matching(en.maintenanceSoon(blank)),
    ({ duration, words }, left) => isDuration(left) ? words.maintenanceSoon(duration(secondsOf(left))) : null
  ],
  [matching(en.maintenancePlanned), ({ words }) => words.maintenancePlanned],
  [matching(en.maintenanceStarted), ({ words }) => words.maintenanceStarted],
  [matching(en.maintenanceCompleted), ({ words }) => words.maintenanceCompleted]
]

/** The note in another language; unchanged if the service did not write it. */
export const translateNote = (note: string, language: NoteLanguage): string => {
  for (const [sentence, translate] of notes) {
    const match = sentence.exec(note)
    if (match !== null) return translate(language, match[1] ?? "", match[2] ?? "") ?? note
  }
  return note
}
