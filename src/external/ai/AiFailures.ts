/** How a question to the AI provider fails. Apart from the provider, whose client is loaded only if one is configured. */
import { Unavailable } from "../../../schema/Errors.ts"

export const crowded = new Unavailable({
  message: "Too many AI texts are being written",
  hint: "Try again in a minute"
})

const unavailable = (message: string) => new Unavailable({ message, hint: "Try again in a minute, or go on without AI" })

export const noAnswer = unavailable("The AI provider did not answer within 30 s")
export const noSlot = unavailable("Other AI texts took longer than 30 s")
export const refused = unavailable("The AI provider refused to answer")
export const failed = unavailable("The AI provider failed")
export const paused = unavailable("The AI provider has failed repeatedly")
export const stopping = unavailable("The service is restarting")

/** Not by identity: inside a span, Effect fails with a proxy of the error. */
export const isFailure = (one: Unavailable) => (error: unknown): boolean =>
  error instanceof Unavailable && error.message === one.message

export const isNoAnswer = isFailure(noAnswer)
export const isRefused = isFailure(refused)

/** The provider has worked for a text that could not be used: its owner asked for it, or what the text is about made it so. */
export const hasWorked = (error: unknown): boolean => isNoAnswer(error) || isRefused(error)
