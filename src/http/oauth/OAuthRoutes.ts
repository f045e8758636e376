/** Serves what apps call over OAuth, outside the registry, since RFCs fix its form: metadata, registration, tokens, revocation. */
import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer, Option } from "effect"
import { oauthRefusals, oauthRegistrations } from "../../../schema/api/parts/AddressLimit.ts"
import { NotFound, type RateLimited } from "../../../schema/Errors.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { ExchangeTokens, type Given } from "../../operations/oauth/ExchangeTokens.ts"
import { KnownApps } from "../../operations/oauth/KnownApps.ts"
import type { OAuthRefusal } from "../../operations/oauth/RunLibrary.ts"
import { publicAdmission } from "../guard/PublicAdmission.ts"
import { clientAddress } from "../request/ClientAddress.ts"
import { jsonObject, readText } from "../request/RequestBody.ts"
import { oauthPaths, offersSignIn, resourceMetadata, resourcePath, serverMetadata, serverPath } from "./OAuthMetadata.ts"

/** Several times what apps send, bytes. */
const bodyLimit = 16 * 1024

const neverStored = { "cache-control": "no-store", pragma: "no-cache" }

const json = (body: unknown, status = 200) => HttpServerResponse.unsafeJson(body, { status, headers: neverStored })

/** The form of errors in RFC 6749, 5.2, and RFC 7591, 3.2.2. */
const refusal = ({ description, error, status = 400 }: {
  readonly error: string
  readonly description: string
  readonly status?: number
}) => json({ error, error_description: description }, status)

const noSignIn = new NotFound({ message: "Clients with an API key need no sign-in", hint: "Send the key to /mcp" })

/** The answer depends on what the client sends, so it is not shared between clients. */
const metadata = (document: unknown) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    if (!offersSignIn(headers)) return yield* noSignIn
    return HttpServerResponse.unsafeJson(document, {
      headers: { "cache-control": "private, max-age=300", vary: "authorization, x-api-key" }
    })
  })

const manyTimes = (name: string) => refusal({ error: "invalid_request", description: `${name} is given more than once` })

/** The fields of a form; a text for one that is given twice. */
const fieldsIn = (text: string): Readonly<Record<string, string>> | string => {
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in fields) return name
    fields[name] = value
  }
  return { ...fields }
}

const isForm = (type: string | undefined): boolean => /^application\/x-www-form-urlencoded\b/i.test(type ?? "")

const notForm = refusal({ error: "invalid_request", description: "Send a form: application/x-www-form-urlencoded" })

const register = (apps: KnownApps) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const body = yield* jsonObject(yield* readText(request, bodyLimit))
    const metadata = Option.match(body, { onNone: () => null, onSome: ({ fields }) => fields })
    return yield* Effect.matchEffect(apps.register(metadata, clientAddress(request)), {
      onFailure: (failure) => "error" in failure ? Effect.succeed(refusal(failure)) : Effect.fail(failure),
      onSuccess: ({ id, name, redirectUris }) =>
        Effect.succeed(json({
          client_id: id,
          client_name: name,
          redirect_uris: redirectUris,
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: "none"
        }, 201))
    })
  })

/** Reads a form and answers as OAuth does. */
const withForm = <A>(
  answer: (given: Given) => Effect.Effect<A, RateLimited | { readonly refusal: OAuthRefusal }>
) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!isForm(request.headers["content-type"])) return notForm
    const fields = fieldsIn(yield* readText(request, bodyLimit))
    if (typeof fields === "string") return manyTimes(fields)
    return yield* Effect.matchEffect(answer({ fields, headers: request.headers, address: clientAddress(request) }), {
      onFailure: (failure) => "refusal" in failure ? Effect.succeed(refusal(failure.refusal)) : Effect.fail(failure),
      onSuccess: (body) => Effect.succeed(json(body ?? {}))
    })
  })

export const layer: Layer.Layer<never, never, BaseUrl | ExchangeTokens | KnownApps | PublicCalls> = HttpApiBuilder.Router.use((
  router
) =>
  Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const apps = yield* KnownApps
    const tokens = yield* ExchangeTokens
    const calls = yield* PublicCalls
    const limited = publicAdmission(calls, { rate: oauthRefusals })
    const server = metadata(serverMetadata(baseUrl))
    yield* router.get(resourcePath, metadata(resourceMetadata(baseUrl, baseUrl)))
    yield* router.get(`${resourcePath}/mcp`, metadata(resourceMetadata(baseUrl, `${baseUrl}/mcp`)))
    yield* router.get(serverPath, server)
    yield* router.get(`${serverPath}/mcp`, server)
    yield* router.post(oauthPaths.register, publicAdmission(calls, { rate: oauthRegistrations })(register(apps)))
    yield* router.post(oauthPaths.token, limited(withForm(tokens.exchange)))
    yield* router.post(oauthPaths.revoke, limited(withForm(tokens.revoke)))
  })
)
