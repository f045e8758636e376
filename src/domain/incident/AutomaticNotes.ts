/** The notes of automatic incidents, which are stored in English, told again in another language. */
import { durationText } from "../Duration.ts"
import { en } from "../words/en.ts"
import type { Words } from "../words/Words.ts"

export interface Teller {
  readonly words: Words
  /** Of seconds, as its language writes them. */
  readonly duration: (seconds: number) => string
}

const blank = "\0"

/** Fits what the English sentence says of anything; each blank is a group. */
const fitting = (sentence: string): RegExp =>
  new RegExp(`^${sentence.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(blank, "(.+)")}$`, "s")

const unitSeconds: Readonly<Record<string, number>> = { day: 86_400, hour: 3_600, minute: 60, second: 1 }

/** What `durationText` was given. */
export const secondsOf = (text: string): number =>
  [...text.matchAll(/(\d+) (day|hour|minute|second)/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (unitSeconds[unit] ?? 0),
    0
  )

/** A length of time as `durationText` writes it, and nothing else, so that what people wrote stays theirs. */
const isDuration = (text: string): boolean => durationText(secondsOf(text)) === text

type Retold = (teller: Teller, first: string, second: string) => string | null

const notes: ReadonlyArray<readonly [RegExp, Retold]> = [
  [
    fitting(en.recovered(blank, blank)),
    ({ duration, words }, names, lasted) => isDuration(lasted) ? words.recovered(names, duration(secondsOf(lasted))) : null
  ],
  [fitting(en.investigating(blank)), ({ words }, names) => words.investigating(names)],
  [fitting(en.affectedToo(blank)), ({ words }, name) => words.affectedToo(name)],
  [fitting(en.recoveredAlone(blank)), ({ words }, name) => words.recoveredAlone(name)]
]

/** The note in the teller's language; as it is where it is none of ours. */
export const retell = (note: string, teller: Teller): string => {
  for (const [sentence, told] of notes) {
    const match = sentence.exec(note)
    if (match !== null) return told(teller, match[1] ?? "", match[2] ?? "") ?? note
  }
  return note
}
