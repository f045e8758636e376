/** Compresses texts for clients that accept gzip, whatever serves them. Documents that are kept compressed pass unchanged. */
import { HttpBody, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { gzip } from "node:zlib"
import { acceptsGzip } from "../../pages/Answer.ts"

type Response = HttpServerResponse.HttpServerResponse
type App<R> = Effect.Effect<Response, never, R>

/** Bytes. A shorter text fits one packet as it is. */
const shortest = 1400

/** Higher levels take twice the time for a few percent. */
const level = 4

const isText = (contentType: string): boolean =>
  /^(?:text\/|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript)\b)/.test(contentType)

const gzipped = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.async((resume) =>
    gzip(bytes, { level }, (error, shorter) => resume(error === null ? Effect.succeed(shorter) : Effect.die(error)))
  )

/** `vary` with `accept-encoding` (RFC 9110, section 12.5.5). */
const varying = (before: string | undefined): string =>
  before === undefined ? "accept-encoding" : /\baccept-encoding\b/i.test(before) ? before : `${before}, accept-encoding`

const shortened = (accepted: string | undefined) => (response: Response): Effect.Effect<Response> => {
  const { body, headers } = response
  if (
    body._tag !== "Uint8Array" || body.contentLength < shortest || headers["content-encoding"] !== undefined ||
    !isText(body.contentType)
  ) return Effect.succeed(response)
  const varied = HttpServerResponse.setHeader(response, "vary", varying(headers["vary"]))
  return acceptsGzip(accepted)
    ? Effect.map(gzipped(body.body), (bytes) =>
      HttpServerResponse.setHeader(
        HttpServerResponse.setBody(varied, HttpBody.uint8Array(bytes, body.contentType)),
        "content-encoding",
        "gzip"
      ))
    : Effect.succeed(varied)
}

export const compressing = <R>(app: App<R>): App<R | HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => Effect.flatMap(app, shortened(headers["accept-encoding"])))
