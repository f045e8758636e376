/** A request of Node's HTTP server, as routes read it. `RequestBody` alone reads its body, from `source`, and knows the limits. */
import { Cookies, Headers, HttpIncomingMessage, type HttpMethod, HttpServerError, HttpServerRequest } from "@effect/platform"
import { Effect, Inspectable, Option, Predicate, Stream } from "effect"
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"

interface Changes {
  readonly id?: string
  readonly url?: string
  readonly headers?: Headers.Headers
  readonly remoteAddress?: string
}

/** The library reads Node's headers as they are. */
const areHeaders = (headers: unknown): headers is Headers.Headers => Predicate.isObject(headers)

const isMethod = (method: string | undefined): method is HttpMethod.HttpMethod => method !== undefined

export class NodeRequest extends Inspectable.Class implements HttpServerRequest.HttpServerRequest {
  readonly [HttpServerRequest.TypeId]: HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  /** In the answer and in log lines. */
  readonly id: string
  readonly source: IncomingMessage
  readonly url: string
  readonly headers: Headers.Headers
  readonly remoteAddress: Option.Option<string>
  #cookies: Readonly<Record<string, string>> | null = null

  constructor(source: IncomingMessage, address: string | null, { headers, id = randomUUID(), url }: Changes = {}) {
    super()
    this.id = id
    this.source = source
    this.url = url ?? source.url ?? ""
    // Node's parser has made the names lower-case, and joined headers that were repeated.
    const own: unknown = source.headers
    this.headers = headers ?? (areHeaders(own) ? own : Headers.empty)
    this.remoteAddress = Option.fromNullable(address)
  }

  get originalUrl(): string {
    return this.source.url ?? ""
  }

  /** Node's parser accepts known methods only. */
  get method(): HttpMethod.HttpMethod {
    const { method } = this.source
    return isMethod(method) ? method : "GET"
  }

  get cookies(): Readonly<Record<string, string>> {
    return this.#cookies ??= Cookies.parseHeader(this.headers["cookie"] ?? "")
  }

  modify({ headers = this.headers, remoteAddress, url = this.url }: Changes): NodeRequest {
    return new NodeRequest(this.source, remoteAddress ?? Option.getOrNull(this.remoteAddress), { headers, id: this.id, url })
  }

  get #refused(): HttpServerError.RequestError {
    return new HttpServerError.RequestError({ request: this, reason: "Decode", description: "RequestBody reads bodies" })
  }

  get text(): Effect.Effect<never, HttpServerError.RequestError> {
    return Effect.fail(this.#refused)
  }

  get json(): Effect.Effect<never, HttpServerError.RequestError> {
    return this.text
  }

  get urlParamsBody(): Effect.Effect<never, HttpServerError.RequestError> {
    return this.text
  }

  get arrayBuffer(): Effect.Effect<never, HttpServerError.RequestError> {
    return this.text
  }

  get upgrade(): Effect.Effect<never, HttpServerError.RequestError> {
    return this.text
  }

  get stream(): Stream.Stream<never, HttpServerError.RequestError> {
    return Stream.fail(this.#refused)
  }

  get multipart(): Effect.Effect<never> {
    return Effect.die(this.#refused)
  }

  get multipartStream(): Stream.Stream<never> {
    return Stream.die(this.#refused)
  }

  toJSON(): unknown {
    return { _id: "NodeRequest", method: this.method, url: this.url }
  }
}
