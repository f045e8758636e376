/** The tools of the conformance suite's reference server that ask their client before they answer. */
import type { CallToolResult, GetPromptResult } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Option, Predicate } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import { type ClientCall, type ClientRequest, InputRequired } from "../../../src/mcp/protocol/ClientCall.ts"
import { invalidParams, ProtocolError } from "../../../src/mcp/protocol/ProtocolError.ts"
import { type JsonObject, missingCapability, objectAt } from "../../../src/mcp/protocol/StatelessRequest.ts"

export const textResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }] })

const form = (message: string, properties: object, required: ReadonlyArray<string> = Object.keys(properties)): ClientRequest => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties, required } }
})

const sampling = (text: string, maxTokens = 100): ClientRequest => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens }
})

const roots: ClientRequest = { method: "roots/list", params: {} }

type Run = (call: ClientCall) => Effect.Effect<CallToolResult, unknown>

/** Asks, and makes the result of the answers. */
const asks = (
  requests: (call: ClientCall) => Readonly<Record<string, ClientRequest>>,
  told: (answers: JsonObject) => string
): Run =>
(call) =>
  Effect.map(
    call.ask(requests(call)),
    Option.match({ onNone: () => textResult("The client cannot be asked"), onSome: (answers) => textResult(told(answers)) })
  )

const contentOf = (answers: JsonObject, name: string) => objectAt(answers[name], "content")

const given = ({ params }: ClientCall, name: string): string => String(objectAt(params, "arguments")[name])

