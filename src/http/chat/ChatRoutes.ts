/** Receives what people press in Slack, Discord and Telegram, below /chat, outside the registry: the services prove who they are. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { TakeChatPresses } from "../../operations/chat/TakeChatPresses.ts"
import { publicAdmission } from "../guard/PublicAdmission.ts"
import { readText } from "../request/RequestBody.ts"

/** Several times what they send with the longest message, bytes. */
const bodyLimit = 256 * 1024

const workspaceId = Effect.map(HttpRouter.params, ({ workspaceId: id = "" }) => id)

const fromSlack = ({ slack }: TakeChatPresses) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { "x-slack-request-timestamp": timestamp = "", "x-slack-signature": signature = "" } = request.headers
    yield* slack(yield* workspaceId, { timestamp, signature }, yield* readText(request, bodyLimit))
    return HttpServerResponse.empty({ status: 200 })
  })

const fromDiscord = ({ discord }: TakeChatPresses) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { "x-signature-ed25519": signature = "", "x-signature-timestamp": timestamp = "" } = request.headers
    const answer = yield* discord(yield* workspaceId, { timestamp, signature }, yield* readText(request, bodyLimit))
    return answer === null ? HttpServerResponse.empty({ status: 204 }) : HttpServerResponse.unsafeJson(answer)
  })

const fromTelegram = ({ telegram }: TakeChatPresses) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const secret = request.headers["x-telegram-bot-api-secret-token"] ?? ""
    const answer = yield* telegram(yield* workspaceId, secret, yield* readText(request, bodyLimit))
    return answer === null ? HttpServerResponse.empty({ status: 200 }) : HttpServerResponse.unsafeJson(answer)
  })

export const layer: Layer.Layer<never, never, PublicCalls | TakeChatPresses> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const presses = yield* TakeChatPresses
    const admitted = publicAdmission(yield* PublicCalls, { rate: null })
    yield* router.post("/chat/slack/:workspaceId", admitted(fromSlack(presses)))
    yield* router.post("/chat/discord/:workspaceId", admitted(fromDiscord(presses)))
    yield* router.post("/chat/telegram/:workspaceId", admitted(fromTelegram(presses)))
  })
)
