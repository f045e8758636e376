/** The conversation of a check with an MCP server: initialize, list the tools, call one, and end the session. */
import { Effect, Option } from "effect"
import { initializeParams, listIn, memberOf, protocolVersions, textIn } from "../../domain/check/answer/mcp/McpMessages.ts"
import { callProblem, resultText, toolsIn } from "../../domain/check/answer/mcp/McpTools.ts"
import { headerProblem } from "../../domain/check/answer/RequestHeaders.ts"
import { shownHeader } from "../../domain/check/answer/ResponseHead.ts"
import { parseJson } from "../../domain/tools/json/BoundedJson.ts"
import { cut } from "../../domain/tools/text/TrimText.ts"
import { forgetToken, signIn } from "./ClientToken.ts"
import { type Answered, hopOf, isUnauthorized, notify, request } from "./McpRequest.ts"
import { exchangeIn, type McpFailed, mcpFailed, type McpRun, mostBytes, spentMs } from "./McpRun.ts"

/** More pages of tools are refused. */
const mostPages = 20

/** How long the end of a session is awaited, ms. */
const goodbyeMs = 2000

/** A token that was kept may have been revoked: the server's refusal of it is no verdict yet. */
const initialize = (run: McpRun): Effect.Effect<Answered, McpFailed> =>
  Effect.gen(function*() {
    const isKept = yield* signIn(run)
    return yield* Effect.catchAll(request(run, "initialize", initializeParams), (failed) => {
      if (!isKept || !isUnauthorized(run)) return failed
      forgetToken(run)
      return Effect.zipRight(signIn(run), request(run, "initialize", initializeParams))
    })
  })

const begin = (run: McpRun): Effect.Effect<unknown, McpFailed> =>
  Effect.gen(function*() {
    const { chain, result } = yield* initialize(run)
    const version = textIn(result, "protocolVersion")
    const info = memberOf(result, "serverInfo")
    const named = [textIn(info, "name"), textIn(info, "version")].filter((part) => part !== null).join(" ")
    run.server = named === "" ? null : cut(named, 300)
    const session = shownHeader(chain.last.response?.headers["mcp-session-id"]) ?? ""
    if (session !== "" && headerProblem("mcp-session-id", session) === null) {
      run.session = session
      run.secrets = [...run.secrets, session]
    }
    if (version === null) return yield* mcpFailed("protocol_error", "The answer to initialize names no protocol version")
    if (!protocolVersions.includes(version)) {
      return yield* mcpFailed(
        "protocol_error",
        `The server speaks version ${cut(version, 40)} of the protocol; checks speak ${protocolVersions.join(", ")}`
      )
    }
    run.version = version
    yield* notify(run, "notifications/initialized")
    return memberOf(memberOf(result, "capabilities"), "tools")
  })

/** All pages. Returns the tools as the server wrote them. */
const listTools = (run: McpRun): Effect.Effect<ReadonlyArray<unknown>, McpFailed> =>
  Effect.gen(function*() {
    const listed: Array<unknown> = []
    let cursor: string | null = null
    let bytes = 0
    for (let page = 0; page < mostPages; page++) {
      const answered: Answered = yield* request(run, "tools/list", cursor === null ? {} : { cursor })
      bytes += answered.bytes
      if (bytes > mostBytes) return yield* mcpFailed("body_too_large", "The pages of tools/list are together larger than 1 MiB")
      listed.push(...listIn(answered.result, "tools"))
      run.tools = [...run.tools, ...toolsIn(answered.result)]
      cursor = textIn(answered.result, "nextCursor")
      if (cursor === null) return listed
    }
    return yield* mcpFailed("mcp_error", `The server lists its tools on more than ${mostPages} pages`)
  })

const call = (run: McpRun, tool: string): Effect.Effect<string, McpFailed> =>
  Effect.gen(function*() {
    const refused = callProblem(run.target, run.tools)
    if (refused !== null) return yield* mcpFailed("mcp_tools", refused)
    const given = run.plan.first.body
    const { result } = yield* request(run, "tools/call", {
      name: tool,
      arguments: given === null ? {} : Option.getOrElse(parseJson(given), () => ({}))
    })
    const text = resultText(result)
    return memberOf(result, "isError") === true
      ? yield* mcpFailed("mcp_error", `The call of ${tool} failed${text === "" ? "" : `: ${cut(text, 300)}`}`)
      : text
  })

/** The text that assertions judge: the result of the call, else the list of tools. */
const talk = (run: McpRun): Effect.Effect<string, McpFailed> =>
  Effect.gen(function*() {
    const offersTools = (yield* begin(run)) !== undefined
    const tools = offersTools ? yield* listTools(run) : []
    const { callTool } = run.target
    return callTool === null ? JSON.stringify({ tools }) : yield* call(run, callTool)
  })

/** Best effort: servers may refuse it, and forget idle sessions anyway. */
const endSession = (run: McpRun): Effect.Effect<void> =>
  Effect.suspend(() => {
    const timeoutMs = Math.min(run.timeoutMs, spentMs(run) + goodbyeMs)
    if (run.session === null || timeoutMs - spentMs(run) < 1) return Effect.void
    const { last } = run
    return Effect.map(
      Effect.ignore(exchangeIn(run, {
        hop: hopOf(run, "DELETE", null),
        isEnough: (_, answer) => answer(true),
        what: "the end of the session",
        tls: run.plan.tls,
        timeoutMs
      })),
      () => {
        run.last = last
      }
    )
  })

/** Talks to the server, and ends the session however that went. */
export const converse = (run: McpRun): Effect.Effect<string, McpFailed> =>
  Effect.flatMap(Effect.either(talk(run)), (ended) => Effect.zipRight(endSession(run), ended))
