/** Takes what providers of texts and calls report about pages, and the key that a person presses in a call. */
import { Clock, DateTime, Effect, Option, Redacted, Schema } from "effect"
import { Forbidden, NotFound } from "../../../schema/Errors.ts"
import { PagingId } from "../../../schema/Ids.ts"
import { type GivenSignature, isSigned } from "../../domain/alert/Signature.ts"
import { standingText } from "../../domain/chat/ChatActions.ts"
import { isOver } from "../../domain/incident/IncidentMachine.ts"
import type { PhoneNews } from "../../domain/paging/PhoneNews.ts"
import { askingTwiml, emptyTwiml, endingTwiml, spokenPage } from "../../domain/paging/SpokenPage.ts"
import { isFromTwilio, twilioNews } from "../../domain/paging/TwilioRequests.ts"
import { idBytes } from "../../domain/tools/Id.ts"
import { Links } from "../../links/Links.ts"
import { Phones } from "../../notify/way/Phones.ts"
import { AcknowledgeTokens } from "../../store/incident/AcknowledgeTokens.ts"
import { PagingResults } from "../../store/paging/PagingResults.ts"
import { PhonePages } from "../../store/paging/PhonePages.ts"
import { AcknowledgeIncident } from "../incident/AcknowledgeIncident.ts"

const unsigned = new Forbidden({ message: "The signature is not valid", hint: "Sign the request as the provider's settings say" })
const unknown = new NotFound({ message: "No such page" })

const News = Schema.parseJson(Schema.Struct({
  id: PagingId,
  state: Schema.Literal("handed_over", "received", "failed", "acknowledged"),
  error: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(500)), { nullable: true })
}))
const decodeNews = Schema.decodeOption(News)

/** A form of Twilio, as it came to an address of this server. */
export interface TwilioCall {
  readonly pagingId: string
  /** The body. */
  readonly form: string
  readonly signature: string
}

export class TakePhoneNews extends Effect.Service<TakePhoneNews>()("belltower/TakePhoneNews", {
  effect: Effect.gen(function*() {
    const phones = yield* Phones
    const links = yield* Links
    const pages = yield* PhonePages
    const results = yield* PagingResults
    const tokens = yield* AcknowledgeTokens
    const { acknowledgeByLink, look } = yield* AcknowledgeIncident

    /** Says nothing about other pages, and nothing to those who did not sign. */
    const required = Effect.fnUntraced(function*(given: string) {
      const id = PagingId.make(given)
      if (idBytes(given) === null || Option.isNone(yield* pages.kindOf(id))) return yield* unknown
      return id
    })

    const note = Effect.fnUntraced(function*(id: PagingId, { error, state }: PhoneNews) {
      yield* results.receive(id, { state, error }, yield* DateTime.now)
    })

    /** The form of a request that Twilio signed for the address. */
    const verified = Effect.fnUntraced(function*({ form, signature }: TwilioCall, address: string) {
      const token = phones?.signing.twilio ?? Option.none()
      if (Option.isNone(token)) return yield* unknown
      const fields = new URLSearchParams(form)
      return isFromTwilio(Redacted.value(token.value), address, fields, signature) ? fields : yield* unsigned
    })

    /** The words for a person who has pressed 1. Nobody hears why a link is invalid. */
    const acknowledge = (id: PagingId) =>
      Effect.match(acknowledgeByLink(tokens.ofPage(id)), {
        onFailure: (failure) =>
          failure._tag === "conflict" ? `${failure.message}. Goodbye.` : "You can no longer acknowledge this. Goodbye.",
        onSuccess: () => "Acknowledged. Goodbye."
      })

    /** Of an incident that is over or acknowledged meanwhile, the person hears that. */
    const again = Effect.fnUntraced(function*(id: PagingId) {
      const { incident } = yield* look(tokens.ofPage(id))
      return isOver(incident.status) || incident.acknowledgement !== null
        ? endingTwiml(`${standingText(incident)}. Goodbye.`)
        : askingTwiml(spokenPage(incident), links.twilioKeys(id))
    })

    return {
      /** Takes what Twilio says about a text or a call. Fails with `forbidden` for anybody else, and with `not_found`. */
      twilioNews: Effect.fn("TakePhoneNews.twilioNews")(function*(call: TwilioCall) {
        const fields = yield* verified(call, links.twilioNews(call.pagingId))
        const id = yield* required(call.pagingId)
        const news = twilioNews(fields)
        if (news !== null) yield* note(id, news)
        return emptyTwiml
      }),
      /** The TwiML that follows a key: 1 acknowledges, another one repeats. Fails like `twilioNews`. */
      twilioKey: Effect.fn("TakePhoneNews.twilioKey")(function*(call: TwilioCall) {
        const fields = yield* verified(call, links.twilioKeys(call.pagingId))
        const id = yield* required(call.pagingId)
        // Only a person presses a key.
        yield* note(id, { state: "received", error: null })
        return fields.get("Digits") === "1"
          ? endingTwiml(yield* acknowledge(id))
          : yield* Effect.orElseSucceed(again(id), () => endingTwiml("This page is over. Goodbye."))
      }),
      /** Takes what the receiver of the phone webhook says. Fails like `twilioNews`; with `conflict` for an incident that is over. */
      webhookNews: Effect.fn("TakePhoneNews.webhookNews")(function*(body: string, given: GivenSignature) {
        const secret = phones?.signing.webhook ?? Option.none()
        if (Option.isNone(secret)) return yield* unknown
        if (!isSigned(Redacted.value(secret.value), given, body, yield* Clock.currentTimeMillis)) return yield* unsigned
        const news = decodeNews(body)
        if (Option.isNone(news)) return yield* unknown
        const { error = null, state } = news.value
        const id = yield* required(news.value.id)
        yield* note(id, { state: state === "acknowledged" ? "received" : state, error: state === "failed" ? error : null })
        if (state === "acknowledged") yield* acknowledgeByLink(tokens.ofPage(id))
      })
    }
  }),
  dependencies: [AcknowledgeIncident.Default]
}) {}
