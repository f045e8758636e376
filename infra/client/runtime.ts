/** The part of the generated client that does not depend on the operations: requests, retries, idempotency keys and pagination. */

/** The parts of an operation that a request needs. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
  /** Sends a key with each call, so that a repeated request runs once. */
  readonly idempotent: boolean
  /** The query field that takes `next`; null if the operation returns no pages. */
  readonly cursor: string | null
}

export interface ClientOptions {
  /** Such as https://status.example.com */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  /** Attempts of one call; default 4. */
  readonly attempts?: number
  /** Default: the global fetch. */
  readonly fetch?: typeof fetch
}

export interface CallOptions {
  /** Default: a random one for each call that accepts it. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

/** The error envelope of a call that failed. */
export class BelltowerError extends Error {
  override readonly name = "BelltowerError"
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  readonly details: unknown

  constructor(
    status: number,
    error: { readonly code: string; readonly message: string; readonly hint?: string; readonly details?: unknown }
  ) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.hint = error.hint
    this.details = error.details
  }
}

type Json = "application/json"
type Nothing = Record<never, never>
type PartOf<O, Place extends string> = O extends { readonly parameters: { readonly [P in Place]?: infer Part } }
  ? [Part] extends [never | undefined] ? Nothing : NonNullable<Part>
  : Nothing
type BodyOf<O> = O extends { readonly requestBody?: infer Body } ?
  NonNullable<Body> extends { readonly content: { readonly [J in Json]: infer B } } ? B : Nothing
  : Nothing

/** Path, query and body of an operation, merged as the API merges them. */
export type InputOf<O> = PartOf<O, "path"> & PartOf<O, "query"> & BodyOf<O>

/** The body of a successful response. */
export type AnswerOf<O> = O extends { readonly responses: infer R } ? {
    [S in keyof R & (200 | 201 | 202)]: R[S] extends { readonly content: { readonly [J in Json]: infer A } } ? A : never
  }[keyof R & (200 | 201 | 202)]
  : never

type Method<O> = Nothing extends InputOf<O> ? (input?: InputOf<O>, options?: CallOptions) => Promise<AnswerOf<O>>
  : (input: InputOf<O>, options?: CallOptions) => Promise<AnswerOf<O>>

type Paged<Operations> = {
  [Id in keyof Operations]: AnswerOf<Operations[Id]> extends { readonly data: ReadonlyArray<unknown> } ? Id : never
}[keyof Operations]

type ItemOf<O> = AnswerOf<O> extends { readonly data: ReadonlyArray<infer Item> } ? Item : never

export type ClientOf<Operations> =
  & { readonly [Id in keyof Operations]: Method<Operations[Id]> }
  & {
    /** Every item of a list, page after page. */
    readonly each: <Id extends Paged<Operations>>(
      id: Id,
      input?: InputOf<Operations[Id]>
    ) => AsyncGenerator<ItemOf<Operations[Id]>, void>
  }

type Input = Readonly<Record<string, unknown>>

const longestPause = 30_000

/** Milliseconds before attempt `next`: what the server asks for, else twice as long each time, with jitter. */
const pauseBefore = (next: number, response: Response | null): number => {
  const asked = Number(response?.headers.get("retry-after") ?? Number.NaN)
  return Number.isFinite(asked) ? asked * 1000 : 250 * 2 ** next * (0.5 + Math.random() / 2)
}

const sleep = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true })
  })

const transient = new Set([429, 500, 502, 503, 504])

/** A change without a key may have happened although its answer was lost; only a refusal for the rate says that it did not. */
const mayRepeat = ({ idempotent, method }: Operation, status: number | null): boolean =>
  idempotent || method === "GET" || method === "PUT" || method === "DELETE" || status === 429

const requestOf = ({ method, path, query }: Operation, input: Input, { apiKey, baseUrl }: ClientOptions, key: string | null) => {
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const take = (name: string) => {
    const value = left.get(name)
    left.delete(name)
    return value
  }
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(take(name))))
  const url = new URL(baseUrl.replace(/\/$/, "") + place)
  for (const name of query) {
    const value = take(name)
    if (value !== undefined) url.searchParams.set(name, Array.isArray(value) ? value.join(",") : String(value))
  }
  const headers: Record<string, string> = { accept: "application/json" }
  if (apiKey !== undefined) headers["authorization"] = `Bearer ${apiKey}`
  if (key !== null) headers["idempotency-key"] = key
  if (method === "GET" || method === "DELETE") return { url, init: { method, headers } }
  headers["content-type"] = "application/json"
  return { url, init: { method, headers, body: JSON.stringify(Object.fromEntries(left)) } }
}

const answerOf = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  if (response.ok) return JSON.parse(text)
  let error = { code: "internal", message: `The server answered ${response.status} without an envelope` }
  try {
    error = JSON.parse(text).error ?? error
  } catch {
    // A proxy in between answered in its own words.
  }
  throw new BelltowerError(response.status, error)
}

const makeCall =
  (options: ClientOptions) => async (operation: Operation, input: Input, { idempotencyKey, signal }: CallOptions = {}) => {
    const send = options.fetch ?? fetch
    const { init, url } = requestOf(
      operation,
      input,
      options,
      operation.idempotent ? idempotencyKey ?? crypto.randomUUID() : null
    )
    const attempts = options.attempts ?? 4
    for (let attempt = 1;; attempt++) {
      const isLast = attempt >= attempts
      const sent = await send(url, { ...init, ...(signal === undefined ? {} : { signal }) }).catch((error: unknown) => {
        if (isLast || signal?.aborted === true || !mayRepeat(operation, null)) throw error
        return null
      })
      const pause = pauseBefore(attempt, sent)
      const isFinal = isLast || pause > longestPause
      if (sent !== null && (isFinal || !transient.has(sent.status) || !mayRepeat(operation, sent.status))) return answerOf(sent)
      await sent?.body?.cancel()
      await sleep(Math.min(pause, longestPause), signal)
    }
  }

interface Page {
  readonly data: ReadonlyArray<unknown>
  readonly next: string | null
}

/** The client of a table of operations. */
export const makeClient = <Operations>(
  table: Readonly<Record<string, Operation>>,
  options: ClientOptions
): ClientOf<Operations> => {
  const call = makeCall(options)
  const methods = Object.fromEntries(
    Object.entries(table).map(([id, operation]) => [
      id,
      (input: Input = {}, callOptions?: CallOptions) => call(operation, input, callOptions)
    ])
  )
  const each = async function*(id: string, input: Input = {}) {
    const operation = table[id]
    if (operation === undefined) throw new TypeError(`There is no operation ${id}`)
    let given = input
    for (;;) {
      const { data, next } = await call(operation, given) as Page
      yield* data
      if (next === null || next === undefined || operation.cursor === null || data.length === 0) return
      given = { ...given, [operation.cursor]: next }
    }
  }
  return { ...methods, each } as ClientOf<Operations>
}
