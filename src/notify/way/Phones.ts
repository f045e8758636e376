/** Texts and calls of this server: its providers, the numbers that it pages, and what that may cost. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { PagingId, WayId } from "../../../schema/Ids.ts"
import { isPublicUrl } from "../../domain/access/PublicName.ts"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import { everyAddress } from "../../domain/check/address/Egress.ts"
import { numberRefusal, type PhonePrefixes } from "../../domain/paging/PhoneNumbers.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { Links } from "../../links/Links.ts"
import type { Message, Problem } from "../alert/ChannelKind.ts"
import { promptly, stoodStill } from "../delivery/Promptly.ts"
import { makePhoneBudget, type PhoneLimits } from "./phone/PhoneBudget.ts"
import type { PhoneMessage, PhoneProvider } from "./phone/PhoneProvider.ts"
import { makePhoneWebhook, type PhoneWebhookSettings } from "./phone/PhoneWebhook.ts"
import { publicTwilio } from "./phone/PublicTwilio.ts"
import { makeTwilio, type TwilioSettings } from "./phone/Twilio.ts"
import type { WayMessage } from "./WayKind.ts"

export interface PhoneSettings {
  readonly twilio: Option.Option<TwilioSettings>
  readonly webhook: Option.Option<PhoneWebhookSettings>
  readonly limits: PhoneLimits
  /** The prefixes of numbers that are paged; none for all. */
  readonly prefixes: PhonePrefixes
}

/** The content of a text or call, as its delivery has it. */
const Body = Schema.parseJson(Schema.Struct({
  purpose: Schema.Literal("page", "code", "test"),
  pagingId: Schema.NullOr(PagingId),
  text: Schema.String
}))
const encodeBody = Schema.encodeSync(Body)
const decodeBody = Schema.decodeSync(Body)

/** The body of a message that says `text`. */
export const phoneBody = (message: WayMessage, text: string): string => {
  switch (message._tag) {
    case "Page":
      return encodeBody({ purpose: "page", pagingId: message.pagingId, text })
    case "Code":
      return encodeBody({ purpose: "code", pagingId: null, text })
    case "Test":
      return encodeBody({ purpose: "test", pagingId: null, text })
  }
}

const noProvider =
  "This server sends no texts and makes no calls. Set BELLTOWER_TWILIO_ACCOUNT_SID or BELLTOWER_PHONE_WEBHOOK_URL"

/** How long a provider is asked about an earlier attempt, ms. */
const findMs = 3000

const isTaken = (answer: Answer): boolean => answer._tag === "Answered" && answer.statusCode < 300

const make = Effect.fnUntraced(function*(settings: PhoneSettings) {
  const links = yield* Links
  const spend = yield* makePhoneBudget(settings.limits)
  // The operator names these addresses, which may be private; what tenants name goes through the guard of all.
  const guard = yield* Effect.map(Layer.build(EgressGuard.Default({ allow: everyAddress })), Context.get(EgressGuard))
  // Twilio refuses requests whose callbacks it cannot reach.
  const twilioOf = (twilio: TwilioSettings): PhoneProvider =>
    makeTwilio(
      twilio,
      isPublicUrl(links.service) || twilio.url !== publicTwilio ? { news: links.twilioNews, keys: links.twilioKeys } : null,
      guard
    )
  const providers: ReadonlyArray<PhoneProvider> = [
    ...Option.toArray(Option.map(settings.twilio, twilioOf)),
    ...Option.toArray(Option.map(settings.webhook, (webhook) => makePhoneWebhook(webhook, links.phoneNews, guard)))
  ]
  const ableTo = (by: PhoneMessage["by"]) => providers.filter(({ lacks }) => lacks(by) === null)

  /** A page that a provider took without an answer. One that cannot be asked may get it twice, because nobody may miss it. */
  const findIn = Effect.fnUntraced(function*(able: ReadonlyArray<PhoneProvider>, message: PhoneMessage) {
    for (const { find } of able) {
      const found = find === undefined ? null : yield* find({ ...message, timeoutMs: Math.min(findMs, message.timeoutMs) })
      if (found !== null) return found
    }
    return null
  })

  /** One attempt, at each provider in turn until one takes it. One that gave no answer may have taken it all the same. */
  const attempt = Effect.fnUntraced(function*(message: PhoneMessage, isRepeated: boolean) {
    const able = ableTo(message.by)
    const found = isRepeated ? yield* findIn(able, message) : null
    if (found !== null) return Answer.Accepted({ reference: found })
    let answer: Answer = Answer.Impossible({ reason: noProvider })
    for (const provider of able) {
      answer = yield* provider.send({ ...message, timeoutMs: Math.floor(message.timeoutMs / able.length) })
      if (isTaken(answer)) return answer
    }
    return answer
  })

  return {
    /** Why this server cannot text or call; null if it can. */
    missing: (by: PhoneMessage["by"]): string | null =>
      providers.length === 0 ? noProvider : ableTo(by).length > 0 ? null : providers[0]?.lacks(by) ?? noProvider,
    /** Why a number is not paged; null if it is. */
    refusal: (number: string): string | null => numberRefusal(number, settings.prefixes),
    /** Sends the message of a delivery, if nothing speaks against it. The person's next way follows what is refused here. */
    send: Effect.fnUntraced(
      function*(by: PhoneMessage["by"], { body, channelId, isRepeated = false, timeoutMs, workspaceId }: Message, to: string) {
        const { pagingId, purpose, text } = decodeBody(body)
        const outside = numberRefusal(to, settings.prefixes)
        if (outside !== null) return Answer.Impossible({ reason: outside })
        const counted = yield* promptly(spend({ workspaceId, wayId: WayId.make(channelId), to, purpose, pagingId }))
        if (Option.isNone(counted)) return stoodStill
        const refusal = counted.value
        return refusal === null
          ? yield* attempt({ by, pagingId, to, text, timeoutMs }, isRepeated)
          : Answer.Impossible({ reason: refusal })
      }
    ),
    /** The secrets that reports of providers are signed with; none for a provider that is not set. */
    signing: {
      twilio: Option.map(settings.twilio, ({ authToken }) => authToken),
      webhook: Option.map(settings.webhook, ({ secret }) => secret)
    }
  }
})
export type PhoneService = Effect.Effect.Success<ReturnType<typeof make>>

/** Null in programs that page nobody by phone, such as tests of other ways. */
export class Phones extends Context.Reference<Phones>()("belltower/Phones", {
  defaultValue: (): PhoneService | null => null
}) {
  static readonly layer = (settings: PhoneSettings) => Layer.scoped(Phones, make(settings))
}

/** Why this server cannot text or call; null if it can. */
export const phonesMissing = (by: PhoneMessage["by"]): Effect.Effect<string | null> =>
  Effect.map(Phones, (phones) => phones === null ? noProvider : phones.missing(by))

/** Checks the number of a way. */
export const phoneProblems = (phone: string): Effect.Effect<ReadonlyArray<Problem>> =>
  Effect.map(Phones, (phones) => {
    const message = phones?.refusal(phone) ?? null
    return message === null ? [] : [{ path: "phone", message }]
  })
