/** Slack's Web API, with the bot token of an app (https://docs.slack.dev/apis/web-api). */
import { Effect } from "effect"
import { fieldsOf } from "../../domain/alert/answers/ServiceAnswer.ts"
import { readSlackApi, saysMemberIsGone } from "../../domain/alert/answers/SlackApiAnswer.ts"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import { withSlackButtons } from "../../domain/chat/SlackButtons.ts"
import { recordOf, textAt } from "../../domain/import/Loose.ts"
import { ChannelAddresses } from "../alert/ChannelAddresses.ts"
import { deliveryHeaders, postAndRead, postDelivery, withFields } from "../alert/PostDelivery.ts"

interface Call {
  readonly method: string
  readonly botToken: string
  readonly body: string
  readonly contentType: string
  readonly timeoutMs: number
}

/** More than a profile with its pictures takes. */
const profileBytes = 32_768

const meanings: Readonly<Record<number, string>> = { 429: "Slack limits how often the app may post" }

const call = ({ body, botToken, contentType, method, timeoutMs }: Call) =>
  Effect.flatMap(ChannelAddresses, ({ slack: base }) =>
    postAndRead({
      url: new URL(`${base}/${method}`),
      headers: { ...deliveryHeaders, "content-type": contentType, authorization: `Bearer ${botToken}` },
      body,
      timeoutMs
    }, { meanings, read: readSlackApi, secrets: [botToken], keep: profileBytes }))

interface SlackMessage {
  /** The id of a channel, or of a member for a direct message. */
  readonly channel: string
  readonly body: string
  readonly timeoutMs: number
}

interface SlackApp {
  readonly botToken: string
  /** By which presses of buttons are believed; null if the messages have none. */
  readonly appSecret: string | null
}

const post = ({ appSecret, botToken }: SlackApp, { body, channel, timeoutMs }: SlackMessage) =>
  call({
    method: "chat.postMessage",
    botToken,
    body: withFields(appSecret === null ? body : withSlackButtons(body), { channel }),
    contentType: "application/json; charset=utf-8",
    timeoutMs
  })

/** Posts a message to a channel in the name of the app. */
export const postSlackMessage = (app: SlackApp, message: SlackMessage) => Effect.map(post(app, message), ({ answer }) => answer)

/** The same to a member. A fault of the app ends with the app's fault; only that of the member ends the way to them. */
export const writeToSlackMember = (app: SlackApp, message: SlackMessage) =>
  Effect.map(
    post(app, message),
    ({ answer, said }) =>
      answer._tag === "Answered" && answer.fate === "gone" && said !== null && !saysMemberIsGone(said)
        ? Answer.Answered({ ...answer, fate: "final" })
        : answer
  )

/** The member with this email address. Fails with why there is none. */
export const findSlackMember = Effect.fn("SlackApi.findMember")(function*(botToken: string, email: string) {
  const { answer, said } = yield* call({
    method: "users.lookupByEmail",
    botToken,
    body: new URLSearchParams({ email }).toString(),
    contentType: "application/x-www-form-urlencoded",
    timeoutMs: 10_000
  })
  const member = said === null ? null : textAt(recordOf(fieldsOf(said)["user"]), "id")
  if (member !== null) return member
  return yield* Effect.fail(
    answer._tag === "Answered"
      ? answer.meaning ?? "Slack does not find the member"
      : "reason" in answer
      ? answer.reason
      : "Slack did not answer"
  )
})

/** Answers the press of a button: in the message, or to the presser only. */
export const answerSlack = (url: string, message: object, timeoutMs: number) =>
  postDelivery({ url: new URL(url), headers: deliveryHeaders, body: JSON.stringify(message), timeoutMs })
