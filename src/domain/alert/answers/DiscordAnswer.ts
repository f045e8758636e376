/** Answers of Discord's webhooks (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json). */
import { entryOf, flagAt, textAt } from "../../import/Loose.ts"
import { type Fate, fieldsOf, type ReadAnswer, type ServiceAnswer, waitIn, wordsOf } from "./ServiceAnswer.ts"

const forum =
  "The webhook is of a forum, where each message needs a thread; use a webhook of a text channel, or add ?thread_id= to url"

/** By Discord's error code. */
const refusals: Readonly<Record<string, readonly [means: string, fate: Fate]>> = {
  10003: ["The Discord channel was deleted; create a webhook in another one", "gone"],
  10004: ["The Discord server was deleted, or has left; create a webhook in another one", "gone"],
  10013: ["Discord does not know this person", "gone"],
  10015: ["Discord does not know this webhook; create a new one", "gone"],
  50027: ["The token in the webhook's URL is wrong; copy the URL again", "gone"],
  50001: ["Discord does not let this webhook post in the channel; check its permissions", "gone"],
  50013: ["Discord does not let this webhook post in the channel; check its permissions", "gone"],
  50007: [
    "Discord lets the bot write to this person no more: they share no server with it, take no direct messages there, or have blocked it",
    "gone"
  ],
  50033: ["Discord does not know this person", "gone"],
  50083: ["The thread is archived; reopen it, or remove thread_id from url", "gone"],
  160005: ["The thread is locked; unlock it, or remove thread_id from url", "gone"],
  220001: [forum, "gone"],
  220002: [forum, "gone"],
  220003: [forum, "gone"],
  220004: [forum, "gone"],
  40004: ["Discord has switched sending messages off for a while", "retry"],
  20016: ["The channel has slow mode on", "retry"],
  20028: ["Discord limits how often may be posted in this channel", "retry"],
  20029: ["Discord limits how often may be posted in this server", "retry"],
  50035: ["Discord refuses the message", "final"],
  200000: ["The server's AutoMod blocks the message", "final"],
  200001: ["The server's AutoMod blocks the message", "final"]
}

export const readDiscord: ReadAnswer = (answer) => {
  if (answer.statusCode < 400) return {}
  const fields = fieldsOf(answer)
  const message = textAt(fields, "message")
  if (answer.statusCode === 429) {
    const everywhere = { meaning: "Discord limits how often this server may post to all webhooks" }
    return { ...(flagAt(fields, "global") ? everywhere : {}), words: message, ...waitIn(fields) }
  }
  if (message === null) return answer.statusCode === 404 || answer.statusCode === 401 ? { fate: "gone" } : {}
  const words = wordsOf(message, fields["errors"])
  const [meaning, fate] = entryOf(refusals, textAt(fields, "code") ?? "") ?? []
  return meaning === undefined || fate === undefined ? { words } : { meaning, words, fate }
}

const personCodes: ReadonlySet<string> = new Set(["10013", "50007", "50033"])

/** Whether an answer is about the person that a message goes to, not about the application. */
export const saysUserIsGone = (answer: ServiceAnswer): boolean => personCodes.has(textAt(fieldsOf(answer), "code") ?? "")
