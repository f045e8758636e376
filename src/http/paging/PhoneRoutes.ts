/** Receives what providers of texts and calls report, below /phone, outside the registry: each signs its requests. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { TakePhoneNews, type TwilioCall } from "../../operations/paging/TakePhoneNews.ts"
import { publicAdmission } from "../guard/PublicAdmission.ts"
import { readText } from "../request/RequestBody.ts"

/** Several times what providers send, bytes. */
const bodyLimit = 16 * 1024

const twiml = (text: string) =>
  HttpServerResponse.text(text, { contentType: "text/xml; charset=utf-8", headers: { "cache-control": "no-store" } })

const twilioCall = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { id = "" } = yield* HttpRouter.params
  const call: TwilioCall = {
    pagingId: id,
    form: yield* readText(request, bodyLimit),
    signature: request.headers["x-twilio-signature"] ?? ""
  }
  return call
})

const webhookNews = ({ webhookNews }: TakePhoneNews) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* webhookNews(yield* readText(request, bodyLimit), {
      id: request.headers["webhook-id"] ?? "",
      timestamp: request.headers["webhook-timestamp"] ?? "",
      signatures: request.headers["webhook-signature"] ?? ""
    })
    return HttpServerResponse.empty({ status: 204 })
  })

export const layer: Layer.Layer<never, never, TakePhoneNews | PublicCalls> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const news = yield* TakePhoneNews
    const admitted = publicAdmission(yield* PublicCalls, { rate: null })
    yield* router.post("/phone/twilio/:id", admitted(Effect.map(Effect.flatMap(twilioCall, news.twilioNews), twiml)))
    yield* router.post("/phone/twilio/:id/keys", admitted(Effect.map(Effect.flatMap(twilioCall, news.twilioKey), twiml)))
    yield* router.post("/phone/news", admitted(webhookNews(news)))
  })
)