const defaults = {
  name: { type: "string", description: "User name", default: "John Doe" },
  age: { type: "integer", description: "User age", default: 30 },
  score: { type: "number", description: "User score", default: 95.5 },
  status: { type: "string", description: "User status", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", description: "Verification status", default: true }
}

const options = ["option1", "option2", "option3"]
const titled = [1, 2, 3].map((number) => ({ const: `value${number}`, title: ["First", "Second", "Third"][number - 1] }))

const enums = {
  untitledSingle: { type: "string", description: "Select one option", enum: options },
  titledSingle: {
    type: "string",
    description: "Select one option with titles",
    oneOf: titled.map(({ title, ...one }) => ({ ...one, title: `${title} Option` }))
  },
  legacyEnum: {
    type: "string",
    description: "Select one option (legacy)",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"]
  },
  untitledMulti: {
    type: "array",
    description: "Select some",
    minItems: 1,
    maxItems: 3,
    items: { type: "string", enum: options }
  },
  titledMulti: {
    type: "array",
    description: "Select some with titles",
    minItems: 1,
    maxItems: 3,
    items: { anyOf: titled.map(({ title, ...one }) => ({ ...one, title: `${title} Choice` })) }
  }
}

const elicited = (answers: JsonObject): string => {
  const { action, content = {} } = objectAt(answers, "form")
  return `User response: action=${String(action)}, content=${JSON.stringify(content)}`
}

const secret = randomBytes(32)

const signature = (data: string): string => createHmac("sha256", secret).update(data).digest("hex")

const sealed = (state: object): string => {
  const data = JSON.stringify({ ...state, nonce: randomBytes(8).toString("hex") })
  return JSON.stringify({ data, hmac: signature(data) })
}

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The state that the client sends back; empty if it sends none, null if it is not what was sealed. */
const stateOf = ({ params: { requestState } }: ClientCall): JsonObject | null => {
  if (typeof requestState !== "string") return {}
  const { data, hmac } = objectAt({ state: Option.getOrNull(parse(requestState)) }, "state")
  return typeof data === "string" && signature(data) === hmac
    ? objectAt({ state: Option.getOrNull(parse(data)) }, "state")
    : null
}

const isTampered = invalidParams("requestState integrity check failed")

/** Asks with a state that must come back. */
const withState = (
  rounds: ReadonlyArray<Readonly<Record<string, ClientRequest>>>,
  told: (answers: JsonObject, state: JsonObject) => string
): Run =>
(call) => {
  const state = stateOf(call)
  if (state === null) return isTampered
  const round = Number(state["round"] ?? 0)
  const answers = objectAt(call.params, "inputResponses")
  const asked = rounds[round - 1] ?? {}
  const isAnswered = round > 0 && Object.keys(asked).every((name) => Predicate.isRecord(answers[name]))
  const next = isAnswered ? rounds[round] : rounds[Math.max(round - 1, 0)]
  const kept = isAnswered ? { ...state, ...answers } : state
  return next === undefined
    ? Effect.succeed(textResult(told({ ...state, ...answers }, state)))
    : Effect.fail(
      new InputRequired({
        inputRequests: next,
        requestState: sealed({ ...kept, round: isAnswered ? round + 1 : Math.max(round, 1) })
      })
    )
}

const confirm = { confirm: form("Please confirm", { ok: { type: "boolean" } }) }

const name = { user_name: form("What is your name?", { name: { type: "string" } }) }

const several = { ...name, greeting: sampling("Generate a greeting", 50), client_roots: roots }

const missing = new ProtocolError({
  code: missingCapability,
  message: "Missing required client capability",
  data: { requiredCapabilities: { sampling: {} } }
})

const possible = ({ declared }: ClientCall) => ({
  ...("elicitation" in declared ? { elicit_input: form("Elicitation input", { value: { type: "string" } }) } : {}),
  ...("sampling" in declared ? { sample_input: sampling("Sample request", 50) } : {})
})

export const asking: Readonly<Record<string, Run>> = {
  test_sampling: asks(
    (call) => ({ sample: sampling(given(call, "prompt")) }),
    (answers) => `LLM response: ${String(contentOf(answers, "sample")["text"])}`
  ),
  test_elicitation: asks((call) => ({ form: form(given(call, "message"), { response: { type: "string" } }) }), elicited),
  test_elicitation_sep1034_defaults: asks(() => ({ form: form("Please review the defaults", defaults, []) }), elicited),
  test_elicitation_sep1330_enums: asks(() => ({ form: form("Please select options", enums, []) }), elicited),
  test_missing_capability: ({ declared }) => "sampling" in declared ? Effect.succeed(textResult("Success")) : missing,
  test_streaming_elicitation: asks(() => name, () => "Streaming complete"),
  test_input_required_result_elicitation: asks(
    () => name,
    (answers) => `Hello, ${String(contentOf(answers, "user_name")["name"])}!`
  ),
  test_input_required_result_sampling: asks(
    () => ({ sample_request: sampling("What is the capital of France?") }),
    (answers) => `Sampling result: ${String(contentOf(answers, "sample_request")["text"])}`
  ),
  test_input_required_result_list_roots: asks(() => ({ roots_request: roots }), (answers) => {
    const found = objectAt(answers, "roots_request")["roots"]
    return `Found ${Array.isArray(found) ? found.length : 0} root(s)`
  }),
  test_input_required_result_request_state: withState([confirm], () => "state-ok: requestState validated"),
  test_input_required_result_multiple_inputs: withState(
    [several],
    (answers) => `Name: ${String(contentOf(answers, "user_name")["name"])}`
  ),
  test_input_required_result_multi_round: withState([
    { step1: form("Step 1: What is your name?", { name: { type: "string" } }) },
    { step2: form("Step 2: What is your favorite color?", { color: { type: "string" } }) }
  ], (answers) => `Multi-round complete for ${String(contentOf(answers, "step1")["name"])}`),
  test_input_required_result_tampered_state: withState([confirm], () => "integrity-ok: state verified"),
  test_input_required_result_capabilities: asks(
    possible,
    (answers) => `capabilities-ok: received ${Object.keys(answers).join(",")}`
  )
}

export const askingPrompt = {
  name: "test_input_required_result_prompt",
  run: (call: ClientCall): Effect.Effect<GetPromptResult, unknown> =>
    Effect.map(
      call.ask({ user_context: form("What context should the prompt use?", { context: { type: "string" } }) }),
      (answers) => ({
        messages: [{
          role: "user",
          content: {
            type: "text",
            text: `Prompt with context: ${String(contentOf(Option.getOrElse(answers, () => ({})), "user_context")["context"])}`
          }
        }]
      })
    )
}
