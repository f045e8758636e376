/** Serves /mcp and /mcp/public. */
import { type HttpApp, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, identity } from "effect"
import type { Caller as KeyHolder } from "../../schema/access/Caller.ts"
import { Unauthorized } from "../../schema/Errors.ts"
import { publicAdmission, type RouteHandler } from "../http/guard/PublicAdmission.ts"
import { challengeOf } from "../http/oauth/OAuthMetadata.ts"
import { Document } from "../http/openapi/OpenApiDocument.ts"
import type { Application } from "../http/server/Application.ts"
import { respond } from "../http/server/Envelope.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { Authenticate } from "../operations/access/Authenticate.ts"
import type { McpSessions } from "../operations/access/McpSessions.ts"
import { PublicCalls } from "../operations/access/PublicCalls.ts"
import { instructions, publicInstructions } from "./Instructions.ts"
import { McpSettings } from "./McpSettings.ts"
import { keyHolder, makeHostCheck } from "./protocol/Guard.ts"
import { type Entry, streamableHttp } from "./protocol/StreamableHttp.ts"
import { wantsStructure } from "./Structured.ts"
import { offerOf, type Surface } from "./Surface.ts"
import { callerOf } from "./ToolCall.ts"
import { allTools, publicTools } from "./Tools.ts"
import { chosenTools, isShownTo } from "./Toolsets.ts"

/** Says in a refusal where a client without a key can send its person to sign in. */
const challenging = (baseUrl: string) => <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R> =>
  Effect.catchIf(
    app,
    (failure) => failure instanceof Unauthorized,
    (failure) =>
      Effect.map(
        HttpServerRequest.HttpServerRequest,
        ({ headers }) => HttpServerResponse.setHeader(respond(failure), "www-authenticate", challengeOf(baseUrl, headers))
      )
  )

/** /mcp requires a key for every message; /mcp/public ignores keys. A tool call needs the same permissions as its REST call. */
export const makeMcpRoutes = (sessions: McpSessions) =>
  Effect.gen(function*() {
    // Only this: the context here holds all services of the program, and each step of a call would copy them.
    const context = Context.make(Authenticate, yield* Authenticate)
    const baseUrl = yield* BaseUrl
    const document = yield* Document
    const { allowedHosts } = yield* McpSettings
    const knownHost = makeHostCheck(baseUrl, allowedHosts)
    // Every answer is a 200, even to invalid input, so every call without a key counts.
    const withinBudget = publicAdmission(yield* PublicCalls, { rate: null, isAccepted: () => false })
    const admitted = { "/mcp": identity<RouteHandler>, "/mcp/public": withinBudget }
    const challenged = challenging(baseUrl)

    /** `holderOf` admits the request. Its client may list those of `tools` that it chooses, as far as its key may call them. */
    const entryOf = (
      holderOf: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<KeyHolder | null, Unauthorized, Authenticate>,
      common: Pick<Surface, "instructions" | "tools">
    ) =>
    (app: Application): Entry<Authenticate> =>
    (request) =>
      Effect.gen(function*() {
        yield* knownHost(request)
        const caller = yield* holderOf(request)
        const allowed = caller === null ? common.tools : common.tools.filter((tool) => isShownTo(caller, tool))
        const { of, searches } = yield* chosenTools(request)
        const surface = {
          baseUrl,
          document,
          ...common,
          hasKey: caller !== null,
          allowed,
          shown: of(allowed),
          searches,
          structured: wantsStructure(request)
        }
        return { caller, offer: offerOf(surface, app, callerOf(request, surface.hasKey)) }
      })

    const withKey = entryOf(keyHolder(baseUrl), { instructions, tools: allTools })
    const withoutKey = entryOf(() => Effect.succeed(null), { instructions: publicInstructions, tools: publicTools })

    const routesOf = (path: "/mcp" | "/mcp/public", entry: Entry<Authenticate>) => {
      const { get, post, remove } = streamableHttp(entry, sessions)
      return [
        HttpRouter.makeRoute("POST", path, admitted[path](challenged(Effect.provide(post, context)))),
        // The request's scope takes precedence: in this layer's scope, a stream would never give its slot back.
        HttpRouter.makeRoute(
          "GET",
          path,
          Effect.mapInputContext(challenged(get), (input: Context.Context<HttpRouter.HttpRouter.Provided>) =>
            Context.merge(context, input))
        ),
        HttpRouter.makeRoute("DELETE", path, challenged(Effect.provide(remove, context)))
      ]
    }

    return (app: Application) => [...routesOf("/mcp", withKey(app)), ...routesOf("/mcp/public", withoutKey(app))]
  })
