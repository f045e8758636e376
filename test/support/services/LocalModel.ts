/** A server that speaks the protocols of model providers: Anthropic's messages, and OpenAI's chat completions and responses. */
import { Effect } from "effect"
import { createServer } from "node:http"
import type { Json } from "../program/TestServer.ts"
import { withBody } from "./WithBody.ts"

/** A request as the model sees it. */
export interface AskedModel {
  readonly path: string
  readonly key: string | undefined
  readonly system: string
  readonly user: string
  readonly body: Json
}

export type ModelReply =
  /** The model's words, in the shape of the protocol. */
  | { readonly _tag: "Says"; readonly text: string }
  /** It refuses, as the protocol says it. */
  | { readonly _tag: "Refuses" }
  | { readonly _tag: "Answers"; readonly status: number; readonly body: string; readonly headers?: Record<string, string> }
  /** It never answers. */
  | { readonly _tag: "Hangs" }

export const says = (words: string | Json): ModelReply => ({
  _tag: "Says",
  text: typeof words === "string" ? words : JSON.stringify(words)
})

/** Leaves out everything that merely compatible servers leave out. */
const shapes: Readonly<Record<string, (words: string | null) => Json>> = {
  "/v1/messages": (words) =>
    words === null
      ? { content: [], stop_reason: "refusal" }
      : { type: "message", content: [{ type: "text", text: words }], stop_reason: "end_turn" },
  "/v1/chat/completions": (words) => ({
    choices: [{ message: words === null ? { content: null, refusal: "I can't help with that." } : { content: words } }]
  }),
  "/v1/responses": (words) => ({
    output: [{
      type: "message",
      content: words === null ? [{ type: "refusal", refusal: "No." }] : [{ type: "output_text", text: words }]
    }]
  })
}

const textsIn = (body: Json): { readonly system: string; readonly user: string } => ({
  system: body.system ?? body.instructions ?? body.messages?.[0]?.content ?? "",
  user: body.input ?? body.messages?.at(-1)?.content ?? ""
})

/** A provider on loopback. `reply` answers each request; `asked` lists them; `left` counts callers that hung up. */
export const localModel = (reply: (asked: AskedModel, count: number) => ModelReply) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<AskedModel> = []
      const state = { left: 0, open: 0, mostOpen: 0 }
      const server = createServer((request, response) => {
        state.open += 1
        state.mostOpen = Math.max(state.mostOpen, state.open)
        response.on("close", () => {
          state.open -= 1
          if (!response.writableEnded) state.left += 1
        })
        withBody(request, (raw) => {
          const body: Json = JSON.parse(raw)
          const path = request.url ?? ""
          const key = request.headers.authorization ?? request.headers["x-api-key"]
          const one = { path, key: typeof key === "string" ? key : undefined, body, ...textsIn(body) }
          asked.push(one)
          const found = reply(one, asked.length)
          if (found._tag === "Hangs") return
          const shape = shapes[path]
          if (found._tag === "Answers") return response.writeHead(found.status, found.headers).end(found.body)
          if (shape === undefined) return response.writeHead(404).end("{}")
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify(shape(found._tag === "Says" ? found.text : null)))
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const place = server.address()
      const port = typeof place === "object" && place !== null ? place.port : 0
      return {
        url: `http://127.0.0.1:${port}`,
        asked,
        state,
        close: () => {
          server.closeAllConnections()
          server.close()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )
