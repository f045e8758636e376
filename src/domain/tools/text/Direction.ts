/** Text that is written from right to left, among text that is not (Unicode Standard Annex 9). */

/** Hebrew, Arabic, Syriac, Thaana, N'Ko and the other scripts from there to U+08FF, their presentation forms, and those beyond U+FFFF. */
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]|[\uD802\uD803\uD83A\uD83B][\uDC00-\uDFFF]/

export const isRightToLeft = (text: string): boolean => rightToLeft.test(text)

const begin = "\u2068"
const end = "\u2069"

/** Signs that change the direction of what follows them. */
const controls = /[\u202A-\u202E\u2066-\u2069]/g

/** Whether a text is a sentence whose names are isolated. */
const hasIsolates = (text: string): boolean => text.split(begin).length === text.split(end).length

/** Ends the isolates that a cut has left open. */
export const withIsolatesEnded = (text: string): string =>
  text + end.repeat(Math.max(0, text.split(begin).length - text.split(end).length))

/** A name as part of a sentence of plain text: it keeps its own direction, and so does the sentence. */
export const isolated = (name: string): string =>
  isRightToLeft(name) ? begin + (hasIsolates(name) ? name : name.replace(controls, "")) + end : name
