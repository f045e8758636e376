/** Answers of Opsgenie's alert API (https://docs.opsgenie.com/docs/response). */
import { textAt } from "../../import/Loose.ts"
import { fieldsOf, type ReadAnswer, wordsOf } from "./ServiceAnswer.ts"

export const readOpsgenie: ReadAnswer = (answer) => {
  const { statusCode } = answer
  if (statusCode < 400) return {}
  const fields = fieldsOf(answer)
  const words = wordsOf(textAt(fields, "message"), fields["errors"])
  return [401, 402, 403, 404, 410].includes(statusCode) ? { words, fate: "gone" } : { words }
}
