/** Bounds the answers to one POST: each message of a batch is answered, so a small batch of large reads has a large answer. */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import { ProtocolError } from "./ProtocolError.ts"

/** Characters of all answers together. */
const most = 2 * 1024 * 1024

const exceeded = new ProtocolError({
  code: ErrorCode.InvalidRequest,
  message: "The answers to this batch would be larger than 2 MiB; send fewer messages in one request"
})

/** The characters of all texts in an answer; its structure adds little. */
const lengthOf = (value: unknown): number =>
  typeof value === "string"
    ? value.length
    : typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, inner: unknown) => sum + lengthOf(inner), 0)
    : 8

/** Passes answers on, until they are too large together. The first one always passes. */
export const makeAnswerBudget = () => {
  let taken = 0
  return <A>(answer: A): Promise<A> => {
    const length = lengthOf(answer)
    if (taken > 0 && taken + length > most) return Promise.reject(exceeded)
    taken += length
    return Promise.resolve(answer)
  }
}
