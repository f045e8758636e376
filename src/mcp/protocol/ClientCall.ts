/** A request of a client while it is answered: what can be said to the client and asked of it before the result. */
import type { Option } from "effect"
import { Data, Effect, Predicate } from "effect"
import type { JsonObject } from "./StatelessRequest.ts"

/** A request to the client, such as a form for its person. */
export interface ClientRequest {
  readonly method: "elicitation/create" | "roots/list" | "sampling/createMessage"
  readonly params: JsonObject
}

/** The client must repeat its request with answers to these. (MCP 2026-07-28, Multi Round-Trip Requests.) */
export class InputRequired extends Data.TaggedError("InputRequired")<{
  readonly inputRequests: Readonly<Record<string, ClientRequest>>
  readonly requestState?: string
}> {}

export interface Progress {
  /** Must grow with each report. */
  readonly progress: number
  readonly total?: number
  readonly message: string
}

/** Asks the client for its answers, by the names of the requests; none if it never said that it can be asked. */
export type Ask = (
  requests: Readonly<Record<string, ClientRequest>>
) => Effect.Effect<Option.Option<JsonObject>, InputRequired>

export interface ClientCall {
  /** The parameters as they were sent; the SDK's schemas drop what they do not know. */
  readonly params: JsonObject
  /** The questions that the client declared it can be asked. */
  readonly declared: JsonObject
  /** Sends a notification about the request; dropped if the client takes no stream. */
  readonly notify: (method: string, params: JsonObject) => Effect.Effect<void>
  /** Null unless the client asked for it and takes a stream. */
  readonly report: ((progress: Progress) => Effect.Effect<void>) | null
  readonly ask: Ask
}

const capabilityOf: Readonly<Record<ClientRequest["method"], string>> = {
  "elicitation/create": "elicitation",
  "roots/list": "roots",
  "sampling/createMessage": "sampling"
}

/** A client that declares elicitation without a mode takes forms; one with modes must name them. */
const declares = (declared: JsonObject, { method }: ClientRequest): boolean => {
  const capability = declared[capabilityOf[method]]
  if (!Predicate.isRecord(capability)) return false
  return method !== "elicitation/create" || "form" in capability || !("url" in capability)
}

export const declaresAll = (declared: JsonObject, requests: Readonly<Record<string, ClientRequest>>): boolean =>
  Object.values(requests).every((request) => declares(declared, request))

/** The capabilities that the client of a session declared, in letters that its id carries: sessions are not stored. */
const letters = { e: "elicitation", r: "roots", s: "sampling" } as const

/** An elicitation by addresses alone is no form, and nothing asks for it. */
export const lettersOf = (declared: JsonObject): string =>
  Object.entries(letters)
    .filter(([, name]) =>
      name === "elicitation"
        ? declares(declared, { method: "elicitation/create", params: {} })
        : Predicate.isRecord(declared[name])
    )
    .map(([letter]) => letter)
    .join("")

export const declaredBy = (declared: string): JsonObject =>
  Object.fromEntries(Object.entries(letters).filter(([letter]) => declared.includes(letter)).map(([, name]) => [name, {}]))

/** Asks a client without a session: it sends the answers with its request, or is asked to repeat it with them. */
export const askStateless = (declared: JsonObject, params: JsonObject): Ask => (inputRequests) => {
  if (!declaresAll(declared, inputRequests)) return Effect.succeedNone
  const responses = params["inputResponses"]
  return Predicate.isRecord(responses) && Object.keys(inputRequests).every((name) => Predicate.isRecord(responses[name]))
    ? Effect.succeedSome(responses)
    : Effect.fail(new InputRequired({ inputRequests }))
}
