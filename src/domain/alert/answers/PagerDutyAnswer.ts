/** Answers of PagerDuty's Events API (https://developer.pagerduty.com/docs/events-api-v2-overview#response-codes--retry-logic). */
import { textAt } from "../../import/Loose.ts"
import { fieldsOf, type ReadAnswer, wordsOf } from "./ServiceAnswer.ts"

const keyRefused =
  "PagerDuty does not accept the routing key; check that token is the integration key of an Events API v2 integration, " +
  "and for an account in the EU set url to https://events.eu.pagerduty.com"

export const readPagerDuty: ReadAnswer = (answer) => {
  const { statusCode } = answer
  if (statusCode < 400) return {}
  const fields = fieldsOf(answer)
  const words = wordsOf(textAt(fields, "message"), fields["errors"] ?? fields["error"])
  const isOfKey = [401, 403, 404].includes(statusCode) ||
    (statusCode === 400 && /(?:routing|integration|service)[ _]?key/i.test(words ?? ""))
  return isOfKey ? { meaning: keyRefused, words, fate: "gone" } : { words }
}
