/** Answers of ntfy: JSON with the error and a link to its explanation (https://docs.ntfy.sh/publish/#limitations). */
import { textAt } from "../../import/Loose.ts"
import { fieldsOf, type ReadAnswer } from "./ServiceAnswer.ts"

export const readNtfy: ReadAnswer = (answer) => {
  const { statusCode } = answer
  if (statusCode < 400) return {}
  const fields = fieldsOf(answer)
  const [error, link] = [textAt(fields, "error"), textAt(fields, "link")]
  const words = error !== null && link !== null ? `${error}; see ${link}` : error
  // Of other faults the message is the cause, not the channel.
  const isOfChannel = [401, 403, 404, 410].includes(statusCode) || (statusCode === 400 && /topic/i.test(error ?? ""))
  return isOfChannel ? { words, fate: "gone" } : { words }
}
