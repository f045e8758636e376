/** The domain rules of websocket monitors. */
import { Either } from "effect"
import type { WebsocketTarget } from "../../../../schema/monitor/kinds/websocket.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import { reservedRefusal } from "../../check/answer/RequestHeaders.ts"
import type { Refusal } from "../../Refusal.ts"
import { maskUrl } from "../../secret/UrlSecrets.ts"
import { type MonitorKindSpec, orBefore } from "../MonitorKindSpec.ts"
import { settleTls } from "../settings/TlsSettings.ts"
import { settleUrl, urlTexts } from "../settings/UrlSettings.ts"

/** The handshake sets these itself (RFC 6455, section 4.1). */
const reserved = /^(?:upgrade|sec-websocket-(?:key|version|accept|extensions))$/i

const settle = (input: MonitorUpdate, base: WebsocketTarget | null): Either.Either<WebsocketTarget, Refusal> =>
  Either.gen(function*() {
    const url = yield* settleUrl(input, base?.url, "websocket", ["ws", "wss", "http", "https"])
    const refused = reservedRefusal(input.headers, reserved, "the handshake")
    if (refused !== null) return yield* Either.left(refused)
    const keyword = orBefore(input.keyword, base?.keyword)
    return {
      kind: "websocket",
      url,
      keyword: keyword === "" ? null : keyword,
      degradedAfterMs: orBefore(input.degradedAfterMs, base?.degradedAfterMs),
      sslExpiryDays: orBefore(input.sslExpiryDays, base?.sslExpiryDays),
      ...yield* settleTls(input, base)
    }
  })

export const websocket: MonitorKindSpec<"websocket"> = {
  sealedFields: ["headers", "body", "clientKey"],
  settle,
  masked: (target) => ({ ...target, url: maskUrl(target.url) }),
  confidentialTexts: ({ url }) => urlTexts(url)
}
