/** Translates the notes that the service writes, which are stored in English, into the visitor's language. */
import { durationText } from "../tools/time/Duration.ts"
import { en, type Words } from "../words/en.ts"
import { abandonedNote, abandonReasons } from "./AutomaticIncident.ts"
import { failures } from "./ComponentOutage.ts"

interface NoteLanguage {
  readonly words: Words
  readonly duration: (seconds: number) => string
}

/** The public form of the names in a note; null if there is none. */
interface NoteNames {
  /** The text of a note about everything that is affected. */
  readonly everything: (names: string) => string | null
  /** The text of a note about the components that it names. */
  readonly some: (names: string) => string | null
}

const asWritten: NoteNames = { everything: (names) => names, some: (names) => names }

const blank = "\0"

/** Matches an English sentence with any names; each blank becomes a group. */
const matching = (sentence: string): RegExp =>
  new RegExp(`^${sentence.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(blank, "(.+)")}$`, "s")

const unitSeconds: Readonly<Record<string, number>> = { day: 86_400, hour: 3_600, minute: 60, second: 1 }

export const secondsOf = (text: string): number =>
  [...text.matchAll(/(\d{1,9}) (day|hour|minute|second)/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (unitSeconds[unit] ?? 0),
    0
  )

/** True only for a duration in the format of `durationText`; otherwise a note that a person wrote could be translated. */
const isDuration = (text: string): boolean => durationText(secondsOf(text)) === text

type Translate = (
  language: NoteLanguage & { readonly names: NoteNames },
  first: string,
  second: string
) => string | null

/** For a component unknown to visitors, the note says only that someone investigates. */
const aboutOne = (sentence: (words: Words) => (name: string) => string): Translate => ({ names, words }, name) => {
  const known = names.some(name)
  return known === null ? words.investigatingAlone : sentence(words)(known)
}

const eachOrEverything = ({ everything, some }: NoteNames, list: string): string | null => some(list) ?? everything(list)

/** The end of an incident: for names unknown to visitors, the note says only how long it lasted. */
const aboutEnd = (
  knownOf: (names: NoteNames, list: string) => string | null,
  sentence: (words: Words) => (names: string, time: string) => string
): Translate =>
({ duration, names, words }, list, lasted) => {
  if (!isDuration(lasted)) return null
  const known = knownOf(names, list)
  const time = duration(secondsOf(lasted))
  return known === null ? words.resolvedAfter(time) : sentence(words)(known, time)
}

const aboutTime = (sentence: (words: Words) => (time: string) => string): Translate => ({ duration, words }, time) =>
  isDuration(time) ? sentence(words)(duration(secondsOf(time))) : null

/** Visitors read that monitoring ended, and not why. */
const aboutAbandoned = aboutEnd(eachOrEverything, ({ monitoringEnded }) => monitoringEnded)

type Note = readonly [RegExp, Translate]

const notes: ReadonlyArray<Note> = [
  [
    matching(en.recovered(blank, blank)),
    aboutEnd(({ everything }, list) => everything(list), ({ recovered }) => recovered)
  ],
  [matching(en.investigating(blank)), ({ names, words }, list) => {
    const known = eachOrEverything(names, list)
    return known === null ? words.investigatingAlone : words.investigating(known)
  }],
  [matching(en.investigatingAlone), ({ words }) => words.investigatingAlone],
  [matching(en.affectedToo(blank)), aboutOne(({ affectedToo }) => affectedToo)],
  [matching(en.recoveredAlone(blank)), aboutOne(({ recoveredAlone }) => recoveredAlone)],
  ...failures.map((status): Note => [matching(en.fails[status](blank)), aboutOne(({ fails }) => fails[status])]),
  ...abandonReasons.map((reason): Note => [matching(abandonedNote(blank, reason, blank)), aboutAbandoned]),
  [matching(en.resolvedAfter(blank)), aboutTime(({ resolvedAfter }) => resolvedAfter)],
  [matching(en.maintenanceSoon(blank)), aboutTime(({ maintenanceSoon }) => maintenanceSoon)],
  [matching(en.maintenancePlanned), ({ words }) => words.maintenancePlanned],
  [matching(en.maintenanceStarted), ({ words }) => words.maintenanceStarted],
  [matching(en.maintenanceCompleted), ({ words }) => words.maintenanceCompleted]
]

/** The note in another language, with the names that visitors may read; null if it is none of the service's sentences. */
export const translateNote = (note: string, language: NoteLanguage, names: NoteNames = asWritten): string | null => {
  for (const [sentence, translate] of notes) {
    const match = sentence.exec(note)
    if (match !== null) return translate({ ...language, names }, match[1] ?? "", match[2] ?? "")
  }
  return null
}
