/** Findings of `belltower doctor` about the surroundings of a process. */
import { Either } from "effect"

export interface Seen {
  readonly state: "ok" | "warning" | "failed" | "skipped"
  /** The subject and the finding; for `skipped`, the reason. */
  readonly found: string
  /** Advice to the operator; null if there is nothing to do. */
  readonly advice: string | null
}

/** A finding with the name of its check. */
export interface Diagnosis extends Seen {
  readonly check: string
}

export const fine = (found: string): Seen => ({ state: "ok", found, advice: null })
export const skipped = (found: string): Seen => ({ state: "skipped", found, advice: null })
export const warning = (found: string, advice: string): Seen => ({ state: "warning", found, advice })
export const failed = (found: string, advice: string): Seen => ({ state: "failed", found, advice })

/** Ends a check: what is wrong; or, if nothing is, what is well. */
export const orFine = (wrong: ReadonlyArray<Seen>, found: string): ReadonlyArray<Seen> => wrong.length > 0 ? wrong : [fine(found)]

const countOf = (all: ReadonlyArray<Diagnosis>, state: Seen["state"]): number => all.filter((one) => one.state === state).length

/** 0: all is well; 1: something failed; 2: there are only warnings. */
export const doctorCode = (all: ReadonlyArray<Diagnosis>): 0 | 1 | 2 =>
  countOf(all, "failed") > 0 ? 1 : countOf(all, "warning") > 0 ? 2 : 0

/** A line for each finding, one with the advice below it, and the sum. */
export const diagnosisLines = (all: ReadonlyArray<Diagnosis>): ReadonlyArray<string> => {
  const width = Math.max(0, ...all.map(({ check }) => check.length))
  return [
    ...all.flatMap(({ advice, check, found, state }) => [
      `${state.padEnd(7)}  ${check.padEnd(width)}  ${found}`,
      ...(advice === null ? [] : [`${" ".repeat(9)}${" ".repeat(width)}  -> ${advice}`])
    ]),
    "",
    `Failed: ${countOf(all, "failed")}, warnings: ${countOf(all, "warning")}, ok: ${countOf(all, "ok")}, skipped: ${
      countOf(all, "skipped")
    }`
  ]
}

const mostWords = 400

/** The text in one line, without these secrets, which servers and drivers may repeat. */
export const withoutSecrets = (text: string, secrets: ReadonlyArray<string>, mask: string): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, mask), text).replace(/\p{Cc}+/gu, " ").trim().slice(0, mostWords)

/** The secrets inside settings: the values, and the password of each that is a URL, as it is written and as it is meant. */
export const secretTexts = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.flatMap((value) => {
    const [, sent = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^:/?#@]*:([^/?#]*)@/i.exec(value) ?? []
    const meant = Either.getOrElse(Either.try(() => decodeURIComponent(sent)), () => sent)
    return [value, sent, meant].filter((text) => text.length > 3)
  }).sort((one, other) => other.length - one.length)
