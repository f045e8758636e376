/** Texts and calls by Twilio's API (https://www.twilio.com/docs/usage/api), or a service that is compatible with it. */
import { Effect, Redacted, Struct } from "effect"
import { fieldsOf, type ReadAnswer } from "../../../domain/alert/answers/ServiceAnswer.ts"
import { numberAt, recordsOf, textAt } from "../../../domain/import/Loose.ts"
import { askingTwiml, tellingTwiml } from "../../../domain/paging/SpokenPage.ts"
import { EgressGuard } from "../../../egress/EgressGuard.ts"
import { postAndRead } from "../../alert/PostDelivery.ts"
import type { PhoneMessage, PhoneProvider } from "./PhoneProvider.ts"

export interface TwilioSettings {
  readonly accountSid: string
  readonly authToken: Redacted.Redacted
  /** A number (E.164), a messaging service (`MG...`) or a name that networks show; the last two only text. */
  readonly from: string
  /** The number that calls; null for `from`. */
  readonly caller: string | null
  /** The base address of the API, without a slash at the end. */
  readonly url: string
}

/** Seconds that a phone rings, before most answering machines take the call, and that a call lasts. */
const ringsSec = 25
const callSec = 180

/** A text that could not be handed over for so long, in seconds, is not sent any more. */
const textSec = 3600

const isNumber = (from: string): boolean => from.startsWith("+")

const callerOf = ({ caller, from }: TwilioSettings): string | null => caller ?? (isNumber(from) ? from : null)

/** The texts to a number among which a page is looked for, and the bytes that a list of them takes. */
const foundTexts = 20
const foundBytes = 65_536

/** The states of texts that reached nobody (Twilio: Message resource, status). */
const notSent: ReadonlySet<string> = new Set(["failed", "undelivered", "canceled"])

/** Meanings of error codes (Twilio: Error and warning dictionary), and whether no message can reach the number. */
const refusals: ReadonlyMap<number, { readonly meaning: string; readonly fate?: "final" | "gone" }> = new Map([
  [20003, { meaning: "The service does not accept this server's account" }],
  [21211, { meaning: "The number is not valid", fate: "gone" }],
  [21214, { meaning: "The number cannot be called", fate: "gone" }],
  [21217, { meaning: "The number is not valid", fate: "gone" }],
  [21408, { meaning: "The service's account may not text this country" }],
  [21610, { meaning: "The person has stopped texts from this sender; they answer START to it to get them again", fate: "gone" }],
  [21614, { meaning: "The number cannot receive texts", fate: "gone" }],
  [21215, { meaning: "The service's account may not call this country" }],
  [13227, { meaning: "The service's account may not call this country" }]
])

const meanings: Readonly<Record<number, string>> = {
  401: "The service does not accept this server's account",
  403: "The service does not accept this server's account",
  429: "The service limits how much this server sends"
}

const read: ReadAnswer = (answer) => {
  if (answer.statusCode < 400) return {}
  const fields = fieldsOf(answer)
  const found = refusals.get(numberAt(fields, "code") ?? 0)
  return { ...found, words: textAt(fields, "message") }
}

/** Where Twilio reports about a page, and where a key of a call leads; null where it cannot reach this server. */
export interface TwilioCallbacks {
  readonly news: (pagingId: string) => string
  readonly keys: (pagingId: string) => string
}

const textForm = ({ from }: TwilioSettings, callbacks: TwilioCallbacks | null, { pagingId, text, to }: PhoneMessage) => ({
  To: to,
  ...(/^MG[0-9a-f]{32}$/.test(from) ? { MessagingServiceSid: from } : { From: from }),
  Body: text,
  ValidityPeriod: String(textSec),
  ...(callbacks === null || pagingId === null ? {} : { StatusCallback: callbacks.news(pagingId) })
})

const callForm = (settings: TwilioSettings, callbacks: TwilioCallbacks | null, { pagingId, text, to }: PhoneMessage) => {
  const call = { To: to, From: callerOf(settings) ?? "", Timeout: String(ringsSec), TimeLimit: String(callSec) }
  if (callbacks === null || pagingId === null) return { ...call, Twiml: tellingTwiml(text) }
  const news = callbacks.news(pagingId)
  return {
    ...call,
    Twiml: askingTwiml(text, callbacks.keys(pagingId)),
    StatusCallback: news,
    StatusCallbackEvent: "initiated",
    // The person hears the page without a wait, and what answered is reported beside it.
    MachineDetection: "Enable",
    AsyncAmd: "true",
    AsyncAmdStatusCallback: news
  }
}

/** An event that is not asked for is not reported; the parameter is repeated for each. */
const formOf = (fields: Readonly<Record<string, string>>): string => {
  const form = new URLSearchParams(fields)
  if (form.has("StatusCallbackEvent")) form.append("StatusCallbackEvent", "completed")
  return form.toString()
}

export const makeTwilio = (settings: TwilioSettings, callbacks: TwilioCallbacks | null, guard: EgressGuard): PhoneProvider => {
  const { accountSid, url } = settings
  const token = Redacted.value(settings.authToken)
  const base = `${url}/2010-04-01/Accounts/${accountSid}`
  const headers = {
    "user-agent": "Belltower/1.0",
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
    authorization: `Basic ${Buffer.from(`${accountSid}:${token}`).toString("base64")}`
  }

  const send = Effect.fnUntraced(function*(message: PhoneMessage) {
    const { by, timeoutMs, to } = message
    const form = by === "sms" ? textForm(settings, callbacks, message) : callForm(settings, callbacks, message)
    const { answer, said } = yield* postAndRead(
      { url: new URL(`${base}/${by === "sms" ? "Messages" : "Calls"}.json`), headers, body: formOf(form), timeoutMs },
      // The service repeats numbers in its words, and nobody else may read them.
      { meanings, read, secrets: [accountSid, token, to, to.slice(1)] }
    ).pipe(Effect.provideService(EgressGuard, guard))
    const reference = said === null || said.statusCode >= 300 ? null : textAt(fieldsOf(said), "sid")
    return answer._tag === "Answered" && reference !== null ? { ...answer, reference } : answer
  })

  /**
   * Texts to a number, newest first. A page is known by its text, whose link is of that page alone; calls do not say what they are about.
   */
  const find = Effect.fnUntraced(function*({ by, text, timeoutMs, to }: PhoneMessage) {
    if (by !== "sms") return null
    const { said } = yield* postAndRead(
      {
        url: new URL(`${base}/Messages.json?${new URLSearchParams({ To: to, PageSize: String(foundTexts) })}`),
        headers: Struct.omit(headers, "content-type"),
        body: null,
        timeoutMs
      },
      { read, keep: foundBytes, secrets: [accountSid, token, to, to.slice(1)] }
    ).pipe(Effect.provideService(EgressGuard, guard))
    const texts = said === null || said.statusCode >= 300 ? [] : recordsOf(fieldsOf(said)["messages"])
    const found = texts.find((one) => textAt(one, "body")?.endsWith(text) === true && !notSent.has(textAt(one, "status") ?? ""))
    return found === undefined ? null : textAt(found, "sid")
  })

  return {
    find,
    lacks: (by) =>
      by === "voice" && callerOf(settings) === null
        ? "This server has no number to call from. Set BELLTOWER_TWILIO_CALLER"
        : null,
    send
  }
}
