/** The domain rules of websocket monitors. */
import { Either } from "effect"
import type { WebsocketTarget } from "../../../../schema/monitor/kinds/websocket.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { maskUrl } from "../../secret/UrlSecrets.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { settleUrl } from "../settings/UrlSettings.ts"
import { urlTexts } from "../settings/UrlTexts.ts"

/** The handshake sets these itself (RFC 6455, section 4.1). */
const reserved = /^(?:upgrade|sec-websocket-(?:key|version|accept|extensions))$/i

const headerRefusal = (headers: MonitorUpdate["headers"]): Refusal | null => {
  const name = Object.keys(headers ?? {}).find((one) => reserved.test(one))
  return name === undefined ? null : { path: `headers.${name}`, message: `The header ${name} is reserved: the handshake sets it` }
}

const settle = (input: MonitorUpdate, base: WebsocketTarget | null): Either.Either<WebsocketTarget, Refusal> =>
  Either.gen(function*() {
    const url = yield* settleUrl(input, base?.url, "websocket", ["ws", "wss", "http", "https"])
    const refused = headerRefusal(input.headers)
    if (refused !== null) return yield* Either.left(refused)
    const keyword = input.keyword === undefined ? base?.keyword ?? null : input.keyword
    return {
      kind: "websocket",
      url,
      keyword: keyword === "" ? null : keyword,
      degradedAfterMs: input.degradedAfterMs === undefined ? base?.degradedAfterMs ?? null : input.degradedAfterMs,
      sslExpiryDays: input.sslExpiryDays === undefined ? base?.sslExpiryDays ?? null : input.sslExpiryDays
    }
  })

export const websocket: MonitorKindSpec<"websocket"> = {
  sealedFields: ["headers", "body"],
  inferredFrom: [],
  settle,
  masked: (target) => ({ ...target, url: maskUrl(target.url) }),
  confidentialTexts: ({ url }) => urlTexts(url),
  runsCode: false
}
