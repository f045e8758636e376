/** The status codes an http monitor accepts, written as codes and ranges separated by commas. */
import { Either } from "effect"

/** Accepted codes, `from` and `to` inclusive. */
interface StatusRange {
  readonly from: number
  readonly to: number
}

const form = /^([1-9]\d\d)(?:\s*-\s*([1-9]\d\d))?$/

const parsePart = (part: string): Either.Either<StatusRange, string> => {
  const match = form.exec(part.trim())
  if (match === null) {
    return Either.left(`"${part.trim()}" is not a status code (100-999) or a range; use for example 200-299 or 200,204`)
  }
  const from = Number(match[1])
  const to = Number(match[2] ?? match[1])
  return from <= to ? Either.right({ from, to }) : Either.left(`"${part.trim()}" is reversed; use ${to}-${from}`)
}

/** Parses text such as `200-299,304`; the left side describes the error. */
export const parseExpectedStatus = (text: string): Either.Either<ReadonlyArray<StatusRange>, string> =>
  Either.all(text.split(",").map(parsePart))

export const acceptsStatus = (ranges: ReadonlyArray<StatusRange>, status: number): boolean =>
  ranges.some(({ from, to }) => from <= status && status <= to)
