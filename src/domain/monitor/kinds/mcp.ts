/** The domain rules of mcp monitors. */
import { Either, Option, Predicate } from "effect"
import { mask } from "../../../../schema/Mask.ts"
import type { Assertion } from "../../../../schema/monitor/Assertion.ts"
import type { McpTarget } from "../../../../schema/monitor/kinds/mcp.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import { isPin } from "../../check/answer/mcp/McpTools.ts"
import { reservedRefusal } from "../../check/answer/RequestHeaders.ts"
import type { Refusal } from "../../Refusal.ts"
import { maskUrl } from "../../secret/UrlSecrets.ts"
import { parseJson } from "../../tools/json/BoundedJson.ts"
import { type MonitorKindSpec, orBefore } from "../MonitorKindSpec.ts"
import { assertionRefusal } from "../settings/AssertionSettings.ts"
import { settleClientCredentials } from "../settings/ClientCredentials.ts"
import { settleTls } from "../settings/TlsSettings.ts"
import { settleUrl, urlTexts } from "../settings/UrlSettings.ts"

/** The conversation sets these itself (Model Context Protocol 2025-11-25, Transports). */
const reserved = /^(?:accept|content-type|last-event-id|mcp-.*)$/i
/** With client credentials also this. */
const reservedWithToken = /^(?:accept|authorization|content-type|last-event-id|mcp-.*)$/i

const sources: ReadonlyArray<Assertion["source"]> = ["latency", "body", "json", "ssl_days"]

const argumentsRefusal = (callTool: string | null, body: MonitorUpdate["body"]): Refusal | null => {
  if (body === undefined || body === null || body === "" || body === mask) return null
  if (callTool === null) return { path: "body", message: "body needs callTool: it has the arguments of the call" }
  return Option.exists(parseJson(body), Predicate.isRecord) ? null : {
    path: "body",
    message: "body is not a JSON object with the arguments of callTool",
    hint: "For example: {\"query\": \"test\"}"
  }
}

const pinRefusal = (pins: ReadonlyArray<string>): Refusal | null => {
  const index = pins.findIndex((pin) => !isPin(pin))
  return index === -1 ? null : {
    path: `pinnedTools.${index}`,
    message: `"${pins[index]?.slice(0, 100)}" is not a pin of a tool`,
    hint: "Copy evidence.mcp.tools of a check"
  }
}

const firstRefusal = (input: MonitorUpdate, settled: Pick<McpTarget, "assertions" | "callTool" | "pinnedTools" | "tokenUrl">) =>
  reservedRefusal(input.headers, settled.tokenUrl === null ? reserved : reservedWithToken, "the MCP client") ??
    argumentsRefusal(settled.callTool, input.body) ??
    pinRefusal(settled.pinnedTools) ??
    assertionRefusal(settled.assertions, "mcp", sources)

const settle = (input: MonitorUpdate, base: McpTarget | null): Either.Either<McpTarget, Refusal> =>
  Either.gen(function*() {
    const { clientId, scope, tokenUrl } = yield* settleClientCredentials(input, base)
    // In the order of the schema: an edit that changes nothing must make the same JSON.
    const settled: McpTarget = {
      kind: "mcp",
      url: yield* settleUrl(input, base?.url, "mcp", ["http", "https"]),
      expectedTools: [...new Set(input.expectedTools ?? base?.expectedTools ?? [])],
      callTool: orBefore(input.callTool === "" ? null : input.callTool, base?.callTool),
      degradedAfterMs: orBefore(input.degradedAfterMs, base?.degradedAfterMs),
      sslExpiryDays: orBefore(input.sslExpiryDays, base?.sslExpiryDays),
      assertions: input.assertions ?? base?.assertions ?? [],
      tokenUrl,
      clientId,
      scope,
      pinnedTools: [...new Set(input.pinnedTools ?? base?.pinnedTools ?? [])],
      callMayChange: input.callMayChange ?? base?.callMayChange ?? false,
      ...yield* settleTls(input, base)
    }
    const refused = firstRefusal(input, settled)
    return refused === null ? settled : yield* Either.left(refused)
  })

export const mcp: MonitorKindSpec<"mcp"> = {
  sealedFields: ["headers", "body", "clientKey", "clientSecret"],
  settle,
  masked: (target) => ({
    ...target,
    url: maskUrl(target.url),
    tokenUrl: target.tokenUrl === null ? null : maskUrl(target.tokenUrl)
  }),
  confidentialTexts: ({ tokenUrl, url }) => [...urlTexts(url), ...tokenUrl === null ? [] : urlTexts(tokenUrl)]
}
