/** A service to monitor, whose answers the test decides. */
import { Effect } from "effect"
import type { IncomingHttpHeaders, RequestListener } from "node:http"
import { httpTarget } from "../../support/targets/LocalTargets.ts"

interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers as configured last, 200 at first; `asked` lists the requests so far. */
export const newTarget = Effect.gen(function*() {
  const asked: Array<Asked> = []
  let answer: RequestListener = (_, response) => void response.end("fine")
  const url = yield* httpTarget((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method = "", url = "" } = request
      asked.push({ method, url, headers, body: Buffer.concat(chunks).toString("utf8") })
      answer(request, response)
    })
  })
  return {
    url,
    asked,
    answers: (next: RequestListener) => {
      answer = next
    },
    breaks: () => {
      answer = (_, response) => void response.writeHead(500).end("broken")
    },
    recovers: () => {
      answer = (_, response) => void response.end("fine")
    }
  }
})
